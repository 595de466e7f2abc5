"""The records on the topics that name erased visitors: found by reading Kafka, or its files.

Only the stack's own Kafka has its files rewritten, while it does not run.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from kafka import KafkaConsumer

from contracts import Erasure
from contracts.erasures import mark_of
from contracts.kafka import KafkaSettings
from contracts.naming import NAMING_ROLES, Named, named_in
from contracts.reading import whole_topic
from infra.erasing.segments import entries, without

INDEXES = (".index", ".timeindex")


class Spot(NamedTuple):
    """A segment of a topic with that role."""

    role: str
    file: Path


class Whose:
    """Which of the ids that records name are erased; remembers what it was asked."""

    def __init__(self, erasure: Erasure) -> None:
        self.erasure = erasure
        self._marks = set(erasure.marks)
        self._known: dict[str, str] = {}

    def marks_of(self, named: Named) -> set[str]:
        """The marks of the ids, as far as they can be of the erasure's site."""
        if named.site_id not in {None, self.erasure.site_id}:
            return set()
        return set(map(self._mark, named.visitor_ids))

    def is_erased(self, named: Named) -> bool:
        """Whether one of them is erased."""
        return not self._marks.isdisjoint(self.marks_of(named))

    def _mark(self, visitor_id: str) -> str:
        mark = self._known.get(visitor_id)
        if mark is None:
            if len(self._known) > 500_000:
                self._known.clear()
            mark = mark_of(self.erasure.key, self.erasure.site_id, visitor_id)
            self._known[visitor_id] = mark
        return mark


def segments_of(log_folder: Path) -> list[Spot]:
    """The segments of all topics that may name visitors, under whatever prefix."""
    spots = []
    for folder in sorted(log_folder.glob("*.*-*")):
        role = folder.name.rpartition("-")[0].rpartition(".")[2]
        if role in NAMING_ROLES:
            spots += [Spot(role, file) for file in sorted(folder.glob("*.log"))]
    return spots


def with_joined(erasure: Erasure, spots: Iterable[Spot]) -> Erasure:
    """With the marks of all ids that records join to the erasure's, directly or over others."""
    whose, links = Whose(erasure), set()
    for role, file in spots:
        for one in entries(file.read_bytes()):
            for named in named_in(role, one.key, one.value):
                if len(named.visitor_ids) > 1:
                    links.add(frozenset(whose.marks_of(named)))
    return msgspec.structs.replace(erasure, marks=sorted(joined(set(erasure.marks), links)))


def joined(marks: set[str], links: Iterable[frozenset[str]]) -> set[str]:
    """All marks that links lead to. Pure."""
    grown, links = True, list(links)
    while grown:
        more = {mark for link in links if not marks.isdisjoint(link) for mark in link}
        grown = not more <= marks
        marks = marks | more
    return marks


def rewrite(erasure: Erasure, spots: Iterable[Spot]) -> int:
    """Drop the records that name who is erased; how many. No Kafka may run on these files."""
    whose, dropped = Whose(erasure), 0
    for role, file in spots:
        dropped += _rewrite_one(whose, role, file)
    return dropped


def _rewrite_one(whose: Whose, role: str, file: Path) -> int:
    def names_erased(key: bytes | None, value: bytes | None) -> bool:
        return any(map(whose.is_erased, named_in(role, key, value)))

    cleaned, dropped = without(file.read_bytes(), names_erased)
    if dropped:
        draft = file.with_suffix(".erasing")
        with draft.open("wb") as writer:
            writer.write(cleaned)
            writer.flush()
            os.fsync(writer.fileno())
        # Kafka makes the indexes anew; those of the old file would point into nowhere.
        for suffix in INDEXES:
            file.with_suffix(suffix).unlink(missing_ok=True)
        draft.replace(file)
    return dropped


def scan(erasure: Erasure, kafka: KafkaSettings) -> dict[str, int]:
    """How many records by topic still name who is erased, of the time until then."""
    whose, until = Whose(erasure), erasure.until or 0
    found: dict[str, int] = {}
    for role in sorted(NAMING_ROLES):
        count = sum(_is_left(whose, role, record, until) for record in _records(kafka, role))
        if count:
            found[role] = count
    return found


def _is_left(whose: Whose, role: str, record: Any, until: int) -> bool:
    return any(
        min(record.timestamp, record.timestamp if named.time is None else named.time) <= until
        for named in named_in(role, record.key, record.value)
        if whose.is_erased(named)
    )


def _records(kafka: KafkaSettings, role: str) -> Iterator[Any]:
    consumer = KafkaConsumer(**kafka.client_options(), group_id=None, bootstrap_timeout_ms=10_000)
    return whole_topic(consumer, kafka.topic(role))
