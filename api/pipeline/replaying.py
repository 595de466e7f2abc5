"""Dead letters that can be read by now go to the requests topic again.

A record that this version's contract cannot read would only become a dead letter once more, so it
is refused. One that it can read, because its key was wrong or an older version wrote the letter,
is sent under its visitor's own key. An event_id counts once within a visitor, so a second
replay changes nothing; and what the history has already is not sent at all.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from api.ingest.batch import Record, record_of
from api.pipeline.answers import Replayed, Unreplayed
from api.pipeline.places import RecordPlace
from api.pipeline.records import Record as RawRecord
from contracts import SCHEMA_VERSION, RequestEvent, partition_key
from contracts.event_time import EventTimeError, read_event_time

SHOWN = 20
_GONE = "Kafka no longer has the record: its retention has passed."
_decoder = msgspec.json.Decoder(RequestEvent)


class Readable(NamedTuple):
    """A letter that is an event after all."""

    place: RecordPlace
    event: RequestEvent


class Sorted(NamedTuple):
    """The letters that can be sent, and the others with why not."""

    readable: list[Readable]
    refused: list[Unreplayed]


def sort_out(places: Sequence[RecordPlace], found: Mapping[RecordPlace, RawRecord]) -> Sorted:
    """Judge each record by itself."""
    sorted_out = Sorted([], [])
    for place in places:
        record = found.get(place)
        judged = _GONE if record is None else read_event(record.value)
        if isinstance(judged, str):
            sorted_out.refused.append(Unreplayed(id=str(place), why=judged))
        else:
            sorted_out.readable.append(Readable(place, judged))
    return sorted_out


def read_event(value: bytes | None) -> RequestEvent | str:
    """The event in a record's value, or why there is none."""
    if value is None:
        return "The record has no value."
    try:
        event = _decoder.decode(value)
        read_event_time(event.event_time)
    except EventTimeError as error:
        return f"Still unreadable: {error}."
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return f"Still unreadable: {error}."
    return _reason(event) or event


def _reason(event: RequestEvent) -> str | None:
    """What the session job would refuse beyond the fields."""
    if event.schema_version != SCHEMA_VERSION:
        return f"Still unreadable: schema_version {event.schema_version!r} is not known here."
    previous, key = event.previous_visitor_id, partition_key(event.site_id, event.visitor_id)
    if previous is not None and partition_key(event.site_id, previous) != key:
        return "Still unreadable: its visitor and the one before belong to two partitions."
    return None


def records_of(readable: Sequence[Readable]) -> list[Record]:
    """As they go to the topic, under the keys that they should have had."""
    return [record_of(one.event) for one in readable]


def told(
    asked: int, published: int, known: int, refused: Sequence[Unreplayed], *, more: bool
) -> Replayed:
    """What became of them, in numbers and in a sentence."""
    return Replayed(
        asked=asked,
        published=published,
        known=known,
        refused=len(refused),
        reasons=list(refused[:SHOWN]),
        more=more,
        detail=_sentence(asked, published, known, len(refused)),
    )


def _sentence(asked: int, published: int, known: int, refused: int) -> str:
    if asked == 0:
        return "No dead letter fits."
    parts = [f"Asked for: {asked:,}. Sent to the requests topic again: {published:,}"]
    if known:
        parts.append(f"in the history already: {known:,}")
    if refused:
        parts.append(f"would only be dead letters again: {refused:,}")
    after = (
        " Those that are older than their session's lateness will be listed as late events: "
        "apply them by backfill."
    )
    return "; ".join(parts) + "." + (after if published else "")
