"""The topic of erasures: what is asked for, and how far it is."""

from collections.abc import Iterator
from typing import Any

import msgspec
from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from contracts import Erasure
from contracts.kafka import KafkaSettings
from contracts.producers import end_producer

ROLE = "erasures"
POLL_MS = 500
SECONDS = 15.0


def tell(kafka: KafkaSettings, erasure: Erasure) -> None:
    """Kafka has it when this returns. Raises KafkaError otherwise."""
    producer = KafkaProducer(
        **kafka.client_options(), acks="all", max_block_ms=10_000, bootstrap_timeout_ms=10_000
    )
    try:
        key, value = erasure.erasure_id.encode(), msgspec.json.encode(erasure)
        producer.send(kafka.topic(ROLE), key=key, value=value).get(timeout=SECONDS)
    finally:
        end_producer(producer, SECONDS)


class Reader:
    """Follows the topic from its first record. Raises KafkaError while Kafka is away."""

    def __init__(self, kafka: KafkaSettings) -> None:
        options = kafka.client_options()
        self._consumer = KafkaConsumer(**options, group_id=None, bootstrap_timeout_ms=5_000)
        topic = kafka.topic(ROLE)
        self._parts = [
            TopicPartition(topic, n) for n in self._consumer.partitions_for_topic(topic) or ()
        ]
        self._consumer.assign(self._parts)
        if self._parts:
            self._consumer.seek_to_beginning(*self._parts)
        self._newest: dict[str, Erasure] = {}

    def newest(self) -> list[Erasure]:
        """All erasures as the topic says now, the first asked for first."""
        for record in self._records():
            if record.value is not None:
                erasure = msgspec.json.decode(record.value, type=Erasure)
                self._newest[erasure.erasure_id] = erasure
        return sorted(self._newest.values(), key=lambda one: one.erasure_id)

    def close(self) -> None:
        """Let go of the connection."""
        self._consumer.close()

    def _records(self) -> Iterator[Any]:
        ends = self._consumer.end_offsets(self._parts) if self._parts else {}
        while any(self._consumer.position(part) < end for part, end in ends.items()):
            for records in self._consumer.poll(timeout_ms=POLL_MS).values():
                yield from records
