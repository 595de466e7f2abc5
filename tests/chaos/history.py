"""What the history and the topics have, read as a stranger would: straight from the files."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from contracts import BucketStats, SessionUpdate
from contracts.kafka import KafkaSettings
from tests.chaos.batch import is_watermark
from tests.chaos.oracle import Found
from tests.chaos.tail import TopicRecord, read_all

PREFIX = "chaos-site-"
"""Begins the marker that a request to the site carries in ``?ref=``."""


def ask(database: Path, question: str) -> list[tuple[Any, ...]]:
    """Rows of a query; none while there is no such database or table yet, or it is locked."""
    if not database.exists():
        return []
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=20)) as opened:
            return opened.execute(question).fetchall()
    except sqlite3.OperationalError:
        return []


def event_ids(database: Path) -> set[str]:
    """The ids of all events in it."""
    return {row[0] for row in ask(database, "SELECT event_id FROM events")}


def markers(database: Path) -> set[str]:
    """What the site's events carry."""
    question = "SELECT json_extract(message, '$.query.ref') FROM events WHERE site_id = 'demo'"
    return {row[0] for row in ask(database, question) if row[0]}


def marker_in(record: TopicRecord) -> str | None:
    """The marker of a site's request on the topic."""
    _, found, rest = (record.value or b"").partition(b'"ref":"' + PREFIX.encode())
    return PREFIX + rest.split(b'"', 1)[0].decode() if found else None


def found_in(database: Path, kafka: KafkaSettings, requests: list[TopicRecord]) -> Found:
    """Everything that the product has to show for these requests."""
    dead = ask(database, 'SELECT partition, "offset" FROM dead_letters')
    sessions = ask(database, "SELECT message FROM sessions")
    return Found(
        events=[(a, b) for a, b in ask(database, "SELECT site_id, event_id FROM events")],
        late=[(a, b) for a, b in ask(database, "SELECT site_id, event_id FROM late_events")],
        dead=[(int(a), int(b)) for a, b in dead],
        sessions=[msgspec.json.decode(row[0], type=SessionUpdate) for row in sessions],
        stats=[
            msgspec.json.decode(record.value, type=BucketStats)
            for record in read_all(kafka, "bucket-stats")
            if record.value
        ],
        records=sum(not is_watermark(record) for record in requests),
    )
