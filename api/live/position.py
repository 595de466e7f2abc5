"""How far into Kafka's topics something has read: the same in every process. No I/O."""

import hashlib
from collections.abc import Collection, Mapping
from typing import NamedTuple

from api.progress import Place
from contracts import Message

Offsets = Mapping[Place, int]
"""For each partition the offset of the first record that was not read."""


class Mark(NamedTuple):
    """Where one record stands."""

    place: Place
    offset: int


class Read(NamedTuple):
    """A message, and where it was read; nowhere when it came from the history."""

    message: Message
    mark: Mark | None = None


class Stream(NamedTuple):
    """Which topics' offsets these are. Offsets of another stream mean nothing here.

    ``name`` is the same in all processes that read the same partitions of the same Kafka for the
    same sites.
    """

    name: str
    places: tuple[Place, ...]


def stream_of(cluster: str, places: Collection[Place], sites: Collection[str]) -> Stream:
    """The stream of these partitions; ``cluster`` is Kafka's own id."""
    ordered = tuple(sorted(places))
    parts = [cluster, *(f"{place.topic}/{place.partition}" for place in ordered), *sorted(sites)]
    name = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:10]
    return Stream(name, ordered)


def token(stream: Stream, subscription: str, offsets: Offsets) -> str:
    """A position as clients keep it, without understanding it."""
    numbers = "-".join(f"{offsets[place]:x}" for place in stream.places)
    return f"{stream.name}.{subscription}.{numbers}"


def offsets_of(text: str, stream: Stream, subscription: str) -> Offsets | None:
    """What ``token`` made a token of; None when it belongs to another stream or subscription."""
    prefix = f"{stream.name}.{subscription}."
    if not text.startswith(prefix):
        return None
    try:
        numbers = [int(number, 16) for number in text.removeprefix(prefix).split("-")]
        return dict(zip(stream.places, numbers, strict=True))
    except ValueError:
        return None


def is_behind(offsets: Offsets, others: Offsets) -> bool:
    """Whether ``offsets`` lack anything that ``others`` have."""
    return any(offsets[place] < others[place] for place in others)
