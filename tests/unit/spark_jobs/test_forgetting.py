"""A bucket forgets erased visitors under every name, and nothing of anybody else."""

import msgspec

from contracts import WATERMARK_END
from contracts.erasures import mark_of
from spark_jobs.forgetting import Erased, count_in, without
from spark_jobs.packing import unpack
from tests.support.buckets import BucketRun, in_order
from tests.support.journey import MINUTE, Journey, at, record_of, watermark

KEY = "0123456789abcdef" * 4
OLD, NEW, BOB = "~3f7.old", "~3f7.new", "~3f7.bob"


def erased(*names):
    return Erased("shop", KEY, {mark_of(KEY, "shop", name) for name in names})


def two_visitors():
    """One under two names, and Bob, each with an open session."""
    (before,) = Journey(OLD, "2026-01-15 23:50:00").view("/a").events
    (across,) = Journey(NEW, "2026-01-16 00:10:00").view("/b").events
    (bob,) = Journey(BOB, "2026-01-16 00:05:00").view("/c").events
    across = msgspec.structs.replace(across, previous_visitor_id=OLD)
    run = BucketRun()
    run.feed([record_of(one, offset) for offset, one in enumerate((before, across, bob))])
    return run.feed([watermark(at("2026-01-16 00:10:00"), 3)])


def test_a_visitor_goes_under_all_names_though_only_one_was_known():
    whom = erased(NEW)
    stored, gone = without(two_visitors().stored, whom)
    assert gone == 2
    assert set(unpack(stored[1])) == {f"shop/{BOB}"}
    assert whom.marks == erased(OLD, NEW).marks
    assert count_in(stored, whom) == 0


def test_who_stays_goes_on_as_if_nothing_had_happened():
    run, other = two_visitors(), two_visitors()
    run.stored, _ = without(run.stored, erased(OLD))
    run.updates.clear()
    (again,) = Journey(BOB, "2026-01-16 00:15:00").view("/d").events
    for one in (run, other):
        one.feed([record_of(msgspec.structs.replace(again, event_id="again"), 4)])
        one.feed([watermark(WATERMARK_END, 5)])
    (mine,) = in_order(run.sessions().values())
    assert mine in other.sessions().values()
    assert (mine.visitor_id, mine.events, mine.status) == (BOB, 2, "final")
    assert run.tally == other.tally


def test_a_bucket_that_knows_nobody_of_them_stays_the_same_bytes():
    stored = two_visitors().stored
    assert without(stored, erased("~3f7.eve")) == (stored, 0)
    other_site = Erased("blog", KEY, {mark_of(KEY, "blog", OLD)})
    assert without(stored, other_site) == (stored, 0)


def test_the_next_deadline_is_that_of_who_stays():
    run = two_visitors()
    stored, _ = without(run.stored, erased(OLD))
    run.stored = stored
    run.updates.clear()
    run.feed([watermark(at("2026-01-16 00:35:00") + MINUTE, 4)])
    assert [(one.visitor_id, one.status) for one in run.updates] == [(BOB, "closed")]
