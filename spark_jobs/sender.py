"""Sends records that must all arrive: whoever has finished knows that Kafka took every one."""

from collections.abc import Sequence

from contracts.kafka import KafkaSettings
from spark_jobs.clock import make_producer

FLUSH_S = 60


class SendError(Exception):
    """Kafka did not take a record. Run the command again: it begins where that matters."""


class Sender:
    """Sends in order. A record that Kafka refuses is told by a later call, ``finish`` at last."""

    def __init__(self, kafka: KafkaSettings) -> None:
        self._producer = make_producer(kafka)
        self._failures: list[BaseException] = []

    def send(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        *,
        partition: int | None = None,
        headers: Sequence[tuple[str, bytes]] = (),
    ) -> None:
        """Send one; its key chooses the partition unless one is given."""
        sent = self._producer.send(
            topic, key=key, value=value, partition=partition, headers=list(headers)
        )
        sent.add_errback(self._failures.append)
        self._check()

    def finish(self) -> None:
        """Wait until Kafka has answered for all. Raises SendError, or KafkaError in time."""
        self._producer.flush(timeout=FLUSH_S)
        self._check()

    def close(self) -> None:
        """Let go of the connection."""
        self._producer.close(timeout=10)

    def _check(self) -> None:
        if self._failures:
            raise SendError(f"Kafka did not take a record ({self._failures[0]}): run it again")
