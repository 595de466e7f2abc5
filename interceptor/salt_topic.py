"""Salts on a topic, which the processes of all machines share."""

import time
from collections.abc import Mapping
from typing import Any

import msgspec
from kafka import KafkaConsumer, TopicPartition

from contracts import IdentitySalt
from contracts.kafka import KafkaSettings
from interceptor.errors import InterceptorError
from interceptor.producer import Connect, connect, discard
from interceptor.salts import day_number, day_text
from interceptor.settings import SiteSettings

DEADLINE_S = 10.0
"""For Kafka to take the proposals, and for reading the topic, which holds a few records."""
BOOTSTRAP_MS = 3_000
POLL_MS = 250


class SaltTopic:
    """The first record of a site's day wins. Connects for as long as an agreement takes.

    Raises KafkaError, OSError or InterceptorError when Kafka does not do it.
    """

    def __init__(
        self, site: SiteSettings, kafka: KafkaSettings, *, connect: Connect = connect
    ) -> None:
        self._site, self._kafka, self._connect = site, kafka, connect
        self._topic = kafka.topic("identity-salts")
        self._part = TopicPartition(self._topic, 0)

    def agree(self, proposals: Mapping[int, bytes]) -> dict[int, bytes]:
        """The salts of all days that have one, after each proposed day has one."""
        consumer = self._consumer()
        try:
            self._begin(consumer)
            found = self._read(consumer, {})
            missing = {day: salt for day, salt in proposals.items() if day not in found}
            if missing:
                self._send(missing)
                # Ours may not be the first ones: only reading on says which are.
                found = self._read(consumer, found)
        finally:
            consumer.close(autocommit=False, timeout_ms=1_000)
        if not found.keys() >= proposals.keys():
            raise InterceptorError(f"{self._topic} does not show what was written to it yet")
        return found

    def _consumer(self) -> Any:
        return KafkaConsumer(
            **self._kafka.client_options(),
            client_id=f"clickwake-interceptor-{self._site.site_id}",
            group_id=None,
            enable_auto_commit=False,
            allow_auto_create_topics=False,
            bootstrap_timeout_ms=BOOTSTRAP_MS,
            metrics_enabled=False,
        )

    def _begin(self, consumer: Any) -> None:
        if not consumer.partitions_for_topic(self._topic):
            raise InterceptorError(f"topic {self._topic} is missing, or may not be read")
        consumer.assign([self._part])
        consumer.seek_to_beginning(self._part)

    def _read(self, consumer: Any, found: Mapping[int, bytes]) -> dict[int, bytes]:
        """``found`` and what the topic holds from where the consumer stands up to its end."""
        winners = dict(found)
        end = consumer.end_offsets([self._part])[self._part]
        give_up = time.monotonic() + DEADLINE_S
        while consumer.position(self._part) < end:
            if time.monotonic() > give_up:
                raise InterceptorError(f"{self._topic} could not be read in {DEADLINE_S:g} s")
            for records in consumer.poll(timeout_ms=POLL_MS).values():
                for record in records:
                    self._count(record.value, winners)
        return winners

    def _count(self, value: bytes | None, winners: dict[int, bytes]) -> None:
        try:
            salt = msgspec.json.decode(value or b"", type=IdentitySalt)
            if salt.site_id == self._site.site_id:
                winners.setdefault(day_number(salt.day), bytes.fromhex(salt.salt))
        except ValueError:
            # No salt, whoever wrote it: all readers pass over it alike.
            return

    def _send(self, proposals: Mapping[int, bytes]) -> None:
        producer = self._connect(self._site, self._kafka)
        try:
            sent = [self._sent(producer, day, salt) for day, salt in sorted(proposals.items())]
            for future in sent:
                future.get(timeout=DEADLINE_S)
        finally:
            discard(producer)

    def _sent(self, producer: Any, day: int, salt: bytes) -> Any:
        site_id = self._site.site_id
        record = IdentitySalt(site_id=site_id, day=day_text(day), salt=salt.hex())
        return producer.send(self._topic, msgspec.json.encode(record), record.key())
