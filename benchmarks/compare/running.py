"""One engine, one pass over its topic."""

import json
import os
import shutil
from pathlib import Path

import msgspec

from benchmarks.answer import GAP_MS, Answer
from benchmarks.compare.engines import Engine
from benchmarks.compare.environments import Ready, environment_of, task_folder
from benchmarks.compare.measuring import Taken, measured
from benchmarks.compare.results import Round
from benchmarks.engines.shared.task import spark_times
from benchmarks.outcome import found_since, sessions_end
from benchmarks.stack import CACHE, ROOT, geo_files
from contracts.kafka import KafkaSettings

DELAY_MS = 60_000
"""How far peers' watermarks trail: as long as one watermark record of the topic to the next."""


class Topic(msgspec.Struct, frozen=True):
    """A filled topic, how many records it has, and what is in it."""

    kafka: KafkaSettings
    role: str
    partitions: int
    records: int
    answer: Answer


class Place(msgspec.Struct, frozen=True):
    """Where a run's logs go, and how many seconds it may take."""

    logs: Path
    limit: float


def run(engine: Engine, with_: Ready, topic: Topic, number: int, place: Place) -> Round:
    """Its figures, or why it has none."""
    folder = task_folder(engine.name)
    log = place.logs / f"{engine.name}-{number}.log"
    measure = _clickwake if not engine.program else _peer
    try:
        taken, found = measure(engine, with_, topic, folder, log, place.limit)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if taken.timed_out or found is None:
        return Round(engine=engine.name, number=number, failure=_failure(taken, log))
    events, seconds = topic.answer.events, found["done"] - found["first"]
    warm = found.get("warm_per_s")
    return Round(
        engine=engine.name,
        number=number,
        events=events,
        seconds=round(taken.seconds, 2),
        reading_s=round(seconds, 2),
        per_s=round(events / seconds),
        warm_per_s=None if warm is None else round(warm),
        cpu_s=round(taken.cpu_s, 1),
        memory_mb=round(taken.memory_mb),
        sessions_found=int(found["sessions"]),
        events_found=int(found["events"]),
        checksum_found=int(found["checksum"]),
        right=is_right(engine, found, topic.answer),
    )


Figures = dict[str, float]
Found = Figures | None


def is_right(engine: Engine, found: Figures, answer: Answer) -> bool:
    """Whether these are the workload's sessions: with countries where the engine finds them."""
    checksum = answer.geo_checksum if engine.geo else answer.checksum
    known = {"sessions": answer.sessions, "events": answer.events, "checksum": checksum}
    return known.items() <= found.items()


def _peer(
    engine: Engine, with_: Ready, topic: Topic, folder: Path, log: Path, limit: float
) -> tuple[Taken, Found]:
    task = {
        "bootstrap": topic.kafka.bootstrap_servers,
        "topic": topic.kafka.topic(topic.role),
        "partitions": topic.partitions,
        "records": topic.records,
        "gap_ms": GAP_MS,
        "delay_ms": DELAY_MS,
        "folder": str(folder),
        "jars": with_.jars,
        "state": engine.state,
        "geo": geo_files() if engine.geo else [],
    }
    command = [*with_.command, json.dumps(task)]
    taken = measured(command, environment_of(with_), log, limit)
    return taken, None if taken.exit_status else answer_of(log.read_text(errors="replace"))


def _clickwake(
    engine: Engine, with_: Ready, topic: Topic, folder: Path, log: Path, limit: float
) -> tuple[Taken, Found]:
    """The product's own query; its answer is read from the topic it wrote."""
    start = sessions_end(topic.kafka)
    environ = dict(
        os.environ,
        PYTHONPATH=str(ROOT),
        CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS=topic.kafka.bootstrap_servers,
        CLICKWAKE_KAFKA_TOPIC_PREFIX=topic.kafka.topic_prefix,
        CLICKWAKE_JOB_CHECKPOINT=str(folder / "checkpoint"),
        CLICKWAKE_JOB_JARS=str(CACHE / "jars"),
        CLICKWAKE_JOB_GEO=",".join(geo_files()),
        # No peer bounds its sessions.
        CLICKWAKE_JOB_MAX_SESSION_LENGTH="720h",
        CLICKWAKE_JOB_MAX_SESSION_EVENTS="1000000000",
        CLICKWAKE_JOB_MAX_EVENTS_PER_MINUTE="1000000000",
    )
    command = [with_.command[0], "-m", "benchmarks.catchup_job"]
    taken = measured(command, environ, log, limit)
    if taken.exit_status:
        return taken, None
    found = found_since(topic.kafka, start)
    times = spark_times(json.loads(log.read_text().splitlines()[-1]))
    figures = {name: getattr(found, name) for name in ("sessions", "events", "checksum")}
    return taken, times | figures


def answer_of(output: str) -> Found:
    """The program's report. Engines may log to the same output, also after it."""
    for line in reversed(output.splitlines()):
        if line.startswith('{"first"'):
            return dict(json.loads(line))
    return None


def _failure(taken: Taken, log: Path) -> str:
    if taken.timed_out:
        return f"not done after {taken.seconds:.0f} s"
    lines = log.with_suffix(".err").read_text(errors="replace").splitlines()
    telling = [line.strip() for line in lines if "Error" in line or "Exception" in line]
    last = (telling or [line for line in lines if line.strip()] or ["no output"])[-1]
    return f"exit status {taken.exit_status}: {last.strip()[:300]}"
