"""A thread that builds the blocks of hours that came to rest, and of a history that has none."""

import logging
import threading

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from api.feed import Clock
from api.history.blocks.building import build, stale_hours

log = logging.getLogger(__name__)

EVERY_SECONDS = 10.0
HOURS = 50
"""Looked for at once."""

BREATH_SECONDS = 0.02
"""Between two transactions: the writer comes first."""


class Builder(threading.Thread):
    """Builds what is missing, every ten seconds and an hour of sessions at a time.

    It goes on where it, or one of another process, has stopped: what is to be done stands in the
    database. Two of them at the same hour: one of both fails, and nothing is lost.
    """

    def __init__(self, engine: Engine, clock: Clock, breath: float = BREATH_SECONDS) -> None:
        super().__init__(name="clickwake-builder", daemon=True)
        self._engine = engine
        self._clock = clock
        self._breath = breath
        self._stopping = threading.Event()

    def stop(self) -> None:
        """End after the hour that is being built."""
        self._stopping.set()

    def run(self) -> None:
        """Until ``stop``. A database that does not answer is asked again ten seconds later."""
        while not self._stopping.wait(EVERY_SECONDS):
            try:
                self.build()
            except SQLAlchemyError as error:
                reason = str(error).partition("\n")[0]
                log.info("blocks for statistics are built later: %s", reason)

    def build(self) -> int:
        """Build all that came to rest, or as much as there was time for; how many hours."""
        number = 0
        while hours := self._found():
            for hour in hours:
                build(self._engine, hour)
                number += 1
                if self._stopping.wait(self._breath):
                    return number
        return number

    def _found(self) -> list[int]:
        with self._engine.connect() as connection:
            return stale_hours(connection, self._clock(), HOURS)
