"""What is late and what still joins, with literal times, whatever the batches."""

import pytest

from contracts import WATERMARK_END
from tests.support.buckets import BucketRun, in_order
from tests.support.journey import MINUTE, SECOND, Journey, at, record_of, watermark

BATCHINGS = pytest.mark.parametrize("sizes", [[], [1] * 9, [2, 2], [3, 1]])


def view(time, name):
    return Journey("ann", f"2026-01-15 {time}").view(f"/{name}", event_id=name).events[0]


def story(*steps):
    """``("10:00:00", "a")`` is an event, ``"10:30:00"`` what the topic's clock says."""
    return [
        watermark(at(f"2026-01-15 {step}"), offset, broker_time=at("2026-01-16 00:00:00"))
        if isinstance(step, str)
        else record_of(view(*step), offset, broker_time=at("2026-01-16 00:00:00"))
        for offset, step in enumerate(steps)
    ]


def ended(sizes, *steps):
    records = [*story(*steps), watermark(WATERMARK_END, 1000)]
    return BucketRun().feed_in(records, sizes)


def pages(run):
    sessions = in_order(run.sessions().values())
    return [(session.entry_page, session.exit_page, session.events) for session in sessions]


def late(run):
    return [each.event.event_id for each in run.late]


@BATCHINGS
def test_an_event_of_a_forgotten_visitor_is_late_as_if_it_were_remembered(sizes):
    """At 11:18:10 everything of a is forgotten if a batch ends there, else it is still known."""
    run = ended(sizes, ("10:00:00", "a"), "11:18:10", ("10:35:00", "b"), ("10:20:00", "x"))
    assert late(run) == ["x"]
    assert pages(run) == [("/a", "/a", 1), ("/b", "/b", 1)]


@BATCHINGS
def test_an_old_event_joins_a_session_that_lasts_on_but_begins_none_before_it(sizes):
    """At 11:30:00 silence since 10:44:50 is final; the session from 10:50:00 to now is not."""
    steps = [("10:50:00", "a"), ("11:15:00", "b"), ("11:30:00", "c"), "12:00:00"]
    inside, before = ("10:51:00", "in"), ("10:40:00", "before")
    run = ended(sizes, *steps, inside, before)
    assert late(run) == ["before"]
    assert pages(run) == [("/a", "/c", 4)]


@BATCHINGS
def test_within_the_lateness_of_its_own_gap_an_event_moves_a_start_back(sizes):
    run = ended(sizes, ("10:50:00", "a"), "11:25:10", ("10:40:00", "before"))
    assert late(run) == []
    assert pages(run) == [("/before", "/a", 2)]


@BATCHINGS
def test_the_last_moment_at_which_an_event_is_not_late(sizes):
    """10:00:00 + 30 min gap + 15 min lateness + 10 s delay."""
    assert late(ended(sizes, "10:45:10", ("10:00:00", "a"))) == []
    assert late(ended(sizes, "10:45:10.001", ("10:00:00", "a"))) == ["a"]


@BATCHINGS
def test_an_event_that_would_bridge_two_sessions_of_which_one_is_final_is_late(sizes):
    steps = [("10:00:00", "a"), ("10:50:00", "c"), "10:45:10.001", ("10:25:00", "bridge")]
    run = ended(sizes, *steps)
    assert late(run) == ["bridge"]
    assert pages(run) == [("/a", "/a", 1), ("/c", "/c", 1)]


@BATCHINGS
def test_a_duplicate_of_what_is_final_is_late_and_counted_once(sizes):
    run = ended(sizes, ("10:00:00", "a"), ("10:00:00", "a"), "10:45:10.001", ("10:00:00", "a"))
    tally = run.tally
    assert (tally.requests, tally.events, tally.duplicates, tally.late) == (3, 1, 1, 1)


def test_a_late_event_says_how_late_and_is_whole():
    run = ended([], ("10:00:00", "a"), "12:00:00", ("10:05:00", "x"))
    (only,) = run.late
    assert (only.reason, only.late_ms) == ("session_final", 115 * MINUTE - 10 * SECOND)
    assert (only.event.path, only.event.geo.city) == ("/x", "London")
    assert only.event.offset == 2
