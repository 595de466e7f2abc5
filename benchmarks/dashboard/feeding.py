"""The crowd in Kafka, as the session job would write it."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
from kafka import KafkaProducer

from benchmarks.dashboard.visitors import Crowd
from contracts.kafka import KafkaSettings

_ENCODE = msgspec.json.Encoder().encode
TICK_S = 0.02


def now_ms() -> int:
    """Wall-clock time, ms since 1970 UTC."""
    return time.time_ns() // 1_000_000


class Feeder:
    """Writes sessions and events to the topics that the API reads."""

    def __init__(self, kafka: KafkaSettings, crowd: Crowd) -> None:
        self._producer = KafkaProducer(**kafka.client_options(), acks=1, linger_ms=0)
        self._sessions, self._events = kafka.topic("sessions"), kafka.topic("events")
        self._crowd = crowd
        self._end = threading.Event()
        self.sent = 0

    def fill(self) -> None:
        """Everyone comes at once."""
        for session in self._crowd.sessions:
            self._producer.send(
                self._sessions, key=session.session_id.encode(), value=_ENCODE(session)
            )
        self._producer.flush(60)

    @contextmanager
    def at_rate(self, rate: float) -> Iterator[None]:
        """So many requests a second, from a thread, until the block ends."""
        self._end.clear()
        thread = threading.Thread(target=self._run, args=(rate,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._end.set()
            thread.join()

    def close(self) -> None:
        """Let go of the connection."""
        self._producer.close()

    def _run(self, rate: float) -> None:
        begun, done = time.monotonic(), 0
        while not self._end.wait(TICK_S):
            due = int((time.monotonic() - begun) * rate)
            for _ in range(due - done):
                self._step()
            done = due

    def _step(self) -> None:
        session, event = self._crowd.step(now_ms())
        key = session.session_id.encode()
        self._producer.send(self._sessions, key=key, value=_ENCODE(session))
        self._producer.send(self._events, key=key, value=_ENCODE(event))
        self.sent += 1
