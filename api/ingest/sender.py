"""The thread that takes batches of events to Kafka, and their counts to the ledger."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from kafka import KafkaProducer
from kafka.errors import KafkaError, KafkaTimeoutError

from api.ingest.batch import Batch, Record
from api.ingest.counts import IngestCounts, encoded
from contracts.kafka import KafkaSettings
from contracts.producers import end_producer
from contracts.topics import MAX_RECORD_BYTES

log = logging.getLogger(__name__)

Connect = Callable[[KafkaSettings], Any]

DEADLINE_S = 10.0
"""A request waits this long for Kafka's acknowledgement."""

MOST_BYTES = 32_000_000
STATS_EVERY_S = 5.0
PAUSE_S = 0.5
WARN_EVERY_S = 60.0
IDLE_S = 1.0
END_S = 2.0


def connect(kafka: KafkaSettings) -> Any:
    """An idempotent producer that gives up before its callers do."""
    return KafkaProducer(
        **kafka.client_options(),
        client_id="clickwake-ingest",
        acks="all",
        enable_idempotence=True,
        linger_ms=2,
        max_block_ms=1_000,
        request_timeout_ms=5_000,
        delivery_timeout_ms=8_000,
        bootstrap_timeout_ms=3_000,
        reconnect_backoff_max_ms=2_000,
        max_request_size=MAX_RECORD_BYTES,
        allow_auto_create_topics=False,
        metrics_enabled=False,
    )


class Sender:
    """Sends batches in order. ``submit`` never blocks; the thread begins with the first batch.

    Whatever fails, what was in flight is given up, because its callers must hear in time; the
    producer is thrown away, as kafka-python's idempotent one may stay mute after a failure.
    """

    def __init__(
        self,
        kafka: KafkaSettings,
        counts: IngestCounts,
        most_events: int,
        connect: Connect = connect,
    ) -> None:
        self._kafka, self._counts, self._connect = kafka, counts, connect
        self.most_events = most_events
        self._waiting: deque[Batch] = deque()
        self._in_flight: deque[Batch] = deque()
        self._events = self._bytes = 0
        self._lock = threading.Condition()
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._producer: Any = None
        self._failure: Exception | None = None
        self._next_stats = 0.0
        self._next_warning = 0.0

    def submit(self, records: list[Record]) -> "Future[bool] | None":
        """Whether Kafka acknowledged all records, in time; None when there is no room for them."""
        with self._lock:
            size = sum(len(record.value) for record in records)
            if self._stopping or self._events + len(records) > self.most_events:
                return None
            if self._bytes + size > MOST_BYTES:
                return None
            batch = Batch(records, self._counts, time.monotonic() + DEADLINE_S)
            self._events += len(records)
            self._bytes += batch.size
            batch.done.add_done_callback(partial(self._let_go, batch))
            self._waiting.append(batch)
            self._begin()
            self._lock.notify()
        return batch.done

    def stop(self, timeout_s: float) -> None:
        """Send what waits, publish the last counts, end; for at most so long."""
        with self._lock:
            self._stopping = True
            self._lock.notify()
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="clickwake-ingest", daemon=True)
            self._thread.start()

    def _let_go(self, batch: Batch, _done: "Future[bool]") -> None:
        with self._lock:
            self._events -= len(batch.records)
            self._bytes -= batch.size

    def _run(self) -> None:
        while not (self._stopping and not self._waiting):
            try:
                self._turn()
            except Exception as error:
                self._recover(error)
        self._finish()

    def _turn(self) -> None:
        with self._lock:
            if not self._waiting:
                self._lock.wait(IDLE_S)
            is_idle = not self._waiting
        if self._producer is None:
            if is_idle:
                return  # Kafka is not looked for before there is something to send
            self._producer = self._connect(self._kafka)
        self._check()
        if not is_idle:
            self._send(self._waiting.popleft())
        self._publish()

    def _send(self, batch: Batch) -> None:
        self._in_flight.append(batch)
        topic = self._kafka.topic("requests")
        for number, record in enumerate(batch.records):
            sent = self._producer.send(topic, record.value, record.key)
            sent.add_callback(partial(self._acknowledged, batch, number))
            sent.add_errback(partial(self._failed, batch, number))

    def _acknowledged(self, batch: Batch, number: int, _metadata: Any) -> None:
        batch.settle(number, acknowledged=True)

    def _failed(self, batch: Batch, number: int, error: Exception) -> None:
        """On the producer's thread."""
        self._failure = error
        batch.settle(number, acknowledged=False)
        with self._lock:
            self._lock.notify()

    def _check(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
        while self._in_flight and self._in_flight[0].done.done():
            self._in_flight.popleft()
        if self._in_flight and time.monotonic() > self._in_flight[0].give_up_at:
            raise KafkaTimeoutError("Kafka owes an acknowledgement for too long")

    def _publish(self) -> None:
        now = time.monotonic()
        if now < self._next_stats:
            return
        self._next_stats = now + STATS_EVERY_S
        for stats in self._counts.news():
            key, value = encoded(stats)
            self._producer.send(self._kafka.topic("interceptor-stats"), value, key)

    def _recover(self, error: Exception) -> None:
        now = time.monotonic()
        if now >= self._next_warning:
            self._next_warning = now + WARN_EVERY_S
            log.warning("Kafka does not take events (%s); trying again", type(error).__name__)
        self._let_producer_go(0)
        self._give_up_late(now)
        with self._lock:
            self._lock.wait(PAUSE_S)

    def _let_producer_go(self, timeout_s: float) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            try:
                end_producer(producer, timeout_s)
            except Exception as error:
                log.debug("a producer did not close by itself: %s", type(error).__name__)
        while self._in_flight:
            self._in_flight.popleft().give_up()
        self._failure = None

    def _give_up_late(self, now: float) -> None:
        """Callers whose time is over are gone; at the end, nobody waits any more."""
        while self._waiting and (self._stopping or self._waiting[0].give_up_at <= now):
            self._waiting.popleft().give_up()

    def _finish(self) -> None:
        try:
            if self._producer is not None:
                self._producer.flush(timeout=END_S)
                self._next_stats = 0.0
                self._publish()
                self._producer.flush(timeout=END_S)
        except KafkaError as error:
            log.warning("Kafka did not take the last counts: %s", type(error).__name__)
        self._let_producer_go(END_S)
