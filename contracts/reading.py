"""Reading a topic from its beginning to what is its end now."""

from collections.abc import Iterator
from typing import Any

from kafka import TopicPartition

POLL_MS = 500


def whole_topic(consumer: Any, topic: str) -> Iterator[Any]:
    """Its records as they stand, none where the topic does not exist; then the consumer is closed.

    Raises KafkaError when Kafka does not answer.
    """
    try:
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
