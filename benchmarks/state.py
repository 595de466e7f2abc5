"""Growing state: catch-up, micro-batches and a restart, with more and more open sessions.

For each number of sessions a topic of its own in a broker of its own: a fixed number of events,
all within a quarter of an hour, so that every visitor's session is open at the end. Then the same
job goes on from its checkpoint, and 200 events a second of those visitors come in.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
from kafka import KafkaProducer

from benchmarks.catchup import rates
from benchmarks.compare.measuring import Taken, measured
from benchmarks.shapes import START_MS
from benchmarks.stack import broker, job_environment
from benchmarks.workload import Workload, event_of, produce
from contracts import WatermarkRecord, partition_key
from contracts.kafka import KafkaSettings

EVENTS = 2_000_000
PER_SECOND = 200
SECONDS = 40
LIMIT = 1_200
HOUR_MS = 3_600_000
PARTITIONS = 2

_encode = msgspec.json.Encoder().encode


def main(sessions: list[int], bucket_counts: list[int], events: int) -> list[dict[str, object]]:
    """A JSON line for each number of sessions with each number of buckets."""
    results = []
    for count in sessions:
        for buckets in bucket_counts:
            result = {"sessions": count, "buckets": buckets} | one(count, buckets, events)
            print(json.dumps(result), flush=True)
            results.append(result)
    return results


def one(sessions: int, buckets: int, events: int) -> dict[str, object]:
    """Fill, restart, trickle."""
    workload = Workload(max(events, 2 * sessions), sessions, hours=0.25, ends=False)
    with broker(PARTITIONS) as kafka, tempfile.TemporaryDirectory() as folder:
        produce(workload, kafka, "replay", PARTITIONS)
        environ = job_environment(kafka, Path(folder)) | {"CLICKWAKE_JOB_BUCKETS": str(buckets)}
        filled, progress = _run([], environ, Path(folder) / "fill.log")
        found: dict[str, object] = {
            "catch_up_per_s": rates(progress)["per_second"],
            "catch_up_warm_per_s": rates(progress)["per_second_warm"],
            "memory_mb": round(filled.memory_mb),
            "cpu_s": round(filled.cpu_s),
            "state_mb": _size(Path(folder) / "checkpoint" / "state"),
        }
        return found | _trickle(kafka, workload, environ, Path(folder) / "live.log")


def _trickle(
    kafka: KafkaSettings, workload: Workload, environ: dict[str, str], log: Path
) -> dict[str, object]:
    """200 events a second, from the restart on; the first ten batches warm up."""
    stop = threading.Event()
    feeding = threading.Thread(target=_feed, args=(kafka, workload, stop))
    feeding.start()
    begun = time.time()
    try:
        taken, progress = _run([str(SECONDS)], environ, log)
    finally:
        stop.set()
        feeding.join()
    worked = [one for one in progress if one["numInputRows"]]
    times = sorted(one["durationMs"]["triggerExecution"] for one in worked[10:])
    first = datetime.fromisoformat(worked[0]["timestamp"]).timestamp()
    first += worked[0]["durationMs"]["triggerExecution"] / 1000
    return {
        "restart_s": round(first - begun, 1),
        "batches": len(times),
        "batch_p50_ms": median(times),
        "batch_p99_ms": times[int(len(times) * 0.99)],
        "live_memory_mb": round(taken.memory_mb),
    }


def _feed(kafka: KafkaSettings, workload: Workload, stop: threading.Event) -> None:
    """Events of visitors far apart, and a watermark record every two seconds."""
    producer = KafkaProducer(**kafka.client_options(), linger_ms=5)
    topic, number = kafka.topic("replay"), workload.events
    now = START_MS + HOUR_MS // 4
    begun = time.monotonic() - number / PER_SECOND
    while not stop.wait(max(0.0, begun + number / PER_SECOND - time.monotonic())):
        event = event_of(number, number * 7919 % workload.visitors, now + number % 1000)
        key = partition_key(event.site_id, event.visitor_id)
        place = number * 7919 % workload.visitors % PARTITIONS
        producer.send(topic, key=key, value=_encode(event), partition=place)
        if number % (2 * PER_SECOND) == 0:
            for partition in range(PARTITIONS):
                record = WatermarkRecord(watermark=now, turn=number // (2 * PER_SECOND))
                producer.send(topic, value=_encode(record), partition=partition)
        number += 1
    producer.close()


def _run(
    arguments: list[str], environ: dict[str, str], log: Path
) -> tuple[Taken, list[dict[str, Any]]]:
    command = [sys.executable, "-m", "benchmarks.catchup_job", *arguments]
    taken = measured(command, environ, log, LIMIT)
    if taken.exit_status:
        sys.stderr.write(log.with_suffix(".err").read_text()[-3000:])
        raise SystemExit("the job failed")
    return taken, json.loads(log.read_text().splitlines()[-1])


def _size(folder: Path) -> int:
    done = subprocess.run(["du", "-sm", str(folder)], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0])
