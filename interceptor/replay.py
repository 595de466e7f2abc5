"""From the disk to Kafka, in order."""

import time
from collections.abc import Callable
from typing import Any

import msgspec
from kafka.errors import KafkaError
from kafka.future import Future

from contracts.kafka import KafkaSettings
from interceptor.errors import InterceptorError
from interceptor.frames import Record
from interceptor.ledger import Ledger
from interceptor.producer import RECORD_ERRORS
from interceptor.spool import Spool
from interceptor.spools import Spools

WINDOW = 500
"""Records on their way at a time. What a crash finds among them is sent again."""
POLL_S = 0.002


class StalledError(InterceptorError):
    """Kafka takes connections and acknowledges nothing. Look at the brokers' logs and disks."""


class Replay:
    """Sends spools window by window; the next window when Kafka has acknowledged the last one."""

    def __init__(self, spools: Spools, ledger: Ledger, kafka: KafkaSettings) -> None:
        self._spools, self._ledger = spools, ledger
        self._requests = kafka.topic("requests")
        self._stats = kafka.topic("interceptor-stats")

    def send_window(self, spool: Spool, producer: Any, is_over: Callable[[], bool]) -> None:
        """The oldest records. Raises what Kafka fails with; these records then stay.

        ``is_over`` says when to stop waiting for Kafka: StalledError.
        """
        self._publish_last_words(spool, producer)
        records = self._spools.peek(spool, WINDOW)
        futures = [self._sent(producer, record) for record in records]
        while not all(future.is_done for future in futures):
            if is_over():
                break
            time.sleep(POLL_S)
        self._settle(spool, futures)

    def _sent(self, producer: Any, record: Record) -> Any:
        try:
            return producer.send(self._requests, record.value, record.key)
        except RECORD_ERRORS as error:
            return Future().failure(error)

    def _publish_last_words(self, spool: Spool, producer: Any) -> None:
        stats = self._spools.last_words(spool)
        if stats is not None:
            value = msgspec.json.encode(stats)
            producer.send(self._stats, value, stats.instance.encode())

    def _settle(self, spool: Spool, futures: list[Any]) -> None:
        """Only up to the first that failed: the rest is sent again behind it, in order."""
        done, failure = 0, None
        for future in futures:
            failure = self._verdict(future)
            if failure is not None:
                break
            done += 1
        self._spools.acknowledge(spool, done)
        if failure is not None:
            raise failure

    def _verdict(self, future: Any) -> Exception | None:
        """Count it as sent or refused; else why it is neither."""
        if not future.is_done:
            return StalledError("no acknowledgement came")
        if future.succeeded():
            self._ledger.resent()
        elif isinstance(future.exception, RECORD_ERRORS):
            self._ledger.unspooled("refused")
        else:
            error: Exception = future.exception or KafkaError("no reason given")
            return error
        return None
