"""What a session and a visitor may cost, by rules that arrival does not change."""

import random

import msgspec
import pytest

from contracts import WATERMARK_END
from spark_jobs.rules import Rules
from tests.support.buckets import BucketRun, in_order
from tests.support.journey import HOUR, MINUTE, SECOND, Journey, at, record_of, watermark

DAY = "2026-01-15"
MUCH_LATER = at("2026-02-01 00:00:00")


def numbered(times, visitor="crawler", first_offset=0):
    """Records of events at these ms after midnight, named by their place."""
    (plain,) = Journey(visitor, f"{DAY} 00:00:00").view().events
    events = [
        msgspec.structs.replace(
            plain, event_time=plain.event_time + time, event_id=f"{number:07}", path=f"/{number}"
        )
        for number, time in enumerate(times, first_offset)
    ]
    return [record_of(e, first_offset + i, MUCH_LATER) for i, e in enumerate(events)]


def from_elsewhere(record, number):
    origin = b'"referrer":"https://%d.example/"' % number
    return msgspec.structs.replace(record, value=record.value.replace(b'"referrer":null', origin))


def told(time, offset):
    return watermark(at(f"{DAY} {time}"), offset, MUCH_LATER)


def ended(run):
    run.feed([watermark(WATERMARK_END, 10**9)])
    return [
        (s.entry_page, s.exit_page, s.events, s.flags) for s in in_order(run.sessions().values())
    ]


def without_the_clock(records):
    return [record for record in records if record.watermark is None]


@pytest.mark.parametrize("sizes", [[], [1] * 9, [3, 1]])
def test_a_full_session_says_so_whether_or_not_the_next_event_comes_before_it_is_final(sizes):
    """Full at 00:00:02, final at 00:15:02; the next event within the gap comes at 00:20:00."""
    rules = Rules(max_events=3)
    records = numbered([0, SECOND, 2 * SECOND])
    records += [told("00:20:00", 3), *numbered([20 * MINUTE], first_offset=4)]
    expected = [("/0", "/2", 3, ["cut_count"]), ("/4", "/4", 1, [])]
    assert ended(BucketRun(rules).feed_in(records, sizes)) == expected
    assert ended(BucketRun(rules).feed(without_the_clock(records))) == expected


@pytest.mark.parametrize("sizes", [[], [1] * 80])
def test_a_day_long_session_says_so_whether_or_not_the_next_event_comes_before_it_is_final(sizes):
    """Ended by its length at 00:00:00, final at 00:15:00; the next event comes at 00:18:00."""
    times = [20 * MINUTE * n for n in range(72)]
    records = [*numbered(times), watermark(at("2026-01-16 00:16:00"), 72, MUCH_LATER)]
    records += numbered([24 * HOUR + 8 * MINUTE], first_offset=73)
    expected = [("/0", "/71", 72, ["cut_length"]), ("/73", "/73", 1, [])]
    assert ended(BucketRun().feed_in(records, sizes)) == expected
    assert ended(BucketRun().feed(without_the_clock(records))) == expected


@pytest.mark.parametrize("sizes", [[], [1] * 9, [5, 1]])
def test_a_minute_is_full_for_later_events_though_its_first_session_is_final(sizes):
    """Three of the minute's four places went to the first session, which is final at 00:15:03."""
    rules = Rules(max_events=3, max_per_minute=4)
    records = [*numbered([SECOND, 2 * SECOND, 3 * SECOND, 4 * SECOND]), told("00:16:00", 4)]
    records += numbered([5 * SECOND], first_offset=5)
    expected = [("/0", "/2", 3, ["cut_count"]), ("/3", "/3", 1, ["thinned"])]
    run = BucketRun(rules).feed_in(records, sizes)
    assert ended(run) == expected
    assert ended(BucketRun(rules).feed(without_the_clock(records))) == expected
    assert (run.tally.events, run.tally.cut, run.tally.late) == (4, 1, 0)


@pytest.mark.parametrize("sizes", [[], [1] * 9])
def test_an_event_of_a_minute_whose_places_are_all_final_is_late(sizes):
    rules = Rules(max_events=3, max_per_minute=3)
    records = [*numbered([SECOND, 2 * SECOND, 3 * SECOND]), told("00:16:00", 3)]
    records += numbered([5 * SECOND], first_offset=4)
    run = BucketRun(rules).feed_in(records, sizes)
    assert ended(run) == [("/0", "/2", 3, ["cut_count"])]
    assert (run.tally.events, run.tally.cut, run.tally.late) == (3, 0, 1)


def test_many_events_of_one_event_time_are_the_same_few_in_any_order():
    """5,000 with one event_time from 5,000 referrers; 100 a minute are kept."""
    rules = Rules(max_per_minute=100)
    records = [from_elsewhere(record, i) for i, record in enumerate(numbered([HOUR] * 5000))]
    shuffled = [*records]
    random.Random(1).shuffle(shuffled)
    again = [msgspec.structs.replace(r, offset=i) for i, r in enumerate(shuffled)]
    for arrival in (records, again):
        run = BucketRun(rules).feed_in(arrival, [1000, 1000, 1000, 1000])
        assert len(run.stored[1]) < 100_000, "5,000 referrers alone would be more than a megabyte"
        (session,) = run.sessions().values()
        assert (session.events, session.flags) == (100, ["thinned"])
        assert (session.entry_page, session.exit_page) == ("/0", "/99")
        assert session.referrer == "https://0.example/"
        assert (run.tally.events, run.tally.cut) == (100, 4900)
