"""Calendars change nothing: a session is cut by elapsed time alone."""

from itertools import permutations

import msgspec
import pytest

from contracts import WATERMARK_END
from tests.support.buckets import BucketRun, in_order
from tests.support.journey import MINUTE, Journey, at, record_of, watermark

MUCH_LATER = at("2030-01-01 00:00:00")


def sessions_of(*times):
    """Of one visitor's views at these times, which may have any offset from UTC."""
    journey = Journey("ann")
    for number in range(len(times)):
        journey.view(f"/{number}")
    events = [
        msgspec.structs.replace(event, event_time=time)
        for event, time in zip(journey.events, times, strict=True)
    ]
    run = BucketRun().feed(record_of(e, i, MUCH_LATER) for i, e in enumerate(events))
    run.feed([watermark(WATERMARK_END, 100)])
    assert not run.dead
    return in_order(run.sessions().values())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2026-01-15T23:45:00Z", "2026-01-16T00:15:00Z"),
        ("2025-12-31T23:45:00Z", "2026-01-01T00:15:00Z"),
        ("2024-02-28T23:45:00Z", "2024-02-29T00:15:00Z"),
        ("2024-02-29T23:45:00Z", "2024-03-01T00:15:00Z"),
        ("2025-02-28T23:45:00Z", "2025-03-01T00:15:00Z"),
        # Berlin's clocks go from 02:00 to 03:00, and half a year later from 03:00 to 02:00.
        ("2026-03-29T01:45:00+01:00", "2026-03-29T03:15:00+02:00"),
        ("2026-10-25T02:45:00+02:00", "2026-10-25T02:15:00+01:00"),
        # New York's do so when it is night there and morning in UTC.
        ("2026-03-08T01:45:00-05:00", "2026-03-08T03:15:00-04:00"),
        ("2026-11-01T01:45:00-04:00", "2026-11-01T01:15:00-05:00"),
    ],
)
def test_one_gap_over_a_border_of_the_calendar_is_one_gap(before, after):
    (session,) = sessions_of(before, after)
    assert (session.events, session.duration_ms) == (2, 30 * MINUTE)
    assert (session.entry_page, session.exit_page) == ("/0", "/1")
    one_more = after.replace(":00+", ":00.001+").replace(":00-", ":00.001-").replace("Z", ".001Z")
    assert [session.events for session in sessions_of(before, one_more)] == [1, 1]


def test_the_hour_that_berlin_has_twice_does_not_mix_two_visits():
    first, second = sessions_of("2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00")
    assert (first.start, second.start) == (at("2026-10-25 00:30:00"), at("2026-10-25 01:30:00"))


def test_a_session_over_midnight_is_one_and_began_the_day_before():
    (session,) = sessions_of(
        "2026-01-15T23:40:00Z", "2026-01-15T23:59:59.999Z", "2026-01-16T00:00:00Z"
    )
    assert (session.start, session.end) == (at("2026-01-15 23:40:00"), at("2026-01-16 00:00:00"))
    assert session.events == 3


@pytest.mark.parametrize("arrival", list(permutations(range(3))))
def test_one_event_time_is_ordered_by_sequence_and_then_by_id(arrival):
    plain = Journey("ann", "2026-01-15 10:00:00").view().events[0]
    ordered = [
        msgspec.structs.replace(plain, path="/first", event_id="z", sequence=1),
        msgspec.structs.replace(plain, path="/second", event_id="a", sequence=2),
        msgspec.structs.replace(plain, path="/third", event_id="b", sequence=2),
    ]
    run = BucketRun()
    for offset, place in enumerate(arrival):
        run.feed([record_of(ordered[place], offset)])
    (session,) = run.sessions().values()
    assert (session.entry_page, session.exit_page, session.duration_ms) == ("/first", "/third", 0)
    alone = BucketRun().feed([record_of(ordered[0], 0)])
    assert session.session_id == next(iter(alone.sessions())), "a function of the first event"
