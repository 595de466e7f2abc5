"""What traffic looks like: who asks for what, and when. Each shape is the same every time."""

import gzip
import re
from datetime import UTC, datetime
from functools import cache
from typing import Literal

import msgspec
import numpy as np

from benchmarks.stack import ROOT

Shape = Literal["even", "zipf", "accesslog"]

START_MS = int(datetime(2026, 1, 5, tzinfo=UTC).timestamp() * 1000)
ACCESS_LOG = ROOT / "tests" / "fixtures" / "data" / "elastic_apache_access.log.gz"
_LINE = re.compile(
    r'(?P<address>\S+) \S+ \S+ \[(?P<time>[^\]]+)\] "(?P<method>[A-Z]+) (?P<path>[^ ?"]*)[^"]*" '
    r'(?P<status>\d{3}) \S+ "(?P<referrer>[^"]*)" "(?P<agent>[^"]*)"'
)

Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Visitor numbers, event_times in ms, and what each asks for; in event-time order."""


class Line(msgspec.Struct, frozen=True):
    """A line of the access log; ``time`` in ms, the visitor by number of address."""

    visitor: int
    time: int
    address: str
    method: str
    path: str
    status: int
    referrer: str | None
    agent: str


def draw(shape: Shape, events: int, visitors: int, seed: int, hours: float) -> Drawn:
    """``events`` of them. The access log brings its own visitors, more with each repetition."""
    if shape == "accesslog":
        return _repeated(events)
    generator = np.random.default_rng(seed)
    visits = max(visitors, events // 6)
    if shape == "zipf":
        weights = 1.0 / np.arange(1, visitors + 1)
        visitor = generator.choice(visitors, visits, p=weights / weights.sum())
    else:
        visitor = generator.integers(0, visitors, visits)
    begin = generator.integers(0, int(hours * 3_600_000), visits)
    owner = generator.integers(0, visits, events)
    offset = generator.exponential(5 * 60_000, events).astype(np.int64)
    time = START_MS + begin[owner] + offset
    order = np.argsort(time, kind="stable")
    return visitor[owner][order], time[order], order


def _repeated(events: int) -> Drawn:
    """The log side by side with itself, each time with other visitors."""
    lines = access_log()
    repetitions = -(-events // len(lines))
    number = np.tile(np.arange(len(lines)), repetitions)[:events]
    repetition = np.repeat(np.arange(repetitions), len(lines))[:events]
    visitor = np.array([line.visitor for line in lines])[number] * repetitions + repetition
    time = np.array([line.time for line in lines])[number]
    order = np.argsort(time, kind="stable")
    return visitor[order], time[order], number[order]


@cache
def access_log() -> tuple[Line, ...]:
    """The lines that parse, moved in time so that the first is at START_MS."""
    with gzip.open(ACCESS_LOG, "rt", encoding="utf-8", errors="replace") as file:
        found = [match for match in map(_LINE.match, file) if match]
    addresses: dict[str, int] = {}
    times = [_milliseconds(match["time"]) for match in found]
    shift = START_MS - min(times)
    return tuple(
        Line(
            visitor=addresses.setdefault(match["address"], len(addresses)),
            time=time + shift,
            address=match["address"],
            method=match["method"],
            path=match["path"] or "/",
            status=int(match["status"]),
            referrer=None if match["referrer"] == "-" else match["referrer"],
            agent=match["agent"],
        )
        for match, time in zip(found, times, strict=True)
    )


def _milliseconds(text: str) -> int:
    return int(datetime.strptime(text, "%d/%b/%Y:%H:%M:%S %z").timestamp() * 1000)
