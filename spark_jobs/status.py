"""What the job tells operators of itself: one JobStatus every few seconds."""

import os
import socket
from contextlib import suppress
from time import time
from typing import Any

import msgspec
from kafka import KafkaProducer
from kafka.errors import KafkaError
from pyspark.sql.streaming import StreamingQuery

from contracts import JobStatus
from contracts.kafka import KafkaSettings
from spark_jobs.clock import make_producer
from spark_jobs.geo import check_databases

LOG_FIELDS: dict[str, int] = {}
"""What each line of the job's log says of when it was: the epoch and the last finished batch."""

REPORT_EVERY_S = 3
GEO_CHECK_EVERY_S = 60


class StatusReporter:
    """Publishes the query's last progress, with what the geo databases are good for."""

    def __init__(
        self, query: StreamingQuery, kafka: KafkaSettings, epoch: int, geo_paths: tuple[str, ...]
    ) -> None:
        self._query = query
        self._topic = kafka.topic("job-status")
        self._epoch = epoch
        self._geo_paths = geo_paths
        self._geo = check_databases(geo_paths)
        self._geo_checked = time()
        self._reported = 0.0
        self._has_worked = False
        self._started = int(time() * 1000)
        self._instance = f"{socket.gethostname()}-{os.getpid()}"

    def records_read(self) -> int:
        """How many records of the request topics there were before where the job reads on."""
        progress = self._query.lastProgress
        return sum(_offsets(progress["sources"][0]["endOffset"]).values()) if progress else 0

    def tick(self, producer: KafkaProducer) -> None:
        """Send a status if the last one is some seconds old, or the first batch is done."""
        progress = self._query.lastProgress
        is_news = progress is not None and not self._has_worked
        if time() - self._reported < REPORT_EVERY_S and not is_news:
            return
        self._reported = time()
        self._has_worked = progress is not None
        if time() - self._geo_checked > GEO_CHECK_EVERY_S:
            self._geo, self._geo_checked = check_databases(self._geo_paths), time()
        status = self._status(progress)
        producer.send(self._topic, key=self._instance.encode(), value=msgspec.json.encode(status))

    def _status(self, progress: Any) -> JobStatus:
        durations = progress["durationMs"] if progress else {}
        if progress:
            LOG_FIELDS["batch"] = progress["batchId"]
        return JobStatus(
            instance=self._instance,
            epoch=self._epoch,
            started=self._started,
            batch=progress["batchId"] if progress else -1,
            rows=progress["numInputRows"] if progress else 0,
            batch_ms=int(durations.get("triggerExecution", 0)),
            behind=behind(progress["sources"][0]) if progress else 0,
            geo_ok=self._geo[0],
            geo_detail=self._geo[1],
            processed_time=int(time() * 1000),
        )


def behind(source: Any) -> int:
    """Records between what the last batch read and what Kafka had by then, of all partitions.

    Spark's own metrics give the worst partition and the average, but not the sum.
    """
    read, there = _offsets(source["endOffset"]), _offsets(source["latestOffset"])
    return sum(max(0, latest - read.get(place, latest)) for place, latest in there.items())


def _offsets(text: str) -> dict[tuple[str, str], int]:
    topics = msgspec.json.decode(text, type=dict[str, dict[str, int]] | None) or {}
    return {(topic, number): n for topic, parts in topics.items() for number, n in parts.items()}


def report_problem(kafka: KafkaSettings, problem: str) -> None:
    """Tell operators why the job ended and what to do; without Kafka the log must do."""
    now = int(time() * 1000)
    status = JobStatus(
        instance=f"{socket.gethostname()}-{os.getpid()}",
        epoch=0,
        started=now,
        batch=-1,
        rows=0,
        batch_ms=0,
        behind=0,
        geo_ok=False,
        geo_detail="unknown: the job does not run",
        processed_time=now,
        problem=problem,
    )
    with suppress(KafkaError):
        producer = make_producer(kafka)
        key = status.instance.encode()
        producer.send(kafka.topic("job-status"), key=key, value=msgspec.json.encode(status))
        producer.close(timeout=5)
