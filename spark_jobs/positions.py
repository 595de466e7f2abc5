"""Where the request topics begin and end, and where a checkpoint may begin to read them."""

import msgspec
from kafka import KafkaConsumer, TopicPartition

from contracts.instants import start_instant
from contracts.kafka import KafkaSettings
from spark_jobs.checkpoint import Offsets
from spark_jobs.cluster import cluster_of
from spark_jobs.processor import CLOCK_ROLES


class Positions(msgspec.Struct, frozen=True):
    """Of a Kafka cluster's request topics: the first offset still there, and the next to come."""

    cluster: str
    first: Offsets
    end: Offsets

    def partitions(self, topic: str) -> int:
        """How many the topic has; 0 when there is no such topic."""
        return len(self.end.get(topic, {}))


def read_positions(kafka: KafkaSettings) -> Positions:
    """As they are now. Raises KafkaError when Kafka does not answer."""
    consumer = make_consumer(kafka)
    try:
        parts = _parts(consumer, kafka)
        first = _by_topic(consumer.beginning_offsets(parts))
        return Positions(cluster_of(kafka), first, _by_topic(consumer.end_offsets(parts)))
    finally:
        consumer.close()


def resolve(start: str, kafka: KafkaSettings) -> Offsets | None:
    """The offsets at which a new checkpoint begins to read; None for the earliest.

    A time means the first record that Kafka appended at or after it. Raises ContractError
    when ``start`` is none of these, KafkaError when Kafka does not answer.
    """
    instant = start_instant(start)
    if start == "earliest":
        return None
    consumer = make_consumer(kafka)
    try:
        parts = _parts(consumer, kafka)
        offsets = dict(consumer.end_offsets(parts))
        if instant is not None and parts:
            found = consumer.offsets_for_times(dict.fromkeys(parts, max(0, instant)))
            offsets |= {part: one.offset for part, one in found.items() if one is not None}
        return _by_topic(offsets)
    finally:
        consumer.close()


def misfit(offsets: Offsets, positions: Positions) -> str | None:
    """Why a job cannot go on from these offsets, or None when it can."""
    for topic, partitions in offsets.items():
        for partition, offset in partitions.items():
            first = positions.first.get(topic, {}).get(partition)
            if first is None:
                return f"{topic} has no partition {partition}"
            place = f"it goes on at offset {offset} of {topic}/{partition}"
            if offset < first:
                return f"{place}, and Kafka has deleted what stood before {first}"
            if offset > (end := positions.end[topic][partition]):
                return f"{place}, and Kafka has nothing beyond {end}"
    return None


def make_consumer(kafka: KafkaSettings) -> KafkaConsumer:
    """One that belongs to no group and gives up soon when Kafka does not answer."""
    return KafkaConsumer(**kafka.client_options(), group_id=None, bootstrap_timeout_ms=10_000)


def _parts(consumer: KafkaConsumer, kafka: KafkaSettings) -> list[TopicPartition]:
    topics = [kafka.topic(role) for role in CLOCK_ROLES]
    return [
        TopicPartition(topic, number)
        for topic in topics
        for number in sorted(consumer.partitions_for_topic(topic) or ())
    ]


def _by_topic(offsets: dict[TopicPartition, int]) -> Offsets:
    found: Offsets = {}
    for part, offset in offsets.items():
        found.setdefault(part.topic, {})[str(part.partition)] = offset
    return found
