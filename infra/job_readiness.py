"""Ask the job-status topic whether the session job that was started works yet."""

import msgspec
from kafka import KafkaConsumer, TopicPartition
from kafka.errors import KafkaError

from contracts import JobStatus
from contracts.kafka import KafkaSettings
from contracts.topics import topic

NEWEST = 5
READ_MS = 1000


def is_job_working(kafka: KafkaSettings, since: int) -> bool:
    """Whether a job that started at or after ``since`` (ms since 1970, UTC) finished a batch.

    Its first word comes earlier, while sessions still have to wait for the first batch; that
    one needs no visitor, because the job's own watermark records fill it. The topic outlives
    the job: what an earlier one said must not count.
    """
    try:
        consumer = KafkaConsumer(
            **kafka.client_options(), request_timeout_ms=5000, bootstrap_timeout_ms=1000
        )
    except (KafkaError, OSError):
        return False
    try:
        return any(is_working(value, since) for value in _newest(consumer, kafka))
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


def is_working(value: bytes | None, since: int) -> bool:
    """Whether a job that started at or after ``since`` says here that it finished a batch."""
    try:
        status = msgspec.json.decode(value or b"", type=JobStatus)
    except msgspec.DecodeError:
        return False
    return status.started >= since and status.batch >= 0
