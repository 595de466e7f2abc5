"""The one thread that talks to Kafka."""

import logging
import threading
import time
from functools import partial
from typing import Any

import msgspec
from kafka.errors import KafkaError

from contracts import RequestEvent, partition_key
from contracts.kafka import KafkaSettings
from contracts.settings import milliseconds
from interceptor.ledger import Ledger
from interceptor.outbox import Outbox
from interceptor.producer import RECORD_ERRORS, Connect, discard, linger_s
from interceptor.settings import SiteSettings

log = logging.getLogger("clickwake.interceptor")

FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 10.0
WARN_EVERY_S = 60.0


class Delivery(threading.Thread):
    """Takes events from the outbox to Kafka, and the ledger's columns every few seconds.

    Whatever fails, the events stay in the outbox, the producer is thrown away, and the next
    try comes after a pause that doubles up to 10 s. Only a record that Kafka refuses for its
    own sake is lost.
    """

    def __init__(
        self,
        site: SiteSettings,
        kafka: KafkaSettings,
        outbox: Outbox,
        ledger: Ledger,
        connect: Connect,
    ) -> None:
        super().__init__(name="clickwake-delivery", daemon=True)
        self._site, self._kafka = site, kafka
        self._outbox, self._ledger, self._connect = outbox, ledger, connect
        self._requests = kafka.topic("requests")
        self._stats_topic = kafka.topic("interceptor-stats")
        self._stats_every_s = milliseconds(site.stats_every) / 1000
        self._linger_s = linger_s(site)
        self._encoder = msgspec.json.Encoder()
        self._producer: Any = None
        self._failure: Exception | None = None
        self._stopping = threading.Event()
        self._pause_s = FIRST_PAUSE_S
        self._next_stats = 0.0
        self._next_warning = 0.0

    def stop(self, deadline_s: float) -> None:
        """Send what waits, for at most so long, and end the thread."""
        self._stopping.set()
        self._outbox.wake()
        self.join(deadline_s)

    def run(self) -> None:
        """Until ``stop``."""
        while not self._stopping.is_set():
            try:
                self._turn()
                self._pause_s = FIRST_PAUSE_S
            except Exception as error:
                self._recover(error)
        self._finish()

    def _turn(self) -> None:
        if self._producer is None:
            self._producer = self._connect(self._site, self._kafka)
        self._send_waiting()
        self._send_stats()
        self._outbox.wait(max(0.0, self._next_stats - time.monotonic()))
        # Events of one moment go out together: fewer wake-ups, so the host's thread is
        # interrupted less often.
        self._stopping.wait(self._linger_s)

    def _send_waiting(self) -> None:
        while (taken := self._outbox.take()) is not None:
            self._send(*taken)
            if self._failure is not None:
                error, self._failure = self._failure, None
                raise error

    def _send(self, ticket: int, event: RequestEvent) -> None:
        key = partition_key(event.site_id, event.visitor_id)
        try:
            future = self._producer.send(self._requests, self._encoder.encode(event), key)
        except Exception as error:
            self._failed(ticket, error)
            return
        future.add_callback(partial(self._acknowledged, ticket))
        future.add_errback(partial(self._failed, ticket))

    def _acknowledged(self, ticket: int, _metadata: Any) -> None:
        if self._outbox.settle(ticket):
            self._ledger.sent()

    def _failed(self, ticket: int, error: Exception) -> None:
        """On this thread or on the producer's."""
        if isinstance(error, RECORD_ERRORS):
            if self._outbox.settle(ticket):
                self._ledger.lost("refused")
            return
        self._outbox.give_back(ticket)
        self._failure = error
        self._outbox.wake()

    def _send_stats(self) -> None:
        now = time.monotonic()
        if now < self._next_stats:
            return
        self._next_stats = now + self._stats_every_s
        stats = self._ledger.stats(queued=len(self._outbox))
        try:
            self._producer.send(
                self._stats_topic, self._encoder.encode(stats), stats.instance.encode()
            )
        except KafkaError as error:
            # Events matter more: they keep their producer when only the counts cannot be sent.
            log.debug("the interceptor's counts were not sent: %s", error)

    def _recover(self, error: Exception) -> None:
        self._discard_producer()
        now = time.monotonic()
        if now >= self._next_warning:
            self._next_warning = now + WARN_EVERY_S
            log.warning(
                "Kafka at %s cannot be written to (%s: %s); the site is not affected, %d of %d "
                "events wait and sending is tried again",
                self._kafka.bootstrap_servers,
                type(error).__name__,
                error,
                len(self._outbox),
                self._site.queue_size,
            )
        self._stopping.wait(self._pause_s)
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)

    def _discard_producer(self) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            discard(producer)
        self._outbox.give_back_all()
        self._failure = None

    def _finish(self) -> None:
        """The last events and counts. Whoever called ``stop`` counts what stays behind."""
        deadline = time.monotonic() + milliseconds(self._site.flush_deadline) / 1000
        try:
            self._flush(deadline)
        except Exception as error:
            log.warning("Kafka did not take the last events: %s", error)
        self._discard_producer()

    def _flush(self, deadline: float) -> None:
        if self._producer is None and len(self._outbox):
            self._producer = self._connect(self._site, self._kafka)
        if self._producer is None:
            return
        self._send_waiting()
        self._producer.flush(timeout=max(0.0, deadline - time.monotonic()))
        self._next_stats = 0.0
        self._send_stats()
        self._producer.flush(timeout=max(0.0, deadline - time.monotonic()))
