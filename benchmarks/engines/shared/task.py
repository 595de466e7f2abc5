"""What every peer's program is asked, and what it answers. Standard library only: each program
runs in an environment of its own, with this folder on its path.
"""

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zlib import crc32

Progress = list[dict[str, Any]]

Session = tuple[str, int, str, str, str]
"""Visitor, number of events, entry page, exit page, and country, "" where none is looked up."""


@dataclass(frozen=True)
class Task:
    """Sessions of ``topic``: a pause longer than ``gap_ms`` ends one.

    Its entry and exit page are the paths of its first and last event of kind ``page``, of all
    its events when none is, by event_time, then event_id.

    ``records`` counts the topic's records, of which those with a null key are no events.
    ``delay_ms`` is how far an engine's watermark may trail. ``folder`` is empty and for state.
    ``jars`` holds what the engine needs beside its packages; ``state`` says which store to use.
    ``geo`` has the MMDB files when the sessions' countries are asked for.
    """

    bootstrap: str
    topic: str
    partitions: int
    records: int
    gap_ms: int
    delay_ms: int
    folder: str
    jars: str = ""
    state: str = ""
    geo: list[str] = field(default_factory=list)


def task() -> Task:
    """The program's one argument."""
    return Task(**json.loads(sys.argv[1]))


def checksum(sessions: Iterable[Iterable[object]]) -> int:
    """The sum of the sessions' CRC-32s, modulo 2³²: their order does not matter."""
    return sum(crc32("|".join(map(str, one)).encode()) for one in sessions) & 0xFFFFFFFF


def tally(sessions: Iterable[Session]) -> dict[str, int]:
    """What ``report`` says of sessions that are here one by one."""
    rows = list(sessions)
    return {
        "sessions": len(rows),
        "events": sum(row[1] for row in rows),
        "checksum": checksum(rows),
    }


def report(first: float, done: float, found: dict[str, int], **more: object) -> None:
    """Say what was found, as the last line of output.

    ``first`` and ``done`` are seconds since 1970: when the engine began to read, and when the
    last session was known. ``found`` has ``sessions``, their ``events`` and their ``checksum``.
    """
    print("\n" + json.dumps({"first": first, "done": done} | found | more), flush=True)


def spark_times(progress: Progress) -> dict[str, float]:
    """``first``, ``done`` and ``warm_per_s`` out of a streaming query's progress.

    Warm is all but the first batch, which pays for the JIT; absent when there was only one.
    """
    worked = [one for one in progress if one["numInputRows"]]
    times = {"first": _begin(worked[0]), "done": max(_begin(one) + _took(one) for one in progress)}
    later = [one for one in progress if _begin(one) > times["first"]]
    rows = sum(one["numInputRows"] for one in later)
    if rows:
        times["warm_per_s"] = rows / sum(_took(one) for one in later)
    return times


def _begin(one: dict[str, Any]) -> float:
    return datetime.fromisoformat(one["timestamp"].replace("Z", "+00:00")).timestamp()


def _took(one: dict[str, Any]) -> float:
    return float(one["durationMs"]["triggerExecution"]) / 1000
