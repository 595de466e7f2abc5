"""Follows the ledger of one request topic, to know when the job has seen what was sent."""

from collections.abc import Iterator

import msgspec
from kafka import KafkaConsumer, TopicPartition

from contracts import BucketStats
from contracts.kafka import KafkaSettings

POLL_MS = 300


class LedgerWatch:
    """Counts the requests that the job has handled on ``topic`` since the watch was made.

    ``since``: or since its count was that.
    """

    def __init__(self, kafka: KafkaSettings, topic: str, since: int | None = None) -> None:
        self._topic = topic
        self._seen: dict[int, dict[tuple[int, int], int]] = {}
        self._consumer = KafkaConsumer(
            **kafka.client_options(), group_id=None, bootstrap_timeout_ms=10_000
        )
        self._partitions = [TopicPartition(kafka.topic("bucket-stats"), 0)]
        self._consumer.assign(self._partitions)
        self._consumer.seek_to_beginning(*self._partitions)
        self._read_what_is_there()
        self._epoch = max(self._seen, default=0)
        self.counted = sum(self._seen.get(self._epoch, {}).values())
        """What the job had counted when the watch was made."""
        # A job that started anew meanwhile counts from zero.
        is_same = since is not None and since <= self.counted
        self._before = since if since is not None and is_same else self.counted * (since is None)

    def progress(self, total: int) -> Iterator[int]:
        """Yields how many of ``total`` the job has handled, until it is all of them."""
        done = 0
        while done < total:
            self._poll()
            done = self._total() - self._before
            yield min(done, total)
        self._consumer.close()

    def _read_what_is_there(self) -> None:
        (partition,) = self._partitions
        end = self._consumer.end_offsets(self._partitions)[partition]
        while self._consumer.position(partition) < end:
            self._poll()

    def _poll(self) -> None:
        for records in self._consumer.poll(timeout_ms=POLL_MS).values():
            for record in records:
                self._take(msgspec.json.decode(record.value, type=BucketStats))

    def _take(self, stats: BucketStats) -> None:
        if stats.topic == self._topic:
            counts = self._seen.setdefault(stats.epoch, {})
            counts[stats.partition, stats.bucket] = stats.tally.requests

    def _total(self) -> int:
        """A job that started anew counts from zero, so only the newest epoch counts."""
        newest = max(self._seen, default=0)
        if newest != self._epoch:
            self._epoch, self._before = newest, 0
        return sum(self._seen.get(newest, {}).values())
