"""What a browser's performance trace says of a page's frames. Pure.

The format is Chromium's trace event format: ``ts`` and ``dur`` are microseconds.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import msgspec

from benchmarks.figures import percentile

CATEGORIES = (
    "disabled-by-default-devtools.timeline.frame",
    "devtools.timeline.frame",
    "devtools.timeline",
    "disabled-by-default-devtools.timeline",
    "blink.user_timing",
    "toplevel",
    "__metadata",
)
BEGIN, END = "clickwake-begin", "clickwake-end"
"""Marks that the page sets around what is measured."""

FRAME_MS = 1000 / 60
LATE_MS = 1.5 * FRAME_MS
"""A frame that comes later than this after the one before has skipped one."""

Event = Mapping[str, Any]


class Frames(msgspec.Struct, frozen=True, kw_only=True):
    """Frames of a page's main thread in a stretch of time, and what it had to do.

    ``per_second`` are main frames, ``skipped`` the share of the display's 60 a second that were
    missed, ``gap_ms`` the percentiles 50, 99 and 100 of the time between frames, ``task_ms`` of
    the time that one task held the thread (those over 1 ms). ``busy`` is a share of one core.
    """

    seconds: float
    per_second: float
    skipped: float
    gap_ms: list[float]
    task_ms: list[float]
    busy: float


def frames_of(events: Iterable[Event]) -> Frames:
    """Of the stretch between the marks. ValueError when the trace does not hold them."""
    known = list(events)
    begin, end, thread = _stretch(known)
    inside = [
        event
        for event in known
        if begin <= event.get("ts", 0) <= end and (event["pid"], event["tid"]) == thread
    ]
    frames = sorted({event["ts"] for event in inside if event["name"] == "FireAnimationFrame"})
    gaps = sorted(
        (after - before) / 1000
        for before, after in pairwise(frames)
        # Further callbacks of the same frame follow at once.
        if after - before > 2000
    )
    tasks = _tasks(inside)
    seconds = (end - begin) / 1e6
    return Frames(
        seconds=round(seconds, 1),
        per_second=round(len(gaps) / seconds, 1),
        skipped=round(sum(round(gap / FRAME_MS) - 1 for gap in gaps if gap > LATE_MS)
                      / (seconds * 60), 4),
        gap_ms=_percentiles(gaps),
        task_ms=_percentiles([task for task in tasks if task > 1]),
        busy=round(sum(tasks) / 1000 / seconds, 3),
    )  # fmt: skip


def _stretch(events: list[Event]) -> tuple[int, int, tuple[int, int]]:
    marks = {
        event["name"]: event
        for event in events
        if event["name"] in (BEGIN, END) and "blink.user_timing" in event["cat"]
    }
    if set(marks) != {BEGIN, END}:
        raise ValueError("the trace lacks the marks of what was measured")
    first = marks[BEGIN]
    return first["ts"], marks[END]["ts"], (first["pid"], first["tid"])


def _tasks(events: Iterable[Event]) -> list[float]:
    """How long each task of the thread took, ms, shortest first."""
    return sorted(
        event["dur"] / 1000 for event in events if event["name"] == "RunTask" and "dur" in event
    )


def _percentiles(ordered: list[float]) -> list[float]:
    return [round(percentile(ordered, share), 1) for share in (0.5, 0.99, 1)]
