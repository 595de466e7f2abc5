"""What is read out of a browser's trace."""

from random import Random

import pytest

from benchmarks.dashboard.trace import BEGIN, END, frames_of
from benchmarks.dashboard.visitors import Crowd

PAGE = {"pid": 7, "tid": 1}
OTHER = {"pid": 7, "tid": 2}


def mark(name: str, ts: int) -> dict[str, object]:
    return {"name": name, "cat": "blink.user_timing", "ts": ts, **PAGE}


def frame(ts: int, thread: dict[str, int] = PAGE) -> dict[str, object]:
    return {"name": "FireAnimationFrame", "cat": "devtools.timeline", "ts": ts, **thread}


def task(ts: int, ms: float) -> dict[str, object]:
    return {"name": "RunTask", "cat": "toplevel", "ts": ts, "dur": int(ms * 1000), **PAGE}


def test_a_frame_that_comes_late_has_skipped_others() -> None:
    at = [0, 16_700, 33_400, 100_000, 116_700]
    trace = [mark(BEGIN, 0), *map(frame, at), frame(50_000, OTHER), mark(END, 1_000_000)]
    found = frames_of(trace)
    assert found.per_second == 4
    assert found.gap_ms == [16.7, 66.6, 66.6]
    assert found.skipped == pytest.approx(3 / 60, abs=1e-4)


def test_callbacks_of_one_frame_are_one_frame() -> None:
    trace = [mark(BEGIN, 0), frame(10), frame(400), frame(16_700), mark(END, 1_000_000)]
    assert frames_of(trace).per_second == 1


def test_the_thread_is_as_busy_as_its_tasks_are_long() -> None:
    tasks = [task(100, 8), task(20_000, 40), task(70_000, 0.5), task(2_000_000, 900)]
    found = frames_of([mark(BEGIN, 0), *tasks, mark(END, 1_000_000)])
    assert found.task_ms == [40, 40, 40]
    assert found.busy == 0.049


def test_without_its_marks_a_trace_says_nothing() -> None:
    with pytest.raises(ValueError, match="marks"):
        frames_of([frame(10)])


def test_a_request_makes_its_visitors_session_grow() -> None:
    crowd = Crowd(3, 1_000_000_000, Random(1))
    session, event = crowd.step(1_000_000_500)
    assert len(crowd.sessions) == 3
    assert session in crowd.sessions
    assert (session.revision, session.pages, session.last_seen) == (2, 2, 1_000_000_500)
    assert (event.visitor_id, event.path) == (session.visitor_id, session.exit_page)
