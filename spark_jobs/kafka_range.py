"""Which records of the request topics a recomputation reads, fixed once at its start."""

import json
from typing import Any

import msgspec
from kafka import KafkaConsumer, TopicPartition

from contracts import WATERMARK_CONTINUED
from contracts.kafka import KafkaSettings
from spark_jobs.processor import CLOCK_ROLES

POLL_MS = 10_000
_CONTINUED = f'{{"watermark":{WATERMARK_CONTINUED},'.encode()


class KafkaRange(msgspec.Struct, frozen=True):
    """Offsets [begin, end) by topic and partition.

    ``edge`` is the broker_time (ms) before which records are missing, since retention deleted
    them or they are on the topics of a former prefix; None when everything is there.
    """

    begin: dict[str, dict[int, int]]
    end: dict[str, dict[int, int]]
    edge: int | None

    def options(self) -> dict[str, str]:
        """For Spark's Kafka source."""
        return {
            "subscribe": ",".join(sorted(self.begin)),
            "startingOffsets": _offsets(self.begin),
            "endingOffsets": _offsets(self.end),
        }


def kafka_range(kafka: KafkaSettings) -> KafkaRange:
    """What the topics hold now. A replay topic whose beginning is deleted is left out.

    Raises KafkaError when Kafka does not answer.
    """
    consumer = KafkaConsumer(**kafka.client_options(), group_id=None, bootstrap_timeout_ms=10_000)
    try:
        return _range(consumer, [kafka.topic(role) for role in CLOCK_ROLES])
    finally:
        consumer.close()


def _range(consumer: KafkaConsumer, topics: list[str]) -> KafkaRange:
    live, *replays = topics
    begin: dict[str, dict[int, int]] = {}
    end: dict[str, dict[int, int]] = {}
    edge: int | None = None
    for topic in topics:
        places = [TopicPartition(topic, n) for n in consumer.partitions_for_topic(topic) or ()]
        first, last = consumer.beginning_offsets(places), consumer.end_offsets(places)
        if topic in replays and any(first[place] > 0 for place in places):
            continue  # its sessions have lost events, and nothing says which
        if topic == live:
            edges = (_edge(consumer, place, last[place]) for place in places)
            edge = max((time for time in edges if time is not None), default=None)
        if places:
            begin[topic] = {place.partition: first[place] for place in places}
            end[topic] = {place.partition: last[place] for place in places}
    return KafkaRange(begin, end, edge)


def _edge(consumer: KafkaConsumer, place: TopicPartition, end: int) -> int | None:
    """broker_time of the oldest record that is left, if there were any before it."""
    consumer.assign([place])
    consumer.seek_to_beginning(place)
    while consumer.position(place) < end:
        for records in consumer.poll(timeout_ms=POLL_MS, max_records=1).values():
            return int(records[0].timestamp) if _has_missing_before(records[0]) else None
    return None


def _has_missing_before(first: Any) -> bool:
    return first.offset > 0 or (first.value or b"").startswith(_CONTINUED)


def _offsets(of: dict[str, dict[int, int]]) -> str:
    return json.dumps({t: {str(p): n for p, n in parts.items()} for t, parts in of.items()})
