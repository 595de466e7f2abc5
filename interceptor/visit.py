"""One request on its way through the site, whatever the gateway protocol."""

import time
from collections.abc import Callable
from typing import Any

from uuid_utils import uuid7

from interceptor.capture import Outcome, Request
from interceptor.cookie import Offer


class Visit:
    """Times an answer and reports once when it has ended.

    ``status`` is what the application said, None before it said anything. ``event_id`` will be
    the event's (a UUIDv7, RFC 9562); until then it is what the request's log lines carry.
    ``ask_visitor`` is asked at the end who it was, if set; ``offer`` is a cookie that the answer
    could bring.
    """

    __slots__ = (
        "_arrived",
        "_began",
        "_ended",
        "_report",
        "ask_visitor",
        "event_id",
        "offer",
        "request",
        "status",
    )

    def __init__(self, request: Request, report: "Callable[[Visit], None]") -> None:
        self.request = request
        self.event_id = str(uuid7())
        self.status: Any = None
        self.ask_visitor: Callable[[], object] | None = None
        self.offer: Offer | None = None
        self._report: Callable[[Visit], None] | None = report
        self._arrived = time.time_ns() // 1_000_000
        self._began = self._ended = time.perf_counter()

    def fail(self, status: int = 500) -> None:
        """The application raised: unless an answer has begun, ``status`` will be what it was."""
        if self.status is None:
            self.status = status

    def finish(self) -> None:
        """Report the visit unless that is done already."""
        report, self._report = self._report, None
        if report is not None:
            self._ended = time.perf_counter()
            report(self)

    def outcome(self) -> Outcome:
        """How the finished visit went; no answer at all counts as 500.

        Raises when the application's status is no number.
        """
        status = 500 if self.status is None else min(max(self._code(), 100), 599)
        duration_ms = round((self._ended - self._began) * 1000, 3)
        return Outcome(self._arrived, duration_ms, status, self._visitor())

    def _visitor(self) -> object:
        if self.offer is not None:
            return self.offer.value
        return None if self.ask_visitor is None else self.ask_visitor()

    def _code(self) -> int:
        return int(self.status)
