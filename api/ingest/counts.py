"""What became of the events that the API took, for the ledger: as one interceptor a site."""

import os
import socket
import threading
import time
from collections import Counter
from typing import Any

import msgspec

from contracts import InterceptorStats

MOST_SITES = 1_000
OTHERS = "other-sites"
"""Where sites beyond the first thousand are counted. Only an API for any site can have so many."""

NOT_ACKNOWLEDGED = "not_acknowledged"


class _Site:
    def __init__(self) -> None:
        self.observed = 0
        self.sent = 0
        self.dropped: Counter[str] = Counter()
        self.revision = 0
        self.told = -1


class IngestCounts:
    """observed = sent + queued + dropped, for each site. Safe for threads.

    What Kafka did not acknowledge in time was dropped and not lost: its producer was told so,
    and sends it again.
    """

    def __init__(self, started: int) -> None:
        self._started = started
        self._instance = f"api-{socket.gethostname()}-{os.getpid()}-{started}"
        self._sites: dict[str, _Site] = {}
        self._lock = threading.Lock()

    def taken(self, site_id: str) -> None:
        """An event waits for Kafka."""
        with self._lock:
            site = self._site(site_id)
            site.observed += 1
            site.revision += 1

    def settled(self, site_id: str, *, acknowledged: bool) -> None:
        """Kafka has it, or its producer was told that it has not."""
        with self._lock:
            site = self._site(site_id)
            site.revision += 1
            if acknowledged:
                site.sent += 1
            else:
                site.dropped[NOT_ACKNOWLEDGED] += 1

    def news(self) -> list[InterceptorStats]:
        """The counts of the sites that changed since they were asked for last."""
        with self._lock:
            changed = {name: one for name, one in self._sites.items() if one.told != one.revision}
            for one in changed.values():
                one.told = one.revision
            return [self._stats(name, one) for name, one in changed.items()]

    def _site(self, site_id: str) -> _Site:
        name = site_id
        if name not in self._sites and len(self._sites) >= MOST_SITES:
            name = OTHERS
        return self._sites.setdefault(name, _Site())

    def _stats(self, site_id: str, one: _Site) -> InterceptorStats:
        dropped: dict[str, Any] = dict(one.dropped)
        return InterceptorStats(
            instance=f"{self._instance}/{site_id}",
            site_id=site_id,
            started=self._started,
            observed=one.observed,
            sent=one.sent,
            queued=one.observed - one.sent - sum(dropped.values()),
            dropped=dropped,
            lost={},
            revision=one.revision,
            told=time.time_ns() // 1_000_000,
        )


def encoded(stats: InterceptorStats) -> tuple[bytes, bytes]:
    """Key and value of its record."""
    return stats.instance.encode(), msgspec.json.encode(stats)
