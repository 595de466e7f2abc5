"""Which records of the request topics a recomputation reads, fixed once at its start."""

import json
from time import time
from typing import Any

import msgspec
from kafka import KafkaConsumer, TopicPartition

from contracts import WATERMARK_CONTINUED
from contracts.kafka import KafkaSettings
from spark_jobs.checkpoint import Offsets
from spark_jobs.positions import Positions, make_consumer, read_positions
from spark_jobs.processor import CLOCK_ROLES

POLL_MS = 10_000
_CONTINUED = f'{{"watermark":{WATERMARK_CONTINUED},'.encode()


class KafkaRange(msgspec.Struct, frozen=True):
    """Offsets [begin, end) by topic and partition.

    ``edge`` is the broker_time (ms) before which records are missing, since retention deleted
    them or they are on the topics of a former prefix; None when everything is there. ``taken``
    is when the range was taken: what Kafka appended later need not be in it.
    """

    begin: Offsets
    end: Offsets
    edge: int | None
    taken: int

    def options(self) -> dict[str, str]:
        """For Spark's Kafka source."""
        return {
            "subscribe": ",".join(sorted(self.begin)),
            "startingOffsets": json.dumps(self.begin),
            "endingOffsets": json.dumps(self.end),
        }

    def should_hold(self, broker_time: int) -> bool:
        """Whether a record that Kafka appended then must be in the range."""
        return broker_time < self.taken and (self.edge is None or broker_time > self.edge)


def kafka_range(kafka: KafkaSettings) -> KafkaRange:
    """What the topics hold now. A replay topic whose beginning is deleted is left out.

    Raises KafkaError when Kafka does not answer.
    """
    # Before the ends are asked for, so that whatever came earlier is within them.
    taken = int(time() * 1000)
    positions = read_positions(kafka)
    live, *replays = (kafka.topic(role) for role in CLOCK_ROLES)
    # A replay that lost its beginning has sessions without events, and nothing says which.
    whole = (one for one in replays if not any(positions.first.get(one, {}).values()))
    topics = [one for one in (live, *whole) if positions.partitions(one)]
    return KafkaRange(
        begin={topic: positions.first[topic] for topic in topics},
        end={topic: positions.end[topic] for topic in topics},
        edge=_edge(kafka, live, positions),
        taken=taken,
    )


def _edge(kafka: KafkaSettings, topic: str, positions: Positions) -> int | None:
    """broker_time of the oldest records that are left, if there were any before them."""
    consumer = make_consumer(kafka)
    try:
        firsts = (
            _first_record(consumer, TopicPartition(topic, int(partition)), end)
            for partition, end in positions.end.get(topic, {}).items()
        )
        times = [int(one.timestamp) for one in firsts if one and _has_missing_before(one)]
        return max(times, default=None)
    finally:
        consumer.close()


def _first_record(consumer: KafkaConsumer, place: TopicPartition, end: int) -> Any:
    consumer.assign([place])
    consumer.seek_to_beginning(place)
    while consumer.position(place) < end:
        for records in consumer.poll(timeout_ms=POLL_MS, max_records=1).values():
            return records[0]
    return None


def _has_missing_before(first: Any) -> bool:
    return first.offset > 0 or (first.value or b"").startswith(_CONTINUED)
