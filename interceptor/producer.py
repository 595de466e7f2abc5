"""kafka-python's producer as this package uses it."""

import logging
from collections.abc import Callable
from typing import Any

from kafka import KafkaProducer
from kafka.errors import (
    InvalidRecordError,
    MessageSizeTooLargeError,
    RecordListTooLargeError,
)

from contracts.kafka import KafkaSettings
from contracts.producers import end_producer
from contracts.settings import milliseconds
from interceptor.settings import SiteSettings

log = logging.getLogger("clickwake.interceptor")

Connect = Callable[[SiteSettings, KafkaSettings], Any]

RECORD_ERRORS = (InvalidRecordError, MessageSizeTooLargeError, RecordListTooLargeError)
"""The record is at fault, so sending it again cannot help."""

MOST_LINGERS = 10
"""A pause is so many times the linger time at most."""

BOOTSTRAP_MS = 3_000
BLOCK_MS = 1_000
"""``send`` may wait this long for metadata. It does so on the Kafka thread only."""


def connect(site: SiteSettings, kafka: KafkaSettings) -> Any:
    """A connected idempotent producer. Raises KafkaError when no broker answers in 3 s.

    Topics are never created by sending: they come from the contract.
    """
    return KafkaProducer(
        **kafka.client_options(),
        client_id=f"clickwake-interceptor-{site.site_id}",
        acks="all",
        enable_idempotence=True,
        compression_type=None if site.compression == "none" else site.compression,
        # The Kafka thread itself gathers events for the linger time; this only joins records
        # that it hands over in one go.
        linger_ms=1,
        max_block_ms=BLOCK_MS,
        bootstrap_timeout_ms=BOOTSTRAP_MS,
        reconnect_backoff_max_ms=5_000,
        allow_auto_create_topics=False,
        metrics_enabled=False,
    )


def discard(producer: Any) -> None:
    """End a producer without waiting for what it still holds."""
    try:
        end_producer(producer, timeout_s=0)
    except Exception:
        log.debug("a producer did not close by itself", exc_info=True)


class Gathering:
    """How long events are gathered before they go out together.

    A batch of one costs as much as four events in one of twenty, and shares the interpreter with
    the site. So the more came since the last pause, the longer the next one.
    """

    def __init__(self, site: SiteSettings) -> None:
        self._linger_s = milliseconds(site.linger) / 1000
        self.events = 0

    def pause_s(self) -> float:
        """For how long to gather now, in seconds, given the ``events`` since the last pause."""
        events, self.events = self.events, 0
        return self._linger_s * max(1, min(events, MOST_LINGERS))
