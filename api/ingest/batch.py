"""Records that one request waits for."""

import threading
from concurrent.futures import Future
from typing import NamedTuple

import msgspec

from api.ingest.counts import IngestCounts
from contracts import RequestEvent, partition_key

_OVERHEAD_BYTES = 300
"""What a record costs in memory beside its value, about."""


class Record(NamedTuple):
    """One event for the requests topic."""

    site_id: str
    key: bytes
    value: bytes


def record_of(event: RequestEvent) -> Record:
    """An event as it stands in the topic."""
    key = partition_key(event.site_id, event.visitor_id)
    return Record(event.site_id, key, msgspec.json.encode(event))


class Batch:
    """Settled when each of its records is. Safe for threads.

    ``done`` says whether Kafka has acknowledged all of them. ``give_up_at`` is in monotonic
    seconds.
    """

    def __init__(self, records: list[Record], counts: IngestCounts, give_up_at: float) -> None:
        self.records = records
        self.size = sum(len(record.value) + _OVERHEAD_BYTES for record in records)
        self.give_up_at = give_up_at
        self.done: Future[bool] = Future()
        self.done.set_running_or_notify_cancel()  # nobody who stops waiting may cancel it
        self._counts = counts
        self._owed = set(range(len(records)))
        self._has_failed = False
        self._lock = threading.Lock()
        for record in records:
            counts.taken(record.site_id)

    def settle(self, number: int, *, acknowledged: bool) -> None:
        """A record's end; a second one changes nothing."""
        with self._lock:
            if number not in self._owed:
                return
            self._owed.remove(number)
            self._has_failed |= not acknowledged
            is_last, has_failed = not self._owed, self._has_failed
        self._counts.settled(self.records[number].site_id, acknowledged=acknowledged)
        if is_last:
            self.done.set_result(not has_failed)

    def give_up(self) -> None:
        """Whatever is still owed will not come, or too late."""
        with self._lock:
            owed = list(self._owed)
        for number in owed:
            self.settle(number, acknowledged=False)
