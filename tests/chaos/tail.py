"""Topics read by the suite itself: all of one, or its end as it grows, over any outage."""

import threading
import time
from collections.abc import Callable

import msgspec
from kafka import KafkaConsumer, TopicPartition
from kafka.errors import KafkaError

from contracts.kafka import KafkaSettings

READ_SECONDS = 120.0
OPTIONS = {
    "group_id": None,
    "enable_auto_commit": False,
    "bootstrap_timeout_ms": 5_000,
    "reconnect_backoff_max_ms": 500,
    "metrics_enabled": False,
}


class TopicRecord(msgspec.Struct, frozen=True, gc=False):
    """One record. ``timestamp`` is the broker's, in ms."""

    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None


class ReadError(Exception):
    """The topic could not be read to its end in time: is the broker there?"""


def read_all(kafka: KafkaSettings, role: str) -> list[TopicRecord]:
    """Everything that the topic holds now."""
    consumer = KafkaConsumer(**kafka.client_options(), **OPTIONS)
    try:
        parts = _partitions(consumer, kafka.topic(role))
        ends = consumer.end_offsets(parts)
        consumer.assign(parts)
        consumer.seek_to_beginning(*parts)
        return _until(consumer, ends)
    finally:
        consumer.close(autocommit=False, timeout_ms=1_000)


def _until(consumer: KafkaConsumer, ends: dict[TopicPartition, int]) -> list[TopicRecord]:
    records: list[TopicRecord] = []
    deadline = time.monotonic() + READ_SECONDS
    while any(consumer.position(part) < end for part, end in ends.items()):
        if time.monotonic() > deadline:
            raise ReadError(f"the topics of {ends} could not be read to their end")
        records += _polled(consumer)
    return records


def _polled(consumer: KafkaConsumer) -> list[TopicRecord]:
    found = consumer.poll(timeout_ms=200, max_records=5_000)
    return [
        TopicRecord(one.partition, one.offset, one.timestamp, one.key, one.value)
        for records in found.values()
        for one in records
    ]


def _partitions(consumer: KafkaConsumer, topic: str) -> list[TopicPartition]:
    numbers = consumer.partitions_for_topic(topic)
    if not numbers:
        raise ReadError(f"the topic {topic} does not exist")
    return [TopicPartition(topic, number) for number in sorted(numbers)]


class Tail(threading.Thread):
    """Calls ``take`` with new records as they come, on its own thread, until stopped."""

    def __init__(
        self, kafka: KafkaSettings, role: str, take: Callable[[list[TopicRecord]], None]
    ) -> None:
        super().__init__(name=f"tail-{role}", daemon=True)
        self._kafka, self._role, self._take = kafka, role, take
        self._stopping = threading.Event()
        self._places: dict[TopicPartition, int] = {}

    def stop(self) -> None:
        """Ask the thread to end, and wait a little."""
        self._stopping.set()
        self.join(timeout=5)

    def run(self) -> None:
        """Follow, and connect anew after every failure."""
        while not self._stopping.is_set():
            try:
                self._follow()
            except (KafkaError, ReadError, OSError):
                self._stopping.wait(0.2)

    def _follow(self) -> None:
        consumer = KafkaConsumer(
            **self._kafka.client_options(), **OPTIONS, request_timeout_ms=5_000
        )
        try:
            parts = _partitions(consumer, self._kafka.topic(self._role))
            ends = consumer.end_offsets(parts)
            consumer.assign(parts)
            for part in parts:
                consumer.seek(part, self._places.get(part, ends[part]))
            while not self._stopping.is_set():
                self._take_some(consumer, parts)
        finally:
            consumer.close(autocommit=False, timeout_ms=500)

    def _take_some(self, consumer: KafkaConsumer, parts: list[TopicPartition]) -> None:
        records = _polled(consumer)
        if records:
            self._take(records)
        self._places = {part: consumer.position(part) for part in parts}
