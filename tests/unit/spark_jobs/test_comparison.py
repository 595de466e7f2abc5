"""A recomputation against the history, without Spark: what counts as a difference."""

import random

import msgspec
import pytest

from contracts import SessionUpdate
from spark_jobs.comparison import Comparison, Digest, Found
from tests.support.journey import MINUTE, at
from tests.support.messages import a_session

START = at("2026-03-01 10:00:00")


def session(name: str, minute: int, **fields: object) -> SessionUpdate:
    """A session that starts so many minutes after the period's beginning."""
    begin = START + minute * MINUTE
    plain = {"start": begin, "expires": begin + 30 * MINUTE, "visitor_id": "v"}
    return a_session(name, **(plain | fields))


def compared(found: list[SessionUpdate], kept: list[SessionUpdate], *moving: str) -> Comparison:
    comparison = Comparison().run(
        [Found(one, one.session_id not in moving) for one in newest_first(found)],
        newest_first(kept),
    )
    comparison.resolve([Found(one, one.session_id not in moving) for one in found])
    return comparison


def newest_first(sessions: list[SessionUpdate]) -> list[SessionUpdate]:
    return sorted(sessions, key=lambda one: (one.start, one.session_id), reverse=True)


def kinds(comparison: Comparison) -> dict[str, str]:
    return {one.subject.session_id: one.kind for one in comparison.differences}


def test_two_sides_that_agree_have_no_difference_and_one_digest() -> None:
    both = [session("a", 0), session("b", 0), session("c", 90)]
    later = [msgspec.structs.replace(one, epoch=9, revision=99, status="closed") for one in both]
    comparison = compared(both, later)
    assert (comparison.same, comparison.differences) == (3, [])
    assert str(comparison.found) == str(comparison.kept)


def test_what_is_added_changed_and_gone() -> None:
    found = [session("a", 0, events=7), session("b", 60)]
    kept = [session("a", 0, events=6), session("swallowed", 20)]
    comparison = compared(found, kept)
    assert kinds(comparison) == {"a": "changed", "b": "added", "swallowed": "gone"}
    assert str(comparison.found) != str(comparison.kept)
    changed = next(one for one in comparison.differences if one.kind == "changed")
    assert changed.fields() == [("events", 6, 7)]
    gone = next(one for one in comparison.differences if one.kind == "gone")
    assert gone.found.session_id == "a"


def test_a_session_that_can_still_change_is_left_out_on_both_sides() -> None:
    comparison = compared(
        [session("a", 0), session("b", 60, events=9)],
        [session("a", 0), session("b", 60, events=1), session("in-b", 70)],
        "b",
    )
    assert (comparison.same, comparison.moving, comparison.differences) == (1, 2, [])
    assert str(comparison.found) == str(comparison.kept)


def test_a_session_without_any_event_is_an_orphan() -> None:
    comparison = compared([session("a", 0)], [session("a", 0), session("nowhere", 31)])
    assert [one.session_id for one in comparison.orphans] == ["nowhere"]
    other = session("of another", 10, visitor_id="somebody")
    assert compared([session("a", 0)], [session("a", 0), other]).orphans == [other]


def test_that_a_session_came_from_a_file_is_no_difference() -> None:
    comparison = compared([session("a", 0)], [session("a", 0, flags=["from_file"])])
    assert (comparison.same, comparison.differences) == (1, [])


def test_what_begins_outside_of_the_period_is_left_alone() -> None:
    comparison = compared([session("before", -5), session("in", 5), session("after", 65)], [])
    assert comparison.restrict(START, START + 60 * MINUTE) == 1
    assert kinds(comparison) == {"in": "added"}


def test_a_digest_does_not_depend_on_order_and_forgets_what_is_taken_out() -> None:
    sessions = [session(str(n), n) for n in range(20)]
    digests = [Digest(), Digest()]
    for digest in digests:
        random.Random(1).shuffle(sessions)
        for one in sessions:
            digest.add(one)
    assert str(digests[0]) == str(digests[1])
    extra = session("x", 1)
    digests[0].add(extra)
    assert str(digests[0]) != str(digests[1])
    digests[0].remove(extra)
    assert (str(digests[0]), digests[0].count) == (str(digests[1]), 20)


@pytest.mark.parametrize("seed", range(20))
def test_any_two_sets_are_told_apart_exactly(seed: int) -> None:
    chance = random.Random(seed)
    pool = [session(f"{n:02}", chance.randrange(5) * 100 + n) for n in range(30)]
    found, kept = (chance.sample(pool, chance.randrange(31)) for _ in range(2))
    comparison = compared(found, kept)
    ids = ({one.session_id for one in side} for side in (found, kept))
    left, right = ids
    assert comparison.same == len(left & right)
    assert comparison.count("added") == len(left - right)
    assert comparison.count("gone") + len(comparison.orphans) == len(right - left)


def test_what_is_left_out_is_not_in_the_digests_either() -> None:
    """Who is told that both sides agree must see one digest."""
    found = [session("a", 0), session("after", 65)]
    kept = [session("a", 0), session("from a file", 31, flags=["from_file"])]
    comparison = compared(found, kept)
    comparison.restrict(START, START + 60 * MINUTE)
    assert comparison.leave_out(lambda orphan: "from_file" in orphan.flags) == 1
    assert (comparison.differences, comparison.orphans) == ([], [])
    assert str(comparison.found) == str(comparison.kept)
    assert comparison.found.count == comparison.kept.count == 1
