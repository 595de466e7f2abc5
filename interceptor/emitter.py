"""Where the request path leaves its events: it never waits for Kafka."""

import atexit
import logging
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from contracts import InterceptorStats, RequestEvent
from contracts.kafka import KafkaSettings
from contracts.settings import milliseconds
from interceptor.delivery import Delivery
from interceptor.ledger import Ledger
from interceptor.outbox import Outbox
from interceptor.producer import Connect, connect
from interceptor.settings import SiteSettings

log = logging.getLogger("clickwake.interceptor")


class Companion(Protocol):
    """What else runs beside the site for as long as the emitter does."""

    def start(self) -> None:
        """Begin; does nothing when it runs."""

    def stop(self) -> None:
        """End soon."""

    def after_fork(self) -> None:
        """In the child, where its threads are not."""


class Emitter:
    """A bounded outbox and its delivery thread, which starts with the first event.

    After a fork the child begins anew: what waited belongs to the parent, which still sends it.
    """

    def __init__(
        self,
        site: SiteSettings,
        kafka: KafkaSettings,
        *,
        connect: Connect = connect,
        companion: Companion | None = None,
    ) -> None:
        self._companion = companion
        self._site, self._kafka, self._connect = site, kafka, connect
        self._deadline_s = milliseconds(site.flush_deadline) / 1000
        self._close_at_exit = _closer(self)
        self._begin()
        _EMITTERS.add(self)

    def _begin(self) -> None:
        self.ledger = Ledger(self._site.site_id)
        self._outbox = Outbox(self._site.queue_size)
        self._delivery: Delivery | None = None
        self._lock = threading.Lock()

    def submit(self, event: RequestEvent) -> bool:
        """Take an event to be sent. Never blocks; False, and counted as lost, when full."""
        delivery = self._delivery or self.start()
        if self._outbox.put(event):
            return True
        self.ledger.lost(delivery.refusal)
        return False

    def start(self) -> Delivery:
        """Begin to connect, so that the first event need not wait for it."""
        with self._lock:
            if self._delivery is not None:
                return self._delivery
            self._delivery = delivery = Delivery(
                self._site, self._kafka, self._outbox, self.ledger, self._connected
            )
            delivery.start()
            if self._companion is not None:
                self._companion.start()
        self._register_exit()
        return delivery

    def _connected(self, site: SiteSettings, kafka: KafkaSettings) -> Any:
        producer = self._connect(site, kafka)
        self._register_exit()
        return producer

    def _register_exit(self) -> None:
        # Exit handlers run in reverse order, and a producer registers one of its own that
        # closes it: ours must be the later one, or it would find nothing to flush with.
        atexit.unregister(self._close_at_exit)
        atexit.register(self._close_at_exit)

    def close(self) -> None:
        """Flush within the deadline and end the thread.

        What Kafka did not take goes to the spool; what stays behind even so is counted lost.
        """
        with self._lock:
            delivery, self._delivery = self._delivery, None
        if delivery is not None:
            delivery.stop(self._deadline_s)
            if self._companion is not None:
                self._companion.stop()
        left = self._outbox.abandon()
        self.ledger.lost(self._reason_at_end(delivery), left)
        if left:
            log.warning("%d events were lost: Kafka did not take them before the end", left)

    def _reason_at_end(self, delivery: Delivery | None) -> str:
        refusal = delivery.refusal if delivery is not None else "queue_full"
        return "shutdown" if refusal == "queue_full" else refusal

    def stats(self) -> InterceptorStats:
        """The counts as they stand."""
        return self.ledger.stats(queued=len(self._outbox))

    def after_fork(self) -> None:
        """In the child: leave the parent's thread, queue and counts alone."""
        if self._delivery is not None:
            self._delivery.forget()
            _OF_PARENTS.append(self._delivery)
        if self._companion is not None:
            self._companion.after_fork()
        self._begin()


_EMITTERS: "weakref.WeakSet[Emitter]" = weakref.WeakSet()

_OF_PARENTS: list[Delivery] = []
"""Kept for ever: collecting a parent's producer in the child would try to flush it."""


def _begin_anew() -> None:
    for emitter in list(_EMITTERS):
        emitter.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def _closer(emitter: Emitter) -> Callable[[], None]:
    """For hosts without a lifespan. Holds no reference, so an emitter may go earlier."""
    reference = weakref.ref(emitter)

    def close() -> None:
        alive = reference()
        if alive is not None:
            alive.close()

    return close
