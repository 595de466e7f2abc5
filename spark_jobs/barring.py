"""Who is erased, as the topic ``erasures`` says: whatever reads old events must leave them out."""

from collections.abc import Iterator
from typing import Any

import msgspec
from kafka import TopicPartition

from contracts import Barred, Erasure
from contracts.erasures import Bar, bars_of
from contracts.kafka import KafkaSettings
from spark_jobs.parse import Valid
from spark_jobs.positions import make_consumer

ROLE = "erasures"
POLL_MS = 500


def read_bars(kafka: KafkaSettings) -> tuple[Bar, ...]:
    """All bars that stand now; none where the topic does not exist.

    Raises KafkaError when Kafka does not answer.
    """
    newest: dict[str, Erasure] = {}
    for record in _records(kafka):
        if record.value is not None:
            erasure = msgspec.json.decode(record.value, type=Erasure)
            newest[erasure.erasure_id] = erasure
    return bars_of(newest.values())


def is_barred(valid: Valid, barred: Barred) -> bool:
    """Whether a file's event is an erased visitor's, from before the erasure."""
    return barred.covers(valid.event.site_id, valid.event.visitor_id, valid.time)


def _records(kafka: KafkaSettings) -> Iterator[Any]:
    consumer = make_consumer(kafka)
    try:
        topic = kafka.topic(ROLE)
        parts = [TopicPartition(topic, n) for n in consumer.partitions_for_topic(topic) or ()]
        if not parts:
            return
        consumer.assign(parts)
        consumer.seek_to_beginning(*parts)
        ends = consumer.end_offsets(parts)
        while any(consumer.position(part) < end for part, end in ends.items()):
            for records in consumer.poll(timeout_ms=POLL_MS).values():
                yield from records
    finally:
        consumer.close()
