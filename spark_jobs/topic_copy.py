"""Copy what a job had not read yet from its request topic to one with other partitions.

Each copied record names its source in a header. In a target partition, those of one source
partition stand in its order, so who begins again knows from the last one what is there already.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from kafka import TopicPartition
from kafka.partitioner.default import murmur2

from contracts import WATERMARK_CONTINUED, WatermarkRecord
from contracts.kafka import KafkaSettings
from spark_jobs.pipeline import WATERMARK_PREFIX
from spark_jobs.positions import make_consumer
from spark_jobs.processor import CLOCK_ROLES
from spark_jobs.sender import Sender

SOURCE_HEADER = "clickwake-source"
ROLE = "requests"
POLL_MS = 500

Told = Callable[[int], None]
"""Told how many records more have been looked at."""
Known = dict[tuple[int, int], int]
"""(source partition, target partition) → the last source offset that has been copied."""


def partition_of(key: bytes | None, source: int, partitions: int) -> int:
    """Where the producers' partitioner puts a key; a record without one stays in its number."""
    if key is None:
        return source % partitions
    return int((murmur2(key) & 0x7FFFFFFF) % partitions)


def begin_topics(kafka: KafkaSettings, partitions: dict[str, int]) -> None:
    """Put a record into every empty partition, so that place 0 is no event's.

    It tells a time before every event, and so nothing; whoever recomputes sessions knows by it
    that earlier records are on other topics. ``partitions`` is by role.
    """
    sender = Sender(kafka)
    value = msgspec.json.encode(WatermarkRecord(watermark=WATERMARK_CONTINUED, turn=0))
    consumer = make_consumer(kafka)
    parts = [
        TopicPartition(kafka.topic(role), number)
        for role in CLOCK_ROLES
        for number in range(partitions[role])
    ]
    for part, end in consumer.end_offsets(parts).items():
        if end == 0:
            sender.send(part.topic, None, value, partition=part.partition)
    sender.finish()
    sender.close()
    consumer.close()


def known_copies(kafka: KafkaSettings, tell: Told = lambda count: None) -> Known:
    """What the topic's headers say has been copied."""
    known: Known = {}
    for record in _records(kafka, {}, None):
        tell(1)
        for name, text in record.headers or ():
            if name == SOURCE_HEADER:
                partition, offset = map(int, text.split(b"/"))
                pair = (partition, record.partition)
                known[pair] = max(offset, known.get(pair, -1))
    return known


def copy(
    source: KafkaSettings,
    target: KafkaSettings,
    start: dict[str, int],
    partitions: int,
    *,
    stop: Callable[[], bool] | None = None,
    tell: Told = lambda count: None,
) -> int:
    """Copy from these offsets to the present end, or on until ``stop``; how many were copied.

    Raises SendError when Kafka does not take one.
    """
    known = known_copies(target)
    sender, topic, copied = Sender(target), target.topic(ROLE), 0
    try:
        for record in _records(source, start, stop):
            tell(1)
            number = partition_of(record.key, record.partition, partitions)
            is_there = record.offset <= known.get((record.partition, number), -1)
            if is_there or is_watermark(record.key, record.value):
                continue
            named = (SOURCE_HEADER, f"{record.partition}/{record.offset}".encode())
            headers = [*(record.headers or ()), named]
            sender.send(topic, record.key, record.value, partition=number, headers=headers)
            copied += 1
        sender.finish()
    finally:
        sender.close()
    return copied


def is_watermark(key: bytes | None, value: bytes | None) -> bool:
    """Whether the job reads the record as time; what looks like it and is not is a dead letter."""
    if key is not None or not (value or b"").startswith(WATERMARK_PREFIX.encode()):
        return False
    try:
        msgspec.json.decode(value or b"", type=WatermarkRecord)
    except msgspec.MsgspecError:
        return False
    return True


def _records(
    kafka: KafkaSettings, start: dict[str, int], stop: Callable[[], bool] | None
) -> Iterator[Any]:
    """All records from ``start`` (by default the first) to the present end, or until ``stop``."""
    consumer = make_consumer(kafka)
    topic = kafka.topic(ROLE)
    parts = [TopicPartition(topic, n) for n in sorted(consumer.partitions_for_topic(topic) or ())]
    consumer.assign(parts)
    first = consumer.beginning_offsets(parts)
    for part in parts:
        consumer.seek(part, max(first[part], start.get(str(part.partition), 0)))
    ends = consumer.end_offsets(parts)
    try:
        while stop is not None or any(consumer.position(part) < ends[part] for part in parts):
            for part, batch in consumer.poll(timeout_ms=POLL_MS).items():
                yield from (one for one in batch if stop is not None or one.offset < ends[part])
            if stop is not None and stop():
                return
    finally:
        consumer.close()
