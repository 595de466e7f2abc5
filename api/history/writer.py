"""The history writer: what a feed reads ends up in the database, once, whatever happens."""

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from api.decoding import UnreadableError, decode, is_shown
from api.erasures.known import Covers, nobody
from api.feed import Bounds, Clock, Slice, wall_clock
from api.history.engine import SchemaError, migrate
from api.history.meter import WriterMeter
from api.history.rows import Row, row_of
from api.history.setaside import Poison, reason_of
from api.history.store import Batch, Learning, Origin, store, stored_positions
from api.progress import Place

log = logging.getLogger(__name__)

T = TypeVar("T")

ROLES = (
    "events",
    "sessions",
    "dead-letters",
    "late-events",
    "bucket-stats",
    "interceptor-stats",
    "job-status",
)
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0


class StoppedError(Exception):
    """The writer was asked to stop while the database would not take a batch. Nothing is lost:
    the batch's offsets were not stored either."""


class HistoryWriter:
    """A feed's reader that keeps what it is given, but for what is erased.

    ``failure`` is why writing does not work; ``opened`` is set once the schema is up to date.
    """

    def __init__(
        self,
        engine: Engine,
        sites: Collection[str] = (),
        clock: Clock = wall_clock,
        *,
        keeps_revisions: bool = True,
        is_erased: Covers = nobody,
        opened: threading.Event | None = None,
    ) -> None:
        self._engine = engine
        self._sites = sites
        self._clock = clock
        self._keeps_revisions = keeps_revisions
        self._is_erased = is_erased
        self._stopping = threading.Event()
        self.opened = opened or threading.Event()
        self.failure: str | None = "the history database is not open yet"
        self.unreadable = 0
        self.meter = WriterMeter()

    def stop(self) -> None:
        """Give up waiting for the database."""
        self._stopping.set()

    def prepare(self) -> None:
        """Bring the schema up to date, however long the database takes to answer."""
        if not self.opened.is_set():
            self._insist(lambda: migrate(self._engine))
            self.opened.set()

    def begin(self, bounds: Mapping[Place, Bounds]) -> Mapping[Place, int]:
        """Continue each partition where the last stored batch ended, or from its first record."""
        stored = self._insist(self._stored)
        return {place: _begin_at(place, stored.get(place), bounds[place]) for place in bounds}

    def take(self, slices: list[Slice]) -> None:
        """Store the records and their offsets together, again and again until it works."""
        batch = self._batch(slices)
        began = time.monotonic()
        self.unreadable += self._insist(lambda: store(self._engine, batch, self._learning()))
        self.meter.stored(batch.rows, time.monotonic() - began)

    def _learning(self) -> Learning:
        return Learning(self._clock(), self._keeps_revisions)

    def _stored(self) -> dict[Place, int]:
        with self._engine.connect() as connection:
            return stored_positions(connection)

    def _batch(self, slices: list[Slice]) -> Batch:
        rows: dict[str, list[Row]] = defaultdict(list)
        origins: dict[str, list[Origin]] = defaultdict(list)
        unreadable = []
        for piece in slices:
            for record in piece.records:
                try:
                    row = self._row(piece.role, record.value)
                except (UnreadableError, UnicodeDecodeError) as error:
                    unreadable.append(self._unreadable(piece.place, record.offset, error))
                    continue
                if row is not None:
                    rows[piece.role].append(row)
                    origins[piece.role].append(Origin(piece.place, record.offset))
        positions = {piece.place: piece.next_offset for piece in slices}
        return Batch(rows, positions, origins, unreadable)

    def _row(self, role: str, value: bytes | None) -> Row | None:
        if value is None:
            return None  # a tombstone: compaction's business
        message = decode(role, value)
        text = value.decode()
        is_kept = is_shown(message, self._sites) and not self._is_erased(message)
        return row_of(role, message, text) if is_kept else None

    def _unreadable(self, place: Place, offset: int, error: Exception) -> Poison:
        self.unreadable += 1
        log.warning("set aside %s/%d/%d, which breaks its contract: %s", *place, offset, error)
        return Poison(place, offset, reason_of(error))

    def _insist(self, act: Callable[[], T]) -> T:
        pause = _FIRST_PAUSE
        while True:
            try:
                done = act()
            except (SQLAlchemyError, SchemaError, OSError) as error:
                self._failed(error, pause)
            else:
                self._worked()
                return done
            if self._stopping.wait(pause):
                raise StoppedError
            pause = min(_LONGEST_PAUSE, pause * 2)

    def _failed(self, error: Exception, pause: float) -> None:
        reason = reason_of(error)
        self.meter.failures += 1
        if self.failure != reason:
            log.warning("the history database failed: %s; trying again in %.1f s", reason, pause)
        self.failure = reason

    def _worked(self) -> None:
        if self.failure is not None:
            log.info("the history database works")
        self.failure = None


def _begin_at(place: Place, stored: int | None, bounds: Bounds) -> int:
    if stored is None:
        return bounds.begin
    if stored > bounds.end:
        log.warning(
            "%s is a new topic (offset %d is past its end): reading all of it",
            *("/".join(map(str, place)), stored),
        )
        return bounds.begin
    if stored < bounds.begin:
        log.warning(
            "%s: %d records were deleted by retention before they were read",
            *("/".join(map(str, place)), bounds.begin - stored),
        )
        return bounds.begin
    return stored
