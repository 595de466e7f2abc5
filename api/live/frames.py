"""What one message to a dashboard holds, and its bytes. No I/O, no clock."""

import heapq
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple, cast

import msgspec

from contracts import SessionUpdate
from contracts.live import LiveCounts, Snapshot, Update

MAX_SESSIONS = 1_000
"""Sessions in a frame. Beyond them the newest by start go first, the rest with the next frame."""


class Told(NamedTuple):
    """A session's state as dashboards are told it: encoded once, for all of them."""

    start: int
    session_id: str
    version: tuple[int, int]
    json: msgspec.Raw


def told(update: SessionUpdate) -> Told:
    """The state, encoded."""
    version = (update.epoch, update.revision)
    json = msgspec.Raw(msgspec.json.encode(update))
    return Told(update.start, update.session_id, version, json)


def newest(sessions: Iterable[Told], limit: int) -> list[Told]:
    """Those that started last, newest first."""
    return heapq.nlargest(limit, sessions, key=lambda item: item[:2])


class Frame:
    """Changes since the frame before. Shared by all dashboards that keep up."""

    def __init__(
        self,
        sessions: dict[str, Told],
        counts: LiveCounts,
        newest_response: int | None,
        server_time: int,
    ) -> None:
        self.sessions = sessions
        self.counts = counts
        self.newest_response = newest_response
        self.server_time = server_time

    def followed_by(self, later: "Frame") -> "Frame":
        """Both as one, for a dashboard that was too slow for the first: the latest state wins."""
        sessions = {**self.sessions, **later.sessions}
        if len(sessions) > MAX_SESSIONS:
            sessions = {item.session_id: item for item in newest(sessions.values(), MAX_SESSIONS)}
        responses = [r for r in (self.newest_response, later.newest_response) if r is not None]
        counts = _joined(self.counts, later.counts)
        return Frame(sessions, counts, max(responses, default=None), later.server_time)

    def message(self, sequence: int) -> bytes:
        """The Update as one connection gets it: only the sequence is its own."""
        return b'{"type":"update","sequence":%d,%b' % (sequence, self._rest)

    @cached_property
    def _rest(self) -> bytes:
        update = Update(
            sequence=0,
            server_time=self.server_time,
            sessions=cast("Any", [item.json for item in self.sessions.values()]),
            counts=self.counts,
            newest_response=self.newest_response,
        )
        return msgspec.json.encode(update).removeprefix(b'{"type":"update","sequence":0,')


def _joined(before: LiveCounts, later: LiveCounts) -> LiveCounts:
    minutes = {one.minute: one for one in (*before.minutes, *later.minutes)}
    newest_last = [minutes[minute] for minute in sorted(minutes)]
    return msgspec.structs.replace(later, minutes=newest_last)


def snapshot(sequence: int, sessions: list[Told], counts: LiveCounts, now: int) -> bytes:
    """The first message of a connection."""
    return msgspec.json.encode(
        Snapshot(
            sequence=sequence,
            server_time=now,
            sessions=cast("Any", [item.json for item in sessions]),
            counts=counts,
        )
    )
