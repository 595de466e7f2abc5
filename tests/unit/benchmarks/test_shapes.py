"""The workloads: always the same, in event-time order, with known answers."""

import msgspec
import numpy as np
import pytest

from benchmarks.answer import Answer, answer, cut, page
from benchmarks.shapes import START_MS, Shape
from benchmarks.workload import Workload, draw, event_of, logged_event, maker
from contracts import RequestEvent

GAP = 30 * 60_000
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


def answered(workload: Workload) -> Answer:
    drawn = draw(workload)
    visitors, times, _ = drawn
    return answer(visitors, times, maker(workload, drawn))


def test_the_access_log_has_the_sessions_that_are_known_of_it() -> None:
    found = answered(Workload(9_999, 0, shape="accesslog"))
    assert (found.events, found.sessions) == (9_999, 3_052)


def test_each_repetition_of_the_access_log_brings_visitors_of_its_own() -> None:
    found = answered(Workload(29_997, 0, shape="accesslog"))
    assert (found.events, found.sessions) == (29_997, 3 * 3_052)


def test_an_event_exactly_one_gap_later_joins() -> None:
    who = np.array([1, 1, 1])
    assert len(cut(who, np.array([0, GAP, 2 * GAP]))) == 1
    assert len(cut(who, np.array([0, GAP, 2 * GAP + 1]))) == 2


def test_a_session_has_its_visitors_events_in_order_of_time_and_then_of_number() -> None:
    sessions = cut(np.array([2, 1, 2, 1, 1]), np.array([0, 5, 5, 5, 6 + GAP]))
    assert [session.tolist() for session in sessions] == [[1, 3], [4], [0, 2]]


@pytest.mark.parametrize("shape", SHAPES)
def test_ids_of_one_visitor_and_time_are_in_the_order_of_numbers(shape: Shape) -> None:
    workload = Workload(3_000, 20, shape=shape)
    drawn = draw(workload)
    make = maker(workload, drawn)
    events = [make(number) for number in range(3_000)]
    order = sorted(events, key=lambda event: (event.event_time, event.event_id))
    assert [event.event_id for event in events] == [event.event_id for event in order]


def test_an_entry_page_is_the_first_page_or_else_the_first_request() -> None:
    def request(number: int, path: str) -> RequestEvent:
        return msgspec.structs.replace(event_of(number, 1, START_MS), path=path)

    api, first, second = request(5, "/api"), request(6, "/first"), request(7, "/second")
    assert page([api, first, second]) == "/first"
    assert page([api, request(10, "/other")]) == "/api"


def test_events_name_the_visitor_that_was_drawn() -> None:
    assert event_of(1, 255, START_MS).visitor_id == f"{255:016x}"
    assert logged_event(1, 255, START_MS, 0).visitor_id == f"{255:016x}"
