"""Every request the interceptor saw is in one of its columns."""

import os
import socket
import threading
import time
from collections import Counter

from contracts import InterceptorStats


class Ledger:
    """observed = dropped + sent + lost + queued, at any quiet moment. Safe for threads."""

    def __init__(self, site_id: str) -> None:
        self._site_id = site_id
        self._lock = threading.Lock()
        self._started = time.time_ns() // 1_000_000
        self._instance = f"{socket.gethostname()}-{os.getpid()}-{self._started}"
        self._observed = 0
        self._sent = 0
        self._dropped: Counter[str] = Counter()
        self._lost: Counter[str] = Counter()

    def observed(self) -> None:
        """A request came in."""
        with self._lock:
            self._observed += 1

    def dropped(self, reason: str) -> None:
        """It was chosen not to be logged."""
        with self._lock:
            self._dropped[reason] += 1

    def lost(self, reason: str, number: int = 1) -> None:
        """It was meant to be logged and cannot be."""
        if number:
            with self._lock:
                self._lost[reason] += number

    def sent(self) -> None:
        """Kafka acknowledged it."""
        with self._lock:
            self._sent += 1

    def stats(self, queued: int) -> InterceptorStats:
        """The columns as they stand."""
        with self._lock:
            return InterceptorStats(
                instance=self._instance,
                site_id=self._site_id,
                started=self._started,
                observed=self._observed,
                sent=self._sent,
                queued=queued,
                dropped=dict(self._dropped),
                lost=dict(self._lost),
            )
