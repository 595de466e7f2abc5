"""Single records out of Kafka, by their places."""

import time
from collections.abc import Iterable
from itertools import groupby
from typing import Any, NamedTuple

from kafka import KafkaConsumer, TopicPartition

from api.pipeline.places import RecordPlace
from contracts.kafka import KafkaSettings

PATIENCE_S = 5.0


class Record(NamedTuple):
    """A record as it came."""

    key: bytes | None
    value: bytes | None


def read_records(kafka: KafkaSettings, places: Iterable[RecordPlace]) -> dict[RecordPlace, Record]:
    """Those of the records that Kafka still has. KafkaError when it is away."""
    consumer = KafkaConsumer(
        **kafka.client_options(),
        client_id="clickwake-records",
        group_id=None,
        enable_auto_commit=False,
        allow_auto_create_topics=False,
        bootstrap_timeout_ms=3_000,
        request_timeout_ms=5_000,
        metrics_enabled=False,
    )
    try:
        found: dict[RecordPlace, Record] = {}
        for (topic, number), some in groupby(sorted(places), key=lambda place: place[:2]):
            found |= _of_partition(consumer, TopicPartition(topic, number), list(some))
        return found
    finally:
        consumer.close(autocommit=False, timeout_ms=1_000)


def _of_partition(consumer: Any, part: Any, places: list[RecordPlace]) -> dict[RecordPlace, Record]:
    if part.partition not in (consumer.partitions_for_topic(part.topic) or ()):
        return {}
    first = consumer.beginning_offsets([part])[part]
    end = consumer.end_offsets([part])[part]
    consumer.assign([part])
    found: dict[RecordPlace, Record] = {}
    for place in places:
        if first <= place.offset < end:
            record = _one(consumer, part, place.offset)
            if record is not None:
                found[place] = record
    return found


def _one(consumer: Any, part: Any, offset: int) -> Record | None:
    """None when the log was compacted there, or the broker does not hand it out in time."""
    if consumer.position(part) != offset:
        consumer.seek(part, offset)
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for record in consumer.poll(timeout_ms=500, max_records=1).get(part, ()):
            return Record(record.key, record.value) if record.offset == offset else None
    return None
