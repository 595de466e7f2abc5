"""Visitors whose ids rotate: a visit under two names is one, whatever comes first."""

from itertools import permutations

import msgspec
import pytest

from contracts import WATERMARK_END
from spark_jobs.rules import Rules
from tests.support.buckets import BucketRun, in_order
from tests.support.journey import MINUTE, Journey, at, record_of, watermark

OLD, NEW, NEXT = "~3f7.aaaa", "~3f7.bbbb", "~3f7.cccc"
MIDNIGHT = "2026-01-16 00:00:00"


def view(name, time, previous=None, path="/"):
    (event,) = Journey(name, f"2026-01-{time}:00").view(path, event_id=f"{name} {time}").events
    return msgspec.structs.replace(event, previous_visitor_id=previous)


def told(events, *more, rules=None):
    """The bucket after one event a batch, then the watermarks."""
    run = BucketRun(rules)
    for offset, event in enumerate(events):
        run.feed([record_of(event, offset)])
    for offset, moment in enumerate(more or (WATERMARK_END,), len(events)):
        run.feed([watermark(moment, offset)])
    return run


def names(run):
    return [
        (each.visitor_id, each.other_visitor_ids, each.events)
        for each in in_order(run.sessions().values())
    ]


BEFORE = view(OLD, "15 23:50")
ACROSS = view(NEW, "16 00:10", OLD)
LATER = view(NEW, "16 00:30", OLD)


@pytest.mark.parametrize("order", [*permutations([BEFORE, ACROSS, LATER])])
def test_a_visit_over_the_rotation_is_one_session_in_any_order(order):
    assert names(told(order)) == [(OLD, [NEW], 3)]


def test_what_was_told_of_the_second_name_is_merged_into_the_first():
    run = told([LATER, BEFORE, ACROSS])
    alone = run.updates[0]
    merged = [each for each in run.updates if each.session_id == alone.session_id][-1]
    assert (alone.status, merged.status) == ("open", "merged")
    assert merged.merged_into in run.sessions()
    assert merged.revision > alone.revision


def test_a_second_visit_after_the_rotation_goes_by_the_new_name_alone():
    assert names(told([BEFORE, view(NEW, "16 00:50", OLD)])) == [(OLD, [], 1), (NEW, [], 1)]


def test_a_visit_may_have_three_names():
    rules = Rules(gap=24 * 60 * MINUTE, max_length=10**9)
    run = told([BEFORE, ACROSS, view(NEXT, "17 00:05", NEW)], rules=rules)
    assert names(run) == [(OLD, [NEW, NEXT], 3)]


def test_strangers_with_the_same_routing_key_stay_apart():
    assert names(told([BEFORE, view("~3f7.dddd", "16 00:10", "~3f7.eeee")])) == [
        (OLD, [], 1),
        ("~3f7.dddd", [], 1),
    ]


def test_an_old_name_that_comes_late_finds_its_visitor():
    """The event under the old name comes last; nothing says any more that both are one."""
    assert names(told([ACROSS, LATER, BEFORE])) == [(OLD, [NEW], 3)]


def test_a_late_event_links_nothing():
    between = view(NEW, "16 00:10", OLD)
    evening = at("2026-01-16 09:00:00")
    run = BucketRun()
    run.feed([record_of(BEFORE, 0), record_of(view(NEW, "16 08:50"), 1)])
    run.feed([watermark(evening, 2)])
    run.feed([record_of(between, 3, evening)])
    run.feed([record_of(view(OLD, "16 09:00"), 4), watermark(WATERMARK_END, 5)])
    assert [each.event.event_id for each in run.late] == [between.event_id]
    assert names(run) == [(OLD, [], 1), (NEW, [], 1), (OLD, [], 1)]


def test_all_names_are_forgotten_together():
    run = told([BEFORE, ACROSS], at("2026-01-16 03:00:00"))
    assert run.visitors == 0


def test_a_forgotten_name_links_nothing_whether_or_not_it_is_still_in_memory():
    """The old name's state is due to be dropped, but the batch has not ended yet."""
    records = [
        record_of(BEFORE, 0),
        record_of(ACROSS, 1),
        watermark(at("2026-01-16 09:00:00"), 2),
        record_of(view(OLD, "16 09:00"), 3),
        record_of(view(NEW, "16 09:05"), 4),
        watermark(WATERMARK_END, 5),
    ]
    whole = BucketRun().feed(records)
    single = BucketRun()
    for record in records:
        single.feed([record])
    assert names(whole) == names(single) == [(OLD, [NEW], 2), (OLD, [], 1), (NEW, [], 1)]
    assert whole.sessions() == single.sessions()


def test_the_bound_of_a_minute_counts_both_names():
    rules = Rules(max_per_minute=2)
    old = [view(OLD, "15 23:59", path=f"/{n}") for n in range(2)]
    old = [msgspec.structs.replace(each, event_id=f"o{n}") for n, each in enumerate(old)]
    new = [view(NEW, "15 23:59", OLD) for _ in range(2)]
    new = [msgspec.structs.replace(each, event_id=f"n{n}") for n, each in enumerate(new)]
    run = told([*old, *new], rules=rules)
    assert (run.tally.events, run.tally.cut) == (2, 2)
    assert names(run) == [(NEW, [], 2)]


def test_a_previous_name_of_another_route_is_no_event():
    run = told([view(NEW, "16 00:10", "~000.aaaa")])
    assert [letter.reason for letter in run.dead] == ["wrong_key"]
    assert "previous_visitor_id" in run.dead[0].detail


def test_names_do_not_grow_without_end(monkeypatch):
    monkeypatch.setattr("spark_jobs.directory.MAX_NAMES", 3)
    chain = [view(f"~3f7.{n}", f"16 00:0{n}", f"~3f7.{n - 1}") for n in range(1, 7)]
    assert [count for _, _, count in names(told(chain))] == [2, 3, 1]
