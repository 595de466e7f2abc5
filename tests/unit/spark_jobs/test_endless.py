"""What never ends costs a bounded state: asserted in bytes and events, and never in time."""

import random
from collections.abc import Iterator

import msgspec
import pytest

from contracts import WATERMARK_END, partition_key
from spark_jobs.parse import Record
from spark_jobs.rules import Rules
from tests.support.buckets import BucketRun, in_order
from tests.support.journey import HOUR, MINUTE, SECOND, Journey, at, watermark

START = at("2026-01-15 00:00:00")
BYTES_AN_EVENT = 100
"""More than an event of these tests takes in the state, and less than two."""
(PLAIN,) = Journey("crawler").view().events
KEY = partition_key(PLAIN.site_id, PLAIN.visitor_id)


def one_every(step: int, count: int, clock: int = 10 * SECOND) -> Iterator[Record]:
    """A visitor's events, with the clock told every so often."""
    offset, told = 0, START
    for number in range(count):
        time = START + number * step
        while told + clock <= time:
            told += clock
            yield watermark(told, offset)
            offset += 1
        event = msgspec.structs.replace(PLAIN, event_time=time, event_id=f"{number:09}")
        yield Record(KEY, msgspec.json.encode(event), offset, time)
        offset += 1


def largest_state(run: BucketRun, records: list[Record], batch: int = 1000) -> int:
    """Feed it all; the most bytes that the state had after a batch."""
    largest = 0
    for begin in range(0, len(records), batch):
        run.feed(records[begin : begin + batch])
        largest = max(largest, len(run.stored[1]))
        run.events.clear()
    return largest


def test_a_crawler_that_never_stops_keeps_one_full_session_and_the_lateness():
    """A day of one event a second: 5,000 an hour and twenty minutes, then another session."""
    run = BucketRun()
    largest = largest_state(run, list(one_every(SECOND, 24 * 3600)))
    # What is not final: a session that fills, and full ones until their lateness has passed.
    kept = Rules().max_events + (Rules().lateness + Rules().delay) // SECOND + 1000
    assert largest < kept * BYTES_AN_EVENT
    run.feed([watermark(WATERMARK_END, 10**7)])
    sessions = in_order(run.sessions().values())
    assert [s.events for s in sessions] == [5000] * 17 + [1400]
    assert (run.tally.events, run.tally.late, run.tally.cut) == (86_400, 0, 0)


def test_one_visitor_with_more_events_than_a_minute_holds_keeps_as_few():
    """Two thousand a minute for two hours."""
    run = BucketRun()
    largest = largest_state(run, list(one_every(30, 240_000)), batch=5000)
    lateness_minutes = Rules().lateness // MINUTE + 2
    kept = Rules().max_events + lateness_minutes * Rules().max_per_minute + 5000
    assert largest < kept * BYTES_AN_EVENT
    run.feed([watermark(WATERMARK_END, 10**7)])
    assert (run.tally.events, run.tally.cut) == (120_000, 120_000)
    assert {s.events for s in run.sessions().values()} == {5000}


def test_a_session_beyond_a_day_keeps_a_day():
    """Three days, an event every twenty minutes."""
    run = BucketRun()
    largest = largest_state(run, list(one_every(20 * MINUTE, 3 * 72)), batch=200)
    assert largest < (72 + 3) * 2 * BYTES_AN_EVENT
    run.feed([watermark(WATERMARK_END, 10**7)])
    found = [(s.events, s.duration_ms, s.flags) for s in in_order(run.sessions().values())]
    assert found == [(72, 24 * HOUR - 20 * MINUTE, ["cut_length"])] * 3


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_hundred_thousand_events_of_one_event_time_keep_a_minutes_worth(shuffled):
    encoded = [
        msgspec.json.encode(
            msgspec.structs.replace(PLAIN, event_time=START, event_id=f"{number:09}")
        )
        for number in range(100_000)
    ]
    if shuffled:
        random.Random(4).shuffle(encoded)
    records = [Record(KEY, value, offset, START) for offset, value in enumerate(encoded)]
    run = BucketRun()
    assert largest_state(run, records, batch=20_000) < Rules().max_per_minute * BYTES_AN_EVENT
    (session,) = run.sessions().values()
    assert (session.events, session.flags) == (1000, ["thinned"])
    assert (run.tally.events, run.tally.cut) == (1000, 99_000)
    (alone,) = BucketRun().feed([Record(KEY, min(encoded), 0, START)]).sessions()
    assert session.session_id == alone, "the smallest id began it, whenever it came"


def test_visitors_who_left_are_forgotten():
    """A thousand visitors of one event each; an hour and a quarter later nothing is kept."""
    records = [
        Record(
            partition_key("shop", f"v{number}"),
            msgspec.json.encode(
                msgspec.structs.replace(PLAIN, visitor_id=f"v{number}", event_time=START)
            ),
            number,
            START,
        )
        for number in range(1000)
    ]
    run = BucketRun().feed(records)
    assert run.visitors == 1000
    run.feed([watermark(START + 76 * MINUTE, 1000)])
    assert (run.visitors, run.stored[1]) == (0, b"")
