"""Every request the interceptor saw is in one of its columns."""

import os
import socket
import threading
import time
from collections import Counter

from msgspec.structs import replace

from contracts import InterceptorStats


class Ledger:
    """observed + adopted = dropped + sent + queued + spooled + lost. Safe for threads.

    It holds at any quiet moment: no request in progress, no event on its way to the disk.
    """

    def __init__(self, site_id: str) -> None:
        self._site_id = site_id
        self._lock = threading.Lock()
        self._started = time.time_ns() // 1_000_000
        self.instance = f"{socket.gethostname()}-{os.getpid()}-{self._started}"
        self._observed = 0
        self._sent = 0
        self._spooled = 0
        self._adopted = 0
        self._spool_errors = 0
        self._revision = 0
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

    def spooled(self) -> None:
        """It waits on the disk."""
        with self._lock:
            self._spooled += 1

    def adopted(self, number: int) -> None:
        """A dead process's events wait on the disk, and are ours now."""
        with self._lock:
            self._adopted += number
            self._spooled += number

    def resent(self) -> None:
        """Kafka acknowledged one from the disk."""
        with self._lock:
            self._spooled -= 1
            self._sent += 1

    def unspooled(self, reason: str, number: int = 1) -> None:
        """It waited on the disk and is lost."""
        if number:
            with self._lock:
                self._spooled -= number
                self._lost[reason] += number

    def spool_error(self) -> None:
        """The disk refused to do something."""
        with self._lock:
            self._spool_errors += 1

    def stats(self, queued: int) -> InterceptorStats:
        """The columns as they stand."""
        with self._lock:
            self._revision += 1
            return InterceptorStats(
                instance=self.instance,
                site_id=self._site_id,
                started=self._started,
                observed=self._observed,
                sent=self._sent,
                queued=queued,
                dropped=dict(self._dropped),
                lost=dict(self._lost),
                spooled=self._spooled,
                adopted=self._adopted,
                spool_errors=self._spool_errors,
                revision=self._revision,
                told=time.time_ns() // 1_000_000,
            )


def closed_account(stats: InterceptorStats, in_folder: int, found: int) -> InterceptorStats:
    """A dead process's last counts, made to agree with what is ``found`` on its disk. Pure.

    ``in_folder`` is how many events were there when it counted. More are found when it went on
    to spool: those had been queued, or came later. Fewer are found when the disk lost some.
    What it still had queued is gone.
    """
    lost = Counter(stats.lost)
    lost["spool_damaged"] += max(0, in_folder - found)
    unknown = max(0, found - in_folder) - stats.queued
    lost["killed"] += max(0, -unknown)
    return replace(
        stats,
        observed=stats.observed + max(0, unknown),
        queued=0,
        spooled=stats.spooled + found - in_folder,
        lost={reason: number for reason, number in lost.items() if number},
        revision=stats.revision + 1,
    )
