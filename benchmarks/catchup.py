"""Catch-up: a full topic through the whole job, all outputs back to Kafka, checkpointed.

``./clickwake bench catchup --events 2000000 --visitors 100000 --buckets 256``
Prints a table; every session is checked against the workload's known answer.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
import psutil

from benchmarks.answer import Answer
from benchmarks.outcome import Ends, found_since, sessions_end
from benchmarks.stack import broker, job_environment
from benchmarks.workload import Workload, produce
from contracts.kafka import KafkaSettings


def measure(kafka: KafkaSettings, buckets: int, batch: int) -> dict[str, float]:
    """One pass of the job over the replay topic, in processes of its own."""
    with tempfile.TemporaryDirectory(prefix="clickwake-bench-job-") as folder:
        environment = job_environment(kafka, Path(folder)) | {
            "CLICKWAKE_JOB_BUCKETS": str(buckets),
            "CLICKWAKE_JOB_MAX_RECORDS_PER_BATCH": str(batch),
        }
        with (Path(folder) / "job.log").open("wb") as log:
            job = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.catchup_job"],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=log,
            )
            peak = _peak_memory(job)
            assert job.stdout is not None
            output = job.stdout.read()
        if job.returncode:
            sys.stderr.write((Path(folder) / "job.log").read_text()[-5000:])
            raise SystemExit("the job failed")
        progress = json.loads(output.splitlines()[-1])
        return rates(progress) | {"memory_mb": round(peak / 1e6)}


def _peak_memory(job: subprocess.Popen[bytes]) -> int:
    """The process tree's largest sum of proportional memory, in bytes, until it ends."""
    peak = 0
    while job.poll() is None:
        total = 0
        try:
            tree = [psutil.Process(job.pid), *psutil.Process(job.pid).children(recursive=True)]
        except psutil.Error:
            break
        for process in tree:
            try:
                total += process.memory_full_info().pss
            except psutil.Error:
                continue
        peak = max(peak, total)
        time.sleep(3)
    job.wait()
    return peak


def rates(progress: list[dict[str, object]]) -> dict[str, float]:
    """Rows a second of all micro-batches, and of all but the first."""
    worked = [p for p in progress if p["numInputRows"]]
    rows = sum(int(str(p["numInputRows"])) for p in worked)
    took = sum(p["durationMs"]["triggerExecution"] for p in worked) / 1000  # type: ignore[index]
    # The first batch pays for JIT and imports; the rest shows what lasts.
    warm = worked[1:] or worked
    warm_rows = sum(int(str(p["numInputRows"])) for p in warm)
    warm_took = sum(p["durationMs"]["triggerExecution"] for p in warm) / 1000  # type: ignore[index]
    return {
        "batches": len(worked),
        "seconds": round(took, 1),
        "per_second": round(rows / took),
        "per_second_warm": round(warm_rows / warm_took),
    }


def check(kafka: KafkaSettings, start: Ends, expected: Answer) -> dict[str, object]:
    """Compare the final sessions with the known answer."""
    found = found_since(kafka, start)
    right = (found.sessions, found.events, found.checksum) == (
        expected.sessions,
        expected.events,
        expected.geo_checksum,
    )
    return msgspec.structs.asdict(found) | {"expected": expected.sessions, "right": right}


def main(events: int, visitors: int, bucket_counts: list[int], batch: int, rounds: int) -> None:
    """Measure each bucket count on the same topic, interleaved, and print a line for each."""
    with broker() as kafka:
        begin, start = time.monotonic(), sessions_end(kafka)
        expected = produce(Workload(events, visitors), kafka, "replay", 2)
        print(f"produced {events} events in {time.monotonic() - begin:.0f} s", flush=True)
        for number in range(rounds):
            for buckets in bucket_counts:
                result = measure(kafka, buckets, batch)
                print(json.dumps({"round": number, "buckets": buckets} | result), flush=True)
        print(json.dumps(check(kafka, start, expected)), flush=True)
