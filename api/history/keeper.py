"""A thread that keeps the history from growing for ever."""

import logging
import threading

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from api.feed import Clock
from api.history.retention import Limits, forget
from api.history.room import give_back

log = logging.getLogger(__name__)

EVERY_SECONDS = 60.0
BREATH_SECONDS = 0.05
"""Between two transactions: the writer comes first."""


class Keeper(threading.Thread):
    """Deletes what is too old and shrinks the file, once a minute and a little at a time."""

    def __init__(self, engine: Engine, limits: Limits, clock: Clock) -> None:
        super().__init__(name="clickwake-keeper", daemon=True)
        self._engine = engine
        self._limits = limits
        self._clock = clock
        self._stopping = threading.Event()

    def stop(self) -> None:
        """End after the transaction that is going on."""
        self._stopping.set()

    def run(self) -> None:
        """Until ``stop``. A database that does not answer is asked again a minute later."""
        while not self._stopping.wait(EVERY_SECONDS):
            try:
                self.forget()
                self.give_back()
            except SQLAlchemyError as error:
                reason = str(error).partition("\n")[0]
                log.warning("tidying the history up was broken off: %s", reason)

    def forget(self) -> int:
        """Delete what is too old now, or as much as there was time for; how many rows."""
        deleted = 0
        for number in forget(self._engine, self._limits, self._clock()):
            deleted += number
            if self._stopping.wait(BREATH_SECONDS if number else 0):
                break
        if deleted:
            log.info("deleted %d old rows from the history", deleted)
        return deleted

    def give_back(self) -> int:
        """Give back to the disk what deletions left, or as much as there was time for; pages."""
        given = 0
        for pages in give_back(self._engine):
            given += pages
            if self._stopping.wait(BREATH_SECONDS if pages else 0):
                break
        if given:
            log.info("the history's file gave %d pages back to the disk", given)
        return given
