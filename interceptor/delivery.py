"""The one thread that talks to Kafka."""

import logging
import threading
import time
from functools import partial
from typing import Any

import msgspec
from kafka.errors import KafkaError

from contracts import InterceptorStats, RequestEvent, partition_key
from contracts.kafka import KafkaSettings
from contracts.settings import milliseconds
from interceptor.frames import Record
from interceptor.ledger import Ledger
from interceptor.outbox import Outbox
from interceptor.producer import RECORD_ERRORS, Connect, Gathering, discard
from interceptor.replay import Replay, StalledError
from interceptor.settings import SiteSettings
from interceptor.spools import Spools

log = logging.getLogger("clickwake.interceptor")

FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 10.0
WARN_EVERY_S = 60.0
SPILL_EVERY_S = 0.1
STALL_S = 30.0
"""Kafka counts as away when it acknowledges nothing for so long."""
HURRY_S = 2.0
"""The same when the outbox is more than half full."""
GRACE_S = 5.0
"""At the end, beyond the flush deadline: for an attempt to connect, and for the disk."""


class Delivery(threading.Thread):
    """Takes events from the outbox to Kafka, and the ledger's columns every few seconds.

    Whatever fails, the producer is thrown away, and the next try comes after a pause that
    doubles up to 10 s. Meanwhile the events go to the spool, or stay in the outbox without one.
    Only a record that Kafka refuses for its own sake is lost. Every event on the disk is older
    than every event in the outbox, and is sent before.
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
        self._spools = Spools(site, ledger, self._counts)
        self._replay = Replay(self._spools, ledger, kafka)
        self._stats_every_s = milliseconds(site.stats_every) / 1000
        self._gathering = Gathering(site)
        self._encoder = msgspec.json.Encoder()
        self._producer: Any = None
        self._failure: Exception | None = None
        self._stopping = threading.Event()
        self._pause_s = FIRST_PAUSE_S
        self._next_stats = 0.0
        self._next_warning = 0.0
        self._is_away = False
        self._progress = 0.0
        self._deadline = float("inf")

    @property
    def refusal(self) -> str:
        """Why an event finds no room in the outbox."""
        return self._spools.refusal or "queue_full"

    def stop(self, deadline_s: float) -> None:
        """Send what waits, for at most so long, keep the rest on the disk, end the thread."""
        self._deadline = time.monotonic() + deadline_s
        self._stopping.set()
        self._outbox.wake()
        self.join(deadline_s + GRACE_S if self._spools.enabled else deadline_s)

    def forget(self) -> None:
        """After a fork, in the child: the disk's files are the parent's."""
        self._spools.forget()

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
        self._spools.adopt()
        if self._producer is None:
            self._producer = self._connect(self._site, self._kafka)
            self._is_away = False
            self._spools.try_again()
        self._send_spooled()
        self._send_waiting()
        self._send_stats()
        self._expect_progress()
        self._outbox.wait(self._idle_s())
        # Fewer wake-ups interrupt the host's thread less often.
        self._stopping.wait(self._gathering.pause_s())

    def _idle_s(self) -> float:
        until_stats = max(0.0, self._next_stats - time.monotonic())
        return min(HURRY_S, until_stats) if self._spools.enabled else until_stats

    def _send_spooled(self) -> None:
        while time.monotonic() < self._deadline and (spool := self._spools.head()) is not None:
            is_over = partial(self._is_over, time.monotonic() + STALL_S)
            self._replay.send_window(spool, self._producer, is_over)
            self._make_room()
            self._send_stats()

    def _is_over(self, give_up: float) -> bool:
        """While a window of the spool is on its way."""
        self._make_room()
        return time.monotonic() >= min(give_up, self._deadline)

    def _make_room(self) -> None:
        # What is in flight is older than what waits, and may come back to be sent again.
        if self._is_half_full() and not self._outbox.in_flight:
            self._spill()

    def _is_half_full(self) -> bool:
        return len(self._outbox) > self._site.queue_size / 2

    def _spill(self) -> None:
        """From the outbox to the disk, the oldest first, as far as it takes them."""
        before = self._spools.count
        while self._spools.enabled and (taken := self._outbox.take()) is not None:
            ticket, event = taken
            record = self._record(ticket, event)
            if record is not None and not self._spools.append(record):
                self._outbox.give_back(ticket)
                break
            self._outbox.settle(ticket)
        if self._spools.count > before:
            self._spools.commit()
        else:
            self._spools.sync_when_due()

    def _record(self, ticket: int, event: RequestEvent) -> Record | None:
        """None, and counted, when it cannot be encoded: the next try would fail as well."""
        try:
            key = partition_key(event.site_id, event.visitor_id)
            return Record(key, self._encoder.encode(event))
        except Exception as error:
            log.debug("an event cannot be encoded: %s", error)
            if self._outbox.settle(ticket):
                self._ledger.lost("internal_error")
            return None

    def _expect_progress(self) -> None:
        """Without a spool there is no better place for events than the producer's."""
        limit_s = HURRY_S if self._is_half_full() else STALL_S
        is_quiet = time.monotonic() > self._progress + limit_s
        if self._spools.enabled and self._outbox.in_flight and is_quiet:
            raise StalledError(f"nothing was acknowledged for {limit_s:g} s")

    def _send_waiting(self) -> None:
        self._raise_failure()
        while (taken := self._outbox.take()) is not None:
            if self._outbox.in_flight == 1:
                self._progress = time.monotonic()
            self._gathering.events += 1
            self._send(*taken)
            self._raise_failure()

    def _raise_failure(self) -> None:
        error, self._failure = self._failure, None
        if error is not None:
            raise error

    def _send(self, ticket: int, event: RequestEvent) -> None:
        record = self._record(ticket, event)
        if record is None:
            return
        try:
            future = self._producer.send(self._requests, record.value, record.key)
        except Exception as error:
            self._failed(ticket, error)
            return
        future.add_callback(partial(self._acknowledged, ticket))
        future.add_errback(partial(self._failed, ticket))

    def _acknowledged(self, ticket: int, _metadata: Any) -> None:
        if self._outbox.settle(ticket):
            self._ledger.sent()
            self._progress = time.monotonic()

    def _failed(self, ticket: int, error: Exception) -> None:
        """On this thread or on the producer's, which may long be discarded."""
        if isinstance(error, RECORD_ERRORS):
            if self._outbox.settle(ticket):
                self._ledger.lost("refused")
        elif self._outbox.holds(ticket):
            # It stays in flight until all of them are given back together, in order.
            self._failure = error
            self._outbox.wake()

    def _counts(self) -> InterceptorStats:
        return self._ledger.stats(queued=len(self._outbox))

    def _send_stats(self) -> None:
        now = time.monotonic()
        if now < self._next_stats:
            return
        self._next_stats = now + self._stats_every_s
        stats = self._counts()
        try:
            self._producer.send(
                self._stats_topic, self._encoder.encode(stats), stats.instance.encode()
            )
        except KafkaError as error:
            # Events matter more: they keep their producer when only the counts cannot be sent.
            log.debug("the interceptor's counts were not sent: %s", error)

    def _recover(self, error: Exception) -> None:
        self._is_away = True
        self._discard_producer()
        self._spill()
        now = time.monotonic()
        if now >= self._next_warning:
            self._next_warning = now + WARN_EVERY_S
            self._warn(error)
        self._pause()
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)

    def _warn(self, error: Exception) -> None:
        log.warning(
            "Kafka at %s cannot be written to (%s: %s); the site is not affected, %d events wait "
            "on the disk and %d of %d in memory, and sending is tried again",
            self._kafka.bootstrap_servers,
            type(error).__name__,
            error,
            self._spools.count,
            len(self._outbox),
            self._site.queue_size,
        )

    def _pause(self) -> None:
        until = time.monotonic() + self._pause_s
        while (left_s := until - time.monotonic()) > 0:
            step_s = min(left_s, SPILL_EVERY_S) if self._spools.enabled else left_s
            if self._stopping.wait(step_s):
                return
            self._spill()

    def _discard_producer(self) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            discard(producer)
        self._outbox.give_back_all()
        self._failure = None

    def _finish(self) -> None:
        """The last events and counts. Whoever called ``stop`` counts what stays behind."""
        try:
            self._flush()
        except Exception as error:
            log.warning("Kafka did not take the last events: %s", error)
        self._discard_producer()
        self._spools.try_again()
        self._spill()
        if self._spools.count:
            log.warning(
                "%d events are kept in %s, and sent by the next process that finds them there",
                self._spools.count,
                self._site.spool_directory,
            )
        self._spools.close()

    def _flush(self) -> None:
        # With a spool, no time is spent on a Kafka that was away a moment ago.
        is_hopeless = self._is_away and self._spools.enabled
        if self._producer is None and len(self._outbox) and not is_hopeless:
            self._producer = self._connect(self._site, self._kafka)
        if self._producer is None:
            return
        self._send_spooled()
        self._send_waiting()
        self._producer.flush(timeout=self._left_s())
        self._next_stats = 0.0
        self._send_stats()
        self._producer.flush(timeout=self._left_s())

    def _left_s(self) -> float:
        return max(0.0, self._deadline - time.monotonic())
