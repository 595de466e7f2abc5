"""The running parts of an API process that erasures need."""

import threading
from functools import partial

from sqlalchemy import Engine

from api.erasures.known import Known
from api.erasures.reader import ROLES, ErasureReader
from api.erasures.telling import tell
from api.erasures.worker import Eraser, Forget
from api.feed import Clock, Feed
from contracts import Erasure
from contracts.kafka import KafkaSettings

SCHEMA_SECONDS = 2.0


class Erasures:
    """Reads the topic and carries erasures on. ``known`` may be asked before and after.

    ``opened`` is set once the database has its schema. ``forget`` must be safe on any thread.
    """

    def __init__(
        self,
        engine: Engine,
        kafka: KafkaSettings,
        clock: Clock,
        opened: threading.Event,
        forget: Forget,
    ) -> None:
        self.known = Known()
        self._opened = opened
        self._forget = forget
        reader = ErasureReader(engine, self.known, self._await_schema, self._taken)
        self._feed = Feed("clickwake-erasures", kafka, ROLES, reader)
        telling = partial(tell, kafka)
        self._eraser = Eraser(engine, self.known, telling, forget, clock, is_ready=self._is_ready)

    def start(self) -> None:
        """Start both threads."""
        self._feed.start()
        self._eraser.start()

    def stop(self) -> list[threading.Thread]:
        """Ask both to end; those to wait for."""
        self._feed.stop()
        self._eraser.stop()
        return [one for one in (self._feed, self._eraser) if one.is_alive()]

    def wake(self) -> None:
        """There is a new erasure."""
        self._eraser.wake()

    def _taken(self, erasure: Erasure) -> None:
        if erasure.until is not None:
            # At once, and in every process: it is one of them that cleans the history.
            self._forget(set())
        self.wake()

    def _is_ready(self) -> bool:
        return self._opened.is_set() and self._feed.state.caught_up

    def _await_schema(self) -> None:
        if not self._opened.wait(SCHEMA_SECONDS):
            raise OSError("the history database is not open yet")
