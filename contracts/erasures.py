"""Erased visitors: what is told of an erasure, and who is barred from coming back. Pure."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Annotated, Literal

from msgspec import Meta, Struct

from contracts.base import Message
from contracts.events import SiteId
from contracts.outcomes import LateEvent

ErasurePhase = Literal["requested", "cleaning", "cleaned", "done"]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$")]
ErasureKey = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]


class Erasure(Message, frozen=True, kw_only=True):
    """An erasure, as its latest record says; the topic keeps that one for ever.

    ``marks`` are the visitor's ids as keyed hashes (see ``mark_of``), ``key`` their key. Whatever
    happened, or was appended by Kafka, until ``until`` is erased and does not come back; it is
    null while nothing is. ``requested``: the API asks for it; ``cleaning``: the stack's supervisor
    is at work on the job's state, the topics and files; ``cleaned``: it is done with them, and a
    scan counted in ``found`` what is left, by place; ``done``: the history is rid of the visitor,
    too. Times are ms since 1970 UTC.
    """

    erasure_id: Annotated[str, Meta(pattern=r"^[0-9a-f-]{36}$")]
    site_id: SiteId
    phase: ErasurePhase
    key: ErasureKey
    marks: list[Digest]
    requested: int
    until: int | None = None
    found: dict[str, int] = {}


def mark_of(key: str, site_id: str, visitor_id: str) -> str:
    """A visitor's id as 32 hexadecimal digits that say nothing to who lacks id and key.

    BLAKE2b (RFC 7693), keyed with ``key``, which is in hexadecimal.
    """
    text = f"{site_id}/{visitor_id}".encode()
    return blake2b(text, key=bytes.fromhex(key), digest_size=16).hexdigest()


class Bar(Struct, frozen=True):
    """One id that is erased: everything of it until ``until``."""

    key: str
    mark: str
    until: int


class Barred:
    """Which visitors are erased, and until when. Empty, it costs nothing to ask."""

    def __init__(self, bars: Iterable[Bar] = ()) -> None:
        self._until: dict[str, dict[str, int]] = {}
        for bar in bars:
            marks = self._until.setdefault(bar.key, {})
            marks[bar.mark] = max(bar.until, marks.get(bar.mark, bar.until))

    def __bool__(self) -> bool:
        return bool(self._until)

    def until(self, site_id: str, visitor_id: str) -> int | None:
        """Until when the visitor is erased; None for one that is not."""
        found = (marks.get(mark_of(key, site_id, visitor_id)) for key, marks in self._until.items())
        return max((until for until in found if until is not None), default=None)

    def covers(self, site_id: str, visitor_id: str, *times: int) -> bool:
        """Whether what happened at any of these times is erased."""
        until = self.until(site_id, visitor_id) if self._until else None
        return until is not None and min(times) <= until

    def covers_message(self, message: Message) -> bool:
        """Whether a message of the job tells of an erased event, or of a session with one."""
        if not self._until:
            return False
        told = message.event if isinstance(message, LateEvent) else message
        names = [getattr(told, "visitor_id", None), *getattr(told, "other_visitor_ids", ())]
        times = [getattr(told, name, None) for name in ("event_time", "start", "broker_time")]
        known = [time for time in times if time is not None]
        site = getattr(told, "site_id", "")
        return any(name is not None and self.covers(site, name, *known) for name in names)


NOBODY_BARRED = Barred()


def bars_of(erasures: Iterable[Erasure]) -> tuple[Bar, ...]:
    """The bars that erasures put up: those that have begun to erase."""
    return tuple(
        Bar(one.key, mark, one.until)
        for one in erasures
        if one.until is not None
        for mark in one.marks
    )
