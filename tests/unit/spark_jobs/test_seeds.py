"""Buckets that go on from seeds end with the same sessions and the same ledger."""

from collections.abc import Callable

import msgspec
import pytest

from contracts import WATERMARK_END, WATERMARK_START, Tally
from spark_jobs.old_state import route_of
from spark_jobs.packing import unpack
from spark_jobs.parse import Record
from spark_jobs.seeds import (
    Basis,
    basis_of,
    header_of,
    read_seed,
    rebased,
    seed,
    write_seed,
)
from spark_jobs.topic_copy import is_watermark, partition_of
from tests.support.buckets import BucketRun
from tests.support.journey import MINUTE, SECOND, Journey, at, record_of

NEW_BUCKETS = 3


def clock(offset: int, time: int) -> Record:
    return Record(None, b"", offset, time, time)


def traffic() -> list[Record]:
    """Five visitors, one of whom repeats an event, with time passing between their clicks."""
    events = []
    for number in range(5):
        journey = Journey(f"visitor-{number}", f"2026-01-15 10:0{number}:00").view("/a")
        journey.view("/b", after=20 * MINUTE).view("/c", after=40 * MINUTE)
        events += journey.events
    events += night().events
    events.sort(key=lambda event: event.event_time)
    events.append(events[3])
    records: list[Record] = []
    for event in events:
        records.append(clock(2 * len(records), event.event_time))
        records.append(record_of(event, len(records)))
    return [msgspec.structs.replace(r, offset=i) for i, r in enumerate(records)]


def night() -> Journey:
    """A visitor whose id rotates during a visit."""
    journey = Journey("~3f7.before", "2026-01-15 10:01:30").view("/x")
    journey.visitor_id = "~3f7.after"
    journey.view("/y", after=20 * MINUTE).view("/z", after=20 * MINUTE)
    for number in (1, 2):
        journey.events[number] = msgspec.structs.replace(
            journey.events[number], previous_visitor_id="~3f7.before"
        )
    return journey


def end(offset: int) -> Record:
    return clock(offset, WATERMARK_END)


def split(old: BucketRun, rebase: bool) -> list[BucketRun]:
    """New buckets that go on where the old one was."""
    assert old.stored is not None
    header, body = old.stored
    parts: list[dict[str, tuple[int, bytes]]] = [{} for _ in range(NEW_BUCKETS)]
    for key, (due, packed) in unpack(body).items():
        parts[new_bucket(route_of(key))][key] = (due, rebased(packed) if rebase else packed)
    basis = basis_of([header_of(header)])
    runs = []
    for number, visitors in enumerate(parts):
        run = BucketRun()
        run.job = msgspec.structs.replace(run.job, epoch=2)
        run.stored = seed(visitors, basis, is_first=number == 0)
        runs.append(run)
    return runs


def new_bucket(key: bytes) -> int:
    return partition_of(key, 0, NEW_BUCKETS)


def tallies(*runs: BucketRun) -> Tally:
    total = {name: sum(getattr(one.tally, name) for one in runs) for name in COLUMNS}
    return Tally(**total)


COLUMNS = Tally.__struct_fields__


def in_place(record: Record, index: int) -> Record:
    return record


def from_one(record: Record, index: int) -> Record:
    return msgspec.structs.replace(record, offset=1 + index)


def known(updates: list) -> dict:
    run = BucketRun()
    run.updates = updates
    plain = {"epoch": 0, "revision": 0}
    return {key: msgspec.structs.replace(value, **plain) for key, value in run.sessions().items()}


@pytest.mark.parametrize("place", [0, 1, 7, 12, 20, 31])
@pytest.mark.parametrize("renumber", [in_place, from_one], ids=["same topics", "new topics"])
def test_split_anywhere_nothing_is_lost_or_doubled(
    place: int, renumber: Callable[[Record, int], Record]
) -> None:
    records = [*traffic(), end(10_000)]
    is_new = renumber(records[5], 0).offset == 1
    whole = BucketRun().feed(records)
    old = BucketRun().feed(records[:place])
    runs = split(old, rebase=is_new)
    for index, record in enumerate(records[place:]):
        moved = renumber(record, index)
        for number, run in enumerate(runs):
            if record.key is None or new_bucket(record.key) == number:
                run.feed([moved])
    updates = old.updates + [update for run in runs for update in run.updates]
    assert known(updates) == known(whole.updates)
    assert tallies(*runs) == whole.tally
    assert {one.status for one in known(updates).values()} == {"final"}


def test_a_seed_is_due_when_its_first_visitor_is() -> None:
    stored = seed({"s/a": (70, b"a"), "s/b": (50, b"b")}, Basis(9, Tally()), is_first=False)
    header = header_of(stored[0])
    assert (header.watermark, header.next_deadline, header.visitors) == (9, 50, 2)


def test_the_smallest_watermark_holds_and_the_ledger_is_the_sum() -> None:
    first = BucketRun().feed([clock(0, at("2026-01-15 10:00:00")), *traffic()[:2]])
    second = BucketRun().feed([clock(0, at("2026-01-15 11:00:00"))])
    headers = [header_of(run.stored[0]) for run in (first, second) if run.stored]
    basis = basis_of(headers)
    assert basis.watermark == at("2026-01-15 10:00:00") - 10 * SECOND
    assert basis.tally.requests == 1


def test_seeds_are_files(tmp_path) -> None:
    stored = seed({"s/a": (70, b"a")}, Basis(9, Tally(requests=3)), is_first=True)
    write_seed(tmp_path, 2**40 + 5, stored)
    assert read_seed(str(tmp_path), 2**40 + 5) == stored
    assert read_seed(str(tmp_path), 6) is None
    assert read_seed("", 6) is None


@pytest.mark.parametrize(
    ("key", "value", "is_time"),
    [
        (None, b'{"watermark":5,"turn":0,"schema_version":1}', True),
        (None, b'{"watermark":"x","turn":0}', False),
        (None, b'{"watermark":5}', False),
        (b"s/a", b'{"watermark":5,"turn":0}', False),
        (None, None, False),
    ],
)
def test_only_watermark_records_are_not_copied(key, value, is_time) -> None:
    assert is_watermark(key, value) is is_time


def test_keys_go_where_producers_put_them() -> None:
    # Apache Kafka's own vectors (UtilsTest.testMurmur2): murmur2("21") = -973932308.
    assert partition_of(b"21", 0, 7) == (-973932308 & 0x7FFFFFFF) % 7
    assert partition_of(None, 5, 4) == 1
    assert WATERMARK_START < 0
