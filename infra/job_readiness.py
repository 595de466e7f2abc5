"""Ask the job-status topic whether the session job that was started has spoken yet."""

import msgspec
from kafka import KafkaConsumer, TopicPartition
from kafka.errors import KafkaError

from contracts import JobStatus
from contracts.kafka import KafkaSettings
from contracts.topics import topic

NEWEST = 5
READ_MS = 1000


def has_job_spoken(kafka: KafkaSettings, since: int) -> bool:
    """Whether a job that started at or after ``since`` (ms since 1970, UTC) told its status.

    The topic outlives the job: what an earlier one said must not count.
    """
    try:
        consumer = KafkaConsumer(
            **kafka.client_options(), request_timeout_ms=5000, bootstrap_timeout_ms=1000
        )
    except (KafkaError, OSError):
        return False
    try:
        return any(is_from(value, since) for value in _newest(consumer, kafka))
    except (KafkaError, OSError):
        return False
    finally:
        consumer.close()


def _newest(consumer: KafkaConsumer, kafka: KafkaSettings) -> list[bytes]:
    parts = [TopicPartition(kafka.topic("job-status"), n) for n in range(_partitions())]
    consumer.assign(parts)
    for part, end in consumer.end_offsets(parts).items():
        consumer.seek(part, max(0, end - NEWEST))
    polled = consumer.poll(timeout_ms=READ_MS)
    return [record.value for records in polled.values() for record in records]


def _partitions() -> int:
    return topic("job-status").partitions


def is_from(value: bytes | None, since: int) -> bool:
    """Whether the record is the status of a job that started at or after ``since``."""
    try:
        return msgspec.json.decode(value or b"", type=JobStatus).started >= since
    except msgspec.DecodeError:
        return False
