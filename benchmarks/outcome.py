"""What a run of the job left in the sessions topic."""

import json
from typing import Any

import msgspec
from kafka import KafkaConsumer, TopicPartition

from benchmarks.engines.shared.task import Session, checksum
from contracts.kafka import KafkaSettings

Ends = dict[TopicPartition, int]

READ = {
    *("session_id", "epoch", "revision", "status", "events"),
    *("visitor_id", "entry_page", "exit_page", "geo"),
}
"""What is kept of an update: there may be a million of them."""


class Found(msgspec.Struct, frozen=True):
    """Final sessions, their events, the updates that were read, sessions that never ended.

    ``checksum`` is over the final sessions' visitors, events, pages and countries.
    """

    sessions: int
    events: int
    checksum: int
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
    latest: dict[str, dict[str, Any]] = {}
    updates = 0
    for record in consumer:
        update = {name: value for name, value in json.loads(record.value).items() if name in READ}
        updates += 1
        known = latest.get(update["session_id"])
        if known is None or _version(update) > _version(known):
            latest[update["session_id"]] = update
    consumer.close()
    final = [update for update in latest.values() if update["status"] == "final"]
    merged = sum(1 for update in latest.values() if update["status"] == "merged")
    return Found(
        sessions=len(final),
        events=sum(update["events"] for update in final),
        checksum=checksum(map(_session, final)),
        updates=updates,
        unfinished=len(latest) - len(final) - merged,
    )


def _version(update: dict[str, Any]) -> tuple[int, int, str, int]:
    return update["epoch"], update["revision"], update["status"], update["events"]


def _session(update: dict[str, Any]) -> Session:
    country = (update["geo"] or {}).get("country") or ""
    pages = update["entry_page"], update["exit_page"]
    return update["visitor_id"], update["events"], *pages, country
