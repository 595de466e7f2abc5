"""One topic partition in which ten visitors live through all that can happen to a session."""

import msgspec

from contracts import WATERMARK_END
from spark_jobs.gaps import GapRule
from spark_jobs.parse import Record
from spark_jobs.rules import Rules
from tests.support.journey import HOUR, Journey, at, record_of, watermark

RULES = Rules(
    gaps=(GapRule("shop", "/checkout*", HOUR),), max_events=6, max_per_minute=4, max_length=4 * HOUR
)
LATE = {"late-x", "idle-x"}
"""The ids of the events that come too late."""
DEAD = 2


def stories() -> list[Record]:
    """In arrival order, offsets from 0, with the clock's watermark records between them."""
    records: list[Record] = []
    for moment, events in _arrivals():
        told = at(f"2026-01-16 {moment}")
        records += [_value(event, told) for event in events]
        records.append(watermark(told, 0))
    records.append(watermark(WATERMARK_END, 0))
    return [msgspec.structs.replace(record, offset=i) for i, record in enumerate(records)]


def _value(event: tuple[str, str] | tuple[str, str, str] | bytes, told: int) -> Record:
    if isinstance(event, bytes):
        return Record(b"shop/ann", event, 0, told)
    name, time, path = event if len(event) == 3 else (*event, f"/{event[0]}")
    visitor = name.partition("-")[0]
    (made,) = Journey(visitor, f"2026-01-{time}").view(path, event_id=name).events
    return record_of(made, 0, told)


def _arrivals():
    """(the clock, what arrives before it says so): a name is VISITOR-ANYTHING."""
    a = ("bridge-a", "15 23:20:00")
    c = ("bridge-c", "15 23:55:00")
    yield (
        "00:00:00",
        [
            *[a, a, c, ("midnight-a", "15 23:45:00"), ("boundary-a", "15 23:30:00")],
            *[("tie-c", "15 23:50:00"), ("tie-a", "15 23:50:00"), ("tie-b", "15 23:50:00")],
            *[("shop-a", "15 23:20:00", "/checkout/pay"), ("late-a", "15 22:00:00"), b"{"],
        ],
    )
    yield (
        "00:01:00",
        [
            *[("bridge-b", "15 23:40:00"), c],
            *[("boundary-b", "16 00:00:00")],
            *[("future-a", "17 00:00:30"), ("shop-b", "16 00:01:00"), ("late-x", "15 22:10:00")],
            *[(f"flood-{n}", f"15 23:59:0{n}") for n in (7, 3, 5, 1, 4, 2, 6)],
        ],
    )
    yield (
        "00:32:00",
        [
            *[("midnight-b", "16 00:15:00"), ("shop-c", "16 00:20:00")],
            *[("boundary-c", "16 00:30:00.001")],
            *[("rename-b", "16 00:30:00"), b'{"event_time":-1}'],
        ],
    )
    yield "00:50:00", [("rename-a", "16 00:20:00"), ("idle-a", "15 23:58:30")]
    full = [(f"full-{n}", f"16 00:4{n}:00") for n in range(6)]
    yield "02:00:00", [*reversed(full), ("idle-x", "16 00:00:00")]
    yield "02:00:30", [("full-next", "16 01:15:00"), ("shop-d", "16 01:58:00", "/checkout")]
    yield "03:00:00", [("shop-e", "16 02:57:00"), ("midnight-again", "16 02:59:00")]
