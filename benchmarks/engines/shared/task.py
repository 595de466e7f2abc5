"""What every peer's program is asked, and what it answers. Standard library only: each program
runs in an environment of its own, with this folder on its path.
"""

import json
import sys
from dataclasses import dataclass
from datetime import datetime
from typing import Any

Progress = list[dict[str, Any]]


@dataclass(frozen=True)
class Task:
    """Sessions of ``topic``: a pause longer than ``gap_ms`` ends one.

    ``records`` counts the topic's records, of which those with a null key are no events.
    ``delay_ms`` is how far an engine's watermark may trail. ``folder`` is empty and for state.
    ``jars`` holds what the engine needs beside its packages; ``state`` says which store to use.
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


def task() -> Task:
    """The program's one argument."""
    return Task(**json.loads(sys.argv[1]))


def report(first: float, done: float, sessions: int, events: int, **more: object) -> None:
    """Say what was found, as the last line of output.

    ``first`` and ``done`` are seconds since 1970: when the engine began to read, and when the
    last session was known.
    """
    found = {"first": first, "done": done, "sessions": sessions, "events": events}
    print("\n" + json.dumps(found | more), flush=True)


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
