"""How the demo's studio steers the sample traffic and the broker: files in a folder of the stack.

The shop writes ``wishes.json`` and ``outage.json``; the traffic answers with ``traffic.json``, the
supervisor with ``broker.json``. The folder is the operator's alone: nothing listens anywhere for
it, and it exists only where a demo runs. Times are ms since 1970 UTC.
"""

import os
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

Country = Annotated[str, Meta(pattern="^[A-Z]{2}$")]
ActKind = Literal["crowd", "tunnel", "fast_clock"]

LONGEST_OUTAGE_S = 60
KEPT_ACTS = 20


class TrafficWish(Struct, frozen=True, kw_only=True):
    """The sample visitors that are wanted from now on.

    ``bots``: the share of arrivals that are crawlers. ``countries``: ISO 3166-1, none for all.
    """

    visitors_per_minute: Annotated[float, Meta(ge=0, le=6000)] = 40.0
    bots: Annotated[float, Meta(ge=0, le=1)] = 0.1
    countries: Annotated[tuple[Country, ...], Meta(max_length=30)] = ()


class Act(Struct, frozen=True, kw_only=True):
    """Something that is to happen once.

    ``crowd``: ``people`` land on one page within ``seconds``. ``tunnel``: that many phones send
    what they kept, from ``seconds`` ago. ``fast_clock``: that many send events from ``seconds``
    ahead. Acts are numbered from 1 up.
    """

    number: Annotated[int, Meta(ge=1)]
    kind: ActKind
    people: Annotated[int, Meta(ge=1, le=400)]
    seconds: Annotated[int, Meta(ge=1, le=86_400)]


class Wishes(Struct, frozen=True, kw_only=True):
    """What the studio wants of the sample traffic. ``traffic`` None: as it was started."""

    traffic: TrafficWish | None = None
    acts: Annotated[tuple[Act, ...], Meta(max_length=KEPT_ACTS)] = ()


class Outage(Struct, frozen=True, kw_only=True):
    """The broker is to be away until then."""

    until: int


class TrafficNow(Struct, frozen=True, kw_only=True):
    """What the sample traffic does. ``time``: when it said so; it does twice a second.

    ``done``: the number of the last act that was begun, and ``note`` what came of it.
    ``countries``: whence it can send visitors, most addresses first.
    """

    time: int
    traffic: TrafficWish
    on_site: int = 0
    requests: int = 0
    done: int = 0
    note: str = ""
    countries: tuple[str, ...] = ()


class BrokerNow(Struct, frozen=True, kw_only=True):
    """How the broker is, in the supervisor's words, since ``time``."""

    status: str
    time: int
    detail: str = ""


Said = TypeVar("Said", Wishes, Outage, TrafficNow, BrokerNow)

FILES: dict[type[Struct], str] = {
    Wishes: "wishes.json",
    Outage: "outage.json",
    TrafficNow: "traffic.json",
    BrokerNow: "broker.json",
}


def read(folder: Path, kind: type[Said]) -> Said | None:
    """What was last said; None when nothing was, or nothing that can be read."""
    try:
        return msgspec.json.decode((folder / FILES[kind]).read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError):
        return None


def write(folder: Path, said: Wishes | Outage | TrafficNow | BrokerNow) -> None:
    """Say it in one step: readers see the former or the new. Raises OSError."""
    file = folder / FILES[type(said)]
    draft = file.with_suffix(f".{os.getpid()}")
    draft.write_bytes(msgspec.json.encode(said))
    draft.replace(file)
