"""A thread that carries erasures on: asks for them on the topic, and rids the history of who is
erased once the stack has done its part. It goes on where it was, whatever was interrupted."""

import logging
import threading
from collections.abc import Callable

import msgspec
from kafka.errors import KafkaError
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from api.erasures import store
from api.erasures.deleting import Wanted, count_covered, delete_covered, names_of, rewrite_files
from api.erasures.known import Known
from api.erasures.models import ErasureRow
from api.feed import Clock
from api.history.engine import changing
from contracts import Erasure
from contracts.erasures import bars_of, mark_of

log = logging.getLogger(__name__)

EVERY_SECONDS = 30.0
"""How often it looks by itself; who has news for it wakes it."""
AFTER_FAILURE_SECONDS = 2.0

Tell = Callable[[Erasure], None]
Forget = Callable[[set[str]], None]
"""Told the ids of the sessions that are gone: the live view must forget them, too."""


class Eraser(threading.Thread):
    """Carries on what is not finished.

    ``is_ready``: whether the database has its schema, and the topic was read to its end: what is
    known of an erasure must not be told again as news.
    """

    def __init__(
        self,
        engine: Engine,
        known: Known,
        tell: Tell,
        forget: Forget,
        clock: Clock,
        *,
        is_ready: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__(name="clickwake-eraser", daemon=True)
        self._engine = engine
        self._known = known
        self._tell = tell
        self._forget = forget
        self._clock = clock
        self._is_ready = is_ready
        self._news = threading.Event()
        self._stopping = threading.Event()
        self._tidied: set[str] = set()

    def wake(self) -> None:
        """There is something to do."""
        self._news.set()

    def stop(self) -> None:
        """End after what is going on."""
        self._stopping.set()
        self._news.set()

    def run(self) -> None:
        """Until ``stop``. What fails is tried again."""
        while not self._stopping.is_set():
            worked = self._is_ready() and self._try_once()
            self._news.wait(EVERY_SECONDS if worked else AFTER_FAILURE_SECONDS)
            self._news.clear()

    def _try_once(self) -> bool:
        try:
            self.carry_on()
        except (KafkaError, SQLAlchemyError, OSError) as error:
            reason = str(error).partition("\n")[0]
            log.warning("erasures do not go on: %s; trying again", reason)
            return False
        return True

    def carry_on(self) -> None:
        """Do for each erasure what can be done now."""
        with self._engine.connect() as connection:
            rows = store.unfinished(connection)
        for row in rows:
            self._carry_on(row, store.erasure_of(row))

    def _carry_on(self, row: ErasureRow, erasure: Erasure) -> None:
        if erasure.until is None:
            if self._known.phase_of(row.erasure_id) is None:
                self._tell(erasure)
        elif erasure.phase in {"cleaned", "done"}:
            self._clean_history(row, erasure)

    def _clean_history(self, row: ErasureRow, erasure: Erasure) -> None:
        wanted = self._wanted(row, erasure)
        deleted, sessions = delete_covered(self._engine, wanted)
        self._forget(sessions)
        if deleted or row.erasure_id not in self._tidied:
            with changing(self._engine) as connection:
                store.note_deleted(connection, row.erasure_id, deleted)
            # Only now, as the row of the erasure named the visitor, too.
            rewrite_files(self._engine)
            self._tidied.add(row.erasure_id)
        left = count_covered(self._engine, wanted)
        if left or any(erasure.found.values()):
            log.warning("erasure %s is not done: %s are left", row.erasure_id, left or "others")
            return
        done = msgspec.structs.replace(erasure, phase="done")
        if self._known.phase_of(row.erasure_id) != "done":
            self._tell(done)
        with changing(self._engine) as connection:
            store.finish(connection, done, self._clock())
        log.info("erasure %s is done", row.erasure_id)

    def _wanted(self, row: ErasureRow, erasure: Erasure) -> Wanted:
        """With the ids that the request named, and those that only state or topics knew."""
        names = msgspec.json.decode(row.names, type=list[str]) if row.names else []
        known = {mark_of(erasure.key, row.site_id, name) for name in names}
        others = set(erasure.marks) - known
        if others:
            with self._engine.connect() as connection:
                names += names_of(connection, row.site_id, others, erasure.key)
        return Wanted(row.site_id, bars_of([erasure]), names)
