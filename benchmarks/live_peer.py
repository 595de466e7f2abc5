"""PyFlink in the place of the stack's session job, writing into the same topic."""

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from benchmarks.answer import GAP_MS
from benchmarks.compare.engines import PROGRAMS, chosen
from benchmarks.compare.environments import environment_of, ready, task_folder
from contracts.kafka import KafkaSettings

ENGINES = ("clickwake", "flink")
DELAY_MS = 10_000
START_S = 30
"""PyFlink starts a JVM and then Python workers, and says of neither when it is ready."""


@contextmanager
def standing_still(pid: int) -> Iterator[None]:
    """A process and its children stopped: its supervisor finds it there and lets it be."""
    root = psutil.Process(pid)
    tree = [root, *root.children(recursive=True)]
    for process in tree:
        process.suspend()
    try:
        yield
    finally:
        for process in tree:
            process.resume()


@contextmanager
def flink(kafka_port: int) -> Iterator[psutil.Process]:
    """The running program. What it says is shown when it ends before it is asked to."""
    prepared = ready(*chosen("pyflink-datastream"))
    kafka = KafkaSettings(bootstrap_servers=f"127.0.0.1:{kafka_port}")
    task = {
        "bootstrap": kafka.bootstrap_servers,
        "topic": kafka.topic("requests"),
        "partitions": 2,
        "records": 0,
        "gap_ms": GAP_MS,
        "delay_ms": DELAY_MS,
        "folder": str(task_folder("flink-live")),
        "jars": prepared.jars,
        "state": "heap",
    }
    program = str(PROGRAMS / "flink" / "live.py")
    command = [prepared.command[0], program, json.dumps(task), kafka.topic("sessions")]
    with tempfile.TemporaryFile() as log:
        process = psutil.Popen(command, env=environment_of(prepared), stdout=log, stderr=log)
        try:
            time.sleep(START_S)
            yield process
            if process.poll() is not None:
                log.seek(0)
                raise SystemExit(f"Flink ended: {log.read()[-3000:].decode(errors='replace')}")
        finally:
            _kill(process)


def _kill(process: psutil.Popen) -> None:
    tree = process.children(recursive=True) if process.is_running() else []
    for one in [process, *tree]:
        if one.is_running():
            one.kill()
    process.wait()
