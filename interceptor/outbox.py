"""The bounded queue between the request path and the Kafka thread."""

import threading
from collections import deque

from contracts import RequestEvent


class Outbox:
    """Holds events until Kafka has acknowledged them. Its size bounds waiting and in flight.

    ``put`` never blocks for longer than another thread's few instructions.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._waiting: deque[RequestEvent] = deque()
        self._in_flight: dict[int, RequestEvent] = {}
        self._tickets = 0
        self._lock = threading.Lock()
        self._wake = threading.Event()

    def __len__(self) -> int:
        return len(self._waiting) + len(self._in_flight)

    @property
    def in_flight(self) -> int:
        """How many were taken and are not settled."""
        return len(self._in_flight)

    def put(self, event: RequestEvent) -> bool:
        """Add an event; False when there is no room."""
        with self._lock:
            if len(self) >= self._size:
                return False
            self._waiting.append(event)
        if not self._wake.is_set():
            self._wake.set()
        return True

    def take(self) -> tuple[int, RequestEvent] | None:
        """The oldest waiting event and a ticket for it, now in flight; None when none waits."""
        with self._lock:
            if not self._waiting:
                return None
            event = self._waiting.popleft()
            self._tickets += 1
            self._in_flight[self._tickets] = event
            return self._tickets, event

    def settle(self, ticket: int) -> bool:
        """The event needs no more care. False when it was settled or given back before."""
        with self._lock:
            return self._in_flight.pop(ticket, None) is not None

    def holds(self, ticket: int) -> bool:
        """Whether the event is still in flight."""
        return ticket in self._in_flight

    def give_back(self, ticket: int) -> None:
        """The event could not be sent and waits again."""
        with self._lock:
            event = self._in_flight.pop(ticket, None)
            if event is not None:
                self._waiting.appendleft(event)

    def give_back_all(self) -> None:
        """Everything in flight waits again: its producer is gone.

        Some of it may have reached Kafka; the job drops the copy by its event_id.
        """
        with self._lock:
            self._waiting.extendleft(reversed(self._in_flight.values()))
            self._in_flight.clear()

    def abandon(self) -> int:
        """Forget everything; how much that was."""
        with self._lock:
            number = len(self)
            self._waiting.clear()
            self._in_flight.clear()
        return number

    def wait(self, timeout_s: float) -> None:
        """Sleep until something was put, ``wake`` was called, or the time is over."""
        self._wake.wait(timeout_s)
        self._wake.clear()

    def wake(self) -> None:
        """End a wait early."""
        self._wake.set()
