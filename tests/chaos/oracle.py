"""Remembers what was sent and acknowledged, and judges what became of it. Pure.

A broken promise is a sentence, with a few of the numbers that it concerns.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from itertools import islice
from threading import Lock
from typing import Any

import msgspec

from contracts import BucketStats, SessionUpdate
from tests.chaos.events import SITE, Message, event_id

SHOWN = 5
UNCOMPARED = {"epoch": 0, "revision": 0, "processed_time": 0, "status": "final"}
"""What tells of the way to a session and not of the session."""

Place = tuple[int, int]
"""(partition, offset) on the request topic."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What the product has: lists, not sets, so that whatever is there twice is seen.

    ``events`` and ``late`` are (site, event_id). ``records`` counts the request topic's records
    that are no watermarks. ``stats`` is every BucketStats of the topic.
    """

    events: list[tuple[str, str]]
    late: list[tuple[str, str]]
    dead: list[Place]
    sessions: list[SessionUpdate]
    stats: list[BucketStats]
    records: int


class Oracle:
    """Thread-safe: acknowledgements arrive on the producer's thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sent: dict[str, Message] = {}
        self._acknowledged: dict[str, Message] = {}
        self._dead: set[Place] = set()
        self._requests: set[str] = set()
        self._owed: set[str] = set()

    def sent(self, message: Message) -> None:
        """It is on its way and may arrive from now on."""
        with self._lock:
            self._sent[event_id(message.number)] = message

    def acknowledged(self, message: Message, place: Place) -> None:
        """Kafka has promised to keep it, at that place."""
        with self._lock:
            self._acknowledged[event_id(message.number)] = message
            if message.fate == "dead":
                self._dead.add(place)

    def answered(self, marker: str) -> None:
        """The site has answered the request that carried this marker."""
        with self._lock:
            self._owed.add(marker)

    def excuse(self, markers: Collection[str]) -> None:
        """Requests that waited in the memory of a site which was killed."""
        with self._lock:
            self._owed -= set(markers)

    def count(self) -> int:
        """Acknowledged so far."""
        return len(self._acknowledged) + len(self._owed)

    def owed(self) -> set[str]:
        """The markers of answered requests that must be in the history."""
        with self._lock:
            return set(self._owed)

    def promised(self, fate: str) -> set[str]:
        """Ids of acknowledged messages that must end up there."""
        with self._lock:
            return {key for key, one in self._acknowledged.items() if one.fate == fate}

    def places(self) -> set[Place]:
        """Where acknowledged garbage stands."""
        with self._lock:
            return set(self._dead)

    def known(self, fate: str) -> set[str]:
        """Ids of everything that was sent and may end up there."""
        with self._lock:
            return {key for key, one in self._sent.items() if one.fate == fate}


def judge(
    oracle: Oracle, found: Found, markers: Collection[str], expected: Iterable[SessionUpdate]
) -> list[str]:
    """Every promise that is broken. ``expected`` is the batch job's result."""
    return [
        *lost(oracle, found, markers),
        *doubled(oracle, found),
        *unbalanced(found),
        *differing(found.sessions, expected),
    ]


def lost(oracle: Oracle, found: Found, markers: Collection[str]) -> list[str]:
    """What was acknowledged and is not where it must be."""
    return [
        *_say("acknowledged but lost", oracle.promised("event") - _ours(found.events)),
        *_say("too old but not listed as late", oracle.promised("late") - _ours(found.late)),
        *_say("garbage without a dead letter", oracle.places() - set(found.dead)),
        *_say("answered by the site but lost", oracle.owed() - set(markers)),
    ]


def doubled(oracle: Oracle, found: Found) -> list[str]:
    """What is there twice, in two places, or from nowhere."""
    events, late = _ours(found.events), _ours(found.late)
    return [
        *_say("events there twice", _repeated(found.events)),
        *_say("dead letters there twice", _repeated(found.dead)),
        *_say("both in time and late", events & late),
        *_say("events that nobody sent", events - oracle.known("event")),
        *_say("late for no reason", late - oracle.known("late")),
        *_say("sessions there twice", _repeated(one.session_id for one in found.sessions)),
    ]


def unbalanced(found: Found) -> list[str]:
    """Where the ledger, the topic and the history do not say the same, to the unit."""
    totals = ledger_of(found.stats)
    accounted = sum(
        totals[name] for name in ("events", "duplicates", "late", "dead_letters", "cut")
    )
    in_sessions = sum(one.events for one in found.sessions if one.status != "merged")
    sums = [
        ("requests in the ledger", totals["requests"], "accounted for", accounted),
        ("requests in the ledger", totals["requests"], "records on the topic", found.records),
        ("events in the ledger", totals["events"], "in the history", len(found.events)),
        ("events in the history", len(found.events), "in its sessions", in_sessions),
        ("dead letters in the ledger", totals["dead_letters"], "in the history", len(found.dead)),
        ("late in the ledger", totals["late"], "in the history", len(found.late)),
    ]
    return [f"{a} {n} but {b} {m}" for a, n, b, m in sums if n != m]


def ledger_of(stats: Iterable[BucketStats]) -> Counter[str]:
    """The newest epoch's columns, each bucket's newest word."""
    newest: dict[tuple[str, int, int], BucketStats] = {}
    for one in stats:
        key = (one.topic, one.partition, one.bucket)
        if key not in newest or _age(one) >= _age(newest[key]):
            newest[key] = one
    epoch = max((one.epoch for one in newest.values()), default=0)
    totals: Counter[str] = Counter()
    for one in newest.values():
        if one.epoch == epoch:
            totals.update(msgspec.structs.asdict(one.tally))
    return totals


def _age(stats: BucketStats) -> tuple[int, int]:
    return stats.epoch, stats.tally.requests


def differing(sessions: Iterable[SessionUpdate], expected: Iterable[SessionUpdate]) -> list[str]:
    """Where the history is not the batch job's result, field by field."""
    have = {one.session_id: one for one in sessions if one.status != "merged"}
    want = {one.session_id: one for one in expected if one.status != "merged"}
    both = have.keys() & want.keys()
    changed = {key: _fields(have[key], want[key]) for key in sorted(both)}
    return [
        *_say("sessions only in the history", have.keys() - want.keys()),
        *_say("sessions only in the batch job's result", want.keys() - have.keys()),
        *_say("sessions still open", [k for k, one in have.items() if one.status == "open"]),
        *_say("sessions that differ", [f"{k} {v}" for k, v in changed.items() if v]),
    ]


def _fields(have: SessionUpdate, want: SessionUpdate) -> str:
    pairs = ((name, getattr(have, name), getattr(want, name)) for name in have.__struct_fields__)
    return ", ".join(
        f"{name}: {a!r} is not {b!r}" for name, a, b in pairs if a != b and name not in UNCOMPARED
    )


def _ours(pairs: Iterable[tuple[str, str]]) -> set[str]:
    return {identifier for site, identifier in pairs if site == SITE}


def _repeated(items: Iterable[Any]) -> list[Any]:
    return [item for item, times in Counter(items).items() if times > 1]


def _say(what: str, items: Collection[Any]) -> list[str]:
    if not items:
        return []
    some = ", ".join(str(item) for item in islice(_sorted(items), SHOWN))
    return [f"{what}: {len(items)} ({some}{', …' if len(items) > SHOWN else ''})"]


def _sorted(items: Collection[Any]) -> list[Any]:
    key: Callable[[Any], Any] = str
    return sorted(items, key=key)
