"""The real session job as a child process, and what it published."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from contracts import WATERMARK_END, WATERMARK_START
from contracts.kafka import KafkaSettings
from contracts.topics import topic
from infra.jars import LOCALFS, SPARK, ensure_jars
from infra.java import find_java
from spark_jobs.clock import Clock, make_producer
from spark_jobs.parse import Record
from tests.support.kafka import CACHE

ROOT = Path(__file__).resolve().parents[2]
MMDB = ROOT / "tests/fixtures/data/maxmind-test/GeoIP2-City-Test.mmdb"

T = TypeVar("T")


class Job:
    """One run of ``python -m spark_jobs.stream``; ``start`` may follow ``kill``."""

    def __init__(self, kafka: KafkaSettings, folder: Path, **settings: str) -> None:
        self.log = folder / "job.log"
        java = find_java()
        chosen = {
            "CHECKPOINT": str(folder / "checkpoint"),
            "JARS": str(ensure_jars(CACHE, java, sets=[SPARK, LOCALFS])),
            "GEO": str(MMDB),
            "BUCKETS": "8",
            "WAKE_SHARES": "2",
        } | {name.upper(): value for name, value in settings.items()}
        self._environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "JAVA_HOME": str(java.home),
            "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap_servers,
            "CLICKWAKE_KAFKA_TOPIC_PREFIX": kafka.topic_prefix,
            **{f"CLICKWAKE_JOB_{name}": value for name, value in chosen.items()},
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; it is busy for some seconds before the first batch."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "spark_jobs.stream"],
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self) -> None:
        """SIGKILL for the driver, its JVM and its Python workers at once."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(60)

    def wait(self) -> int:
        """The exit status of a job that ends by itself."""
        assert self._process is not None
        return self._process.wait(120)


@contextmanager
def running_job(kafka: KafkaSettings, folder: Path, **settings: str) -> Iterator[Job]:
    """A started job that does not outlive the block."""
    job = Job(kafka, folder, **settings)
    job.start()
    try:
        yield job
    finally:
        job.kill()


def produce(kafka: KafkaSettings, role: str, records: list[Record], partition: int = 0) -> None:
    """Append records as they are, to one partition."""
    producer = make_producer(kafka)
    for record in records:
        producer.send(kafka.topic(role), key=record.key, value=record.value, partition=partition)
    producer.flush(timeout=30)
    producer.close()


def replay_records(kafka: KafkaSettings, records: list[Record]) -> None:
    """A replay of its own: start of time, the records, end of time."""
    tell(kafka, WATERMARK_START)
    produce(kafka, "replay", records)
    tell(kafka, WATERMARK_END)


def tell(kafka: KafkaSettings, watermark: int) -> None:
    """A watermark record for all buckets of the replay topic."""
    producer: KafkaProducer = make_producer(kafka)
    Clock(producer, kafka.topic("replay")).tell(watermark, wake_all=True)
    producer.flush(timeout=30)
    producer.close()


class TopicReader:
    """Everything that one topic holds so far, decoded by its contract."""

    def __init__(self, kafka: KafkaSettings, role: str) -> None:
        self._type = topic(role).value
        self._consumer = KafkaConsumer(**kafka.client_options(), group_id=None)
        name = kafka.topic(role)
        partitions = self._consumer.partitions_for_topic(name) or set()
        self._partitions = [TopicPartition(name, number) for number in sorted(partitions)]
        self._consumer.assign(self._partitions)
        self._consumer.seek_to_beginning(*self._partitions)
        self.messages: list[Any] = []

    def read(self) -> list[Any]:
        """All messages up to now, in the order they were read."""
        for records in self._consumer.poll(timeout_ms=200, max_records=5000).values():
            for record in records:
                self.messages.append(msgspec.json.decode(record.value, type=self._type))
        return self.messages

    def read_whole(self) -> list[Any]:
        """All messages up to where the topic ends now."""
        ends = self._consumer.end_offsets(self._partitions)
        while any(self._consumer.position(place) < end for place, end in ends.items()):
            self.read()
        return self.messages

    def close(self) -> None:
        """Let go of the connection."""
        self._consumer.close()


def latest_sessions(updates: list[Any]) -> dict[str, Any]:
    """The highest (epoch, revision) of each session; merged ones left out."""
    latest: dict[str, Any] = {}
    for update in updates:
        known = latest.get(update.session_id)
        if known is None or (update.epoch, update.revision) > (known.epoch, known.revision):
            latest[update.session_id] = update
    return {key: update for key, update in latest.items() if update.status != "merged"}
