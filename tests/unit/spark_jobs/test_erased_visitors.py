"""Erased visitors in the bucket: what is old stays out, what is new is somebody new."""

import msgspec

from contracts import WATERMARK_END, Barred
from contracts.erasures import Bar, mark_of
from tests.support.buckets import BucketRun, in_order
from tests.support.journey import MINUTE, Journey, at, record_of, watermark

KEY = "0123456789abcdef" * 4
ERASED = at("2026-01-15 11:00:00")


def run_without(*visitors):
    run = BucketRun()
    bars = [Bar(KEY, mark_of(KEY, "shop", visitor), ERASED) for visitor in visitors]
    run.job = msgspec.structs.replace(run.job, barred=Barred(bars))
    return run


def told(run, events, broker_time=None):
    records = [record_of(event, offset, broker_time) for offset, event in enumerate(events)]
    run.feed(records)
    run.feed([watermark(WATERMARK_END, len(records))])
    return [(one.visitor_id, one.events) for one in in_order(run.sessions().values())]


def test_an_erased_visitor_stays_out_and_others_do_not_notice():
    ada, bob = Journey("ada").view().view(after=MINUTE), Journey("bob").view()
    run = run_without("ada")
    assert told(run, [*ada.events, *bob.events]) == [("bob", 1)]
    assert [event.visitor_id for event in run.events] == ["bob"]
    assert (run.tally.requests, run.tally.events, run.tally.erased) == (3, 1, 2)


def test_a_replay_after_the_erasure_brings_nobody_back():
    ada = Journey("ada").view()
    assert told(run_without("ada"), ada.events, broker_time=ERASED + 10 * MINUTE) == []


def test_a_fast_clock_does_not_save_what_came_before_the_erasure():
    early = Journey("ada", "2026-01-15 11:00:30").view()
    assert told(run_without("ada"), early.events, broker_time=ERASED) == []


def test_a_visit_after_the_erasure_is_a_new_start():
    before, after = Journey("ada").view(), Journey("ada", "2026-01-15 11:00:01").view()
    assert told(run_without("ada"), [*before.events, *after.events]) == [("ada", 1)]


def test_a_rotated_id_is_not_linked_to_an_erased_one():
    new = Journey("~3f7.bbbb", "2026-01-15 11:05:00").view().events
    linked = [msgspec.structs.replace(one, previous_visitor_id="~3f7.aaaa") for one in new]
    run = run_without("~3f7.aaaa")
    assert told(run, linked) == [("~3f7.bbbb", 1)]
    assert b"aaaa" not in run.stored[1]
