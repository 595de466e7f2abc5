"""Events on the disk, in order, until Kafka has acknowledged them."""

import contextlib
import os
import time
from collections import deque
from typing import NamedTuple

import msgspec

from contracts import InterceptorStats
from interceptor.frames import Frame, Record, framed
from interceptor.segments import Appender, Segment, segment_path, segments_in
from interceptor.settings import SpoolSync
from interceptor.spool_folder import FILE_MODE, Folder

STATE = "state.json"
SYNC_EVERY_S = 1.0


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder says of itself: where reading goes on, and its process's counts.

    ``own`` of the counts' spooled events were in this folder. ``closed`` counts are final: an
    heir has made them agree with what it found.
    """

    segment: int
    offset: int
    own: int
    stats: InterceptorStats
    closed: bool = False


class Limits(NamedTuple):
    """``segment_bytes`` is about where a file ends and the next begins."""

    segment_bytes: int
    sync: SpoolSync


class Spool:
    """One folder's segments. For one thread; whatever touches the disk raises OSError.

    Appended records are whole or absent after a crash, at any byte. ``count`` records are
    still to be acknowledged, in ``size`` bytes of files.
    """

    def __init__(self, folder: Folder, limits: Limits) -> None:
        self.folder = folder
        self.state: State | None = None
        self.damaged = 0
        self._limits = limits
        self._segments: deque[Segment] = deque()
        self._ahead: list[Frame] = []
        self._appender: Appender | None = None
        self._number = 0
        self._unsynced = False
        self._next_sync = 0.0

    @classmethod
    def found(cls, folder: Folder, limits: Limits) -> "Spool":
        """Read what a dead process left in its folder."""
        spool = cls(folder, limits)
        spool.state = _read_state(folder)
        begin = (spool.state.segment, spool.state.offset) if spool.state else (1, 0)
        spool._number = begin[0] - 1
        for path in segments_in(folder.path):
            number = Segment(path).number
            if number >= begin[0]:
                read_at = begin[1] if number == begin[0] else 0
                spool._segments.append(Segment.found(path, read_at))
                spool._number = number
        return spool

    @property
    def count(self) -> int:
        """How many records are still to be acknowledged."""
        return sum(segment.count for segment in self._segments)

    @property
    def size(self) -> int:
        """Bytes of the segments."""
        return sum(segment.length for segment in self._segments)

    def append(self, record: Record) -> None:
        """Behind all others."""
        appender = self._appender or self._begin_segment()
        try:
            appender.append(framed(record))
        except OSError:
            self._end_segment()
            raise
        self._unsynced = True
        if appender.segment.length >= self._limits.segment_bytes:
            self._sync()
            self._end_segment()

    def peek(self, limit: int) -> list[Record]:
        """The oldest records, all of one segment; none when none is left.

        What turns out to be unreadable is added to ``damaged``.
        """
        while self._segments:
            self._ahead = self._segments[0].next(limit)
            if self._ahead:
                return [frame.record for frame in self._ahead]
            self._finish_first()
        return []

    def acknowledge(self, number: int) -> None:
        """So many of the records that ``peek`` gave need no more care."""
        if not number:
            return
        first = self._segments[0]
        first.read_at = self._ahead[number - 1].end
        first.count -= number
        del self._ahead[:number]
        if first.count <= 0:
            self._finish_first()

    def commit(self, stats: InterceptorStats, *, closed: bool = False) -> None:
        """After a round of appending or acknowledging: sync as set, and keep state and counts."""
        self.sync_when_due()
        first = self._segments[0] if self._segments else None
        self.state = State(
            segment=first.number if first else self._number + 1,
            offset=first.read_at if first else 0,
            own=self.count,
            stats=stats,
            closed=closed,
        )
        _write_state(self.folder, self.state)

    def sync_when_due(self) -> None:
        """As set; after the last round, too, when nothing more comes."""
        if self._limits.sync == "always" or time.monotonic() >= self._next_sync:
            self._sync()

    def close(self) -> None:
        """Leave it to whoever comes next, as far as the disk allows."""
        with contextlib.suppress(OSError):
            self._sync()
        self._end_segment()
        self.folder.release()

    def remove(self) -> None:
        """Delete it."""
        self._end_segment()
        self.folder.remove()

    def forget(self) -> None:
        """After a fork, in the child: it is the parent's."""
        self._end_segment()
        self.folder.release()

    def _begin_segment(self) -> Appender:
        number = self._number + 1
        self._appender = Appender(Segment(segment_path(self.folder.path, number)))
        self._number = number
        self._segments.append(self._appender.segment)
        if self._limits.sync != "never":
            self.folder.sync()
        return self._appender

    def _end_segment(self) -> None:
        appender, self._appender = self._appender, None
        if appender is not None:
            appender.close()

    def _finish_first(self) -> None:
        first = self._segments.popleft()
        self._ahead = []
        self.damaged += first.count
        if self._appender is not None and self._appender.segment is first:
            self._end_segment()
        first.delete()

    def _sync(self) -> None:
        if self._appender is None or not self._unsynced or self._limits.sync == "never":
            return
        self._next_sync = time.monotonic() + SYNC_EVERY_S
        self._appender.sync()
        self._unsynced = False


def _read_state(folder: Folder) -> State | None:
    try:
        return msgspec.json.decode((folder.path / STATE).read_bytes(), type=State)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def _write_state(folder: Folder, state: State) -> None:
    """In one step, so that a reader finds the old or the new one."""
    new = folder.path / f"{STATE}.new"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with os.fdopen(os.open(new, flags, FILE_MODE), "wb") as file:
        file.write(msgspec.json.encode(state))
    new.replace(folder.path / STATE)
