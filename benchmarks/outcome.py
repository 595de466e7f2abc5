"""What a run of the job left in the sessions topic."""

import json

import msgspec
from kafka import KafkaConsumer, TopicPartition

from contracts.kafka import KafkaSettings

Ends = dict[TopicPartition, int]


class Found(msgspec.Struct, frozen=True):
    """Final sessions, their events, the updates that were read, sessions that never ended."""

    sessions: int
    events: int
    updates: int
    unfinished: int


def sessions_end(kafka: KafkaSettings) -> Ends:
    """Where the sessions topic ends now: what is written later begins there."""
    consumer = KafkaConsumer(**kafka.client_options())
    topic = kafka.topic("sessions")
    places = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)]
    ends: Ends = consumer.end_offsets(places)
    consumer.close()
    return ends


def found_since(kafka: KafkaSettings, start: Ends) -> Found:
    """The latest update of each session, counted."""
    consumer = KafkaConsumer(
        **kafka.client_options(), group_id=None, consumer_timeout_ms=5_000, max_poll_records=5_000
    )
    consumer.assign(list(start))
    for place, offset in start.items():
        consumer.seek(place, offset)
    latest: dict[str, tuple[int, int, str, int]] = {}
    updates = 0
    for record in consumer:
        update = json.loads(record.value)
        version = (update["epoch"], update["revision"], update["status"], update["events"])
        updates += 1
        if version > latest.get(update["session_id"], (0, 0, "", 0)):
            latest[update["session_id"]] = version
    consumer.close()
    final = [version for version in latest.values() if version[2] == "final"]
    merged = sum(1 for version in latest.values() if version[2] == "merged")
    return Found(
        sessions=len(final),
        events=sum(version[3] for version in final),
        updates=updates,
        unfinished=len(latest) - len(final) - merged,
    )
