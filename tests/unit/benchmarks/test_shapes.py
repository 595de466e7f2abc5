"""The workloads: always the same, in event-time order, with known answers."""

import numpy as np
import pytest

from benchmarks.shapes import START_MS, Shape
from benchmarks.workload import Answer, Workload, answer, draw, event_of, logged_event

SHAPES: tuple[Shape, ...] = ("even", "zipf", "accesslog")


@pytest.mark.parametrize("shape", SHAPES)
def test_a_workload_is_in_order_and_the_same_each_time(shape: Shape) -> None:
    workload = Workload(12_000, 600, shape=shape)
    visitors, times, _ = draw(workload)
    assert len(visitors) == len(times) == 12_000
    assert times[0] >= START_MS
    assert (np.diff(times) >= 0).all()
    assert all(
        (one == other).all() for one, other in zip(draw(workload), draw(workload), strict=True)
    )


def test_zipf_has_a_visitor_with_far_more_than_its_share() -> None:
    visitors, _, _ = draw(Workload(12_000, 600, shape="zipf"))
    assert np.bincount(visitors).max() > 12_000 / 10


def test_the_access_log_has_the_sessions_that_are_known_of_it() -> None:
    visitors, times, _ = draw(Workload(9_999, 0, shape="accesslog"))
    assert answer(visitors, times) == Answer(events=9_999, sessions=3_052)


def test_each_repetition_of_the_access_log_brings_visitors_of_its_own() -> None:
    visitors, times, _ = draw(Workload(29_997, 0, shape="accesslog"))
    assert answer(visitors, times) == Answer(events=29_997, sessions=3 * 3_052)


def test_an_event_exactly_one_gap_later_joins() -> None:
    gap = 30 * 60_000
    who = np.array([1, 1, 1])
    assert answer(who, np.array([0, gap, 2 * gap])).sessions == 1
    assert answer(who, np.array([0, gap, 2 * gap + 1])).sessions == 2


def test_events_name_the_visitor_that_was_drawn() -> None:
    assert event_of(1, 255, START_MS).visitor_id == f"{255:016x}"
    assert logged_event(1, 255, START_MS, 0).visitor_id == f"{255:016x}"
