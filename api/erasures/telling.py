"""Putting an erasure's state on its topic."""

import msgspec
from kafka import KafkaProducer

from contracts import Erasure
from contracts.kafka import KafkaSettings
from contracts.producers import end_producer

SECONDS = 10.0


def tell(kafka: KafkaSettings, erasure: Erasure) -> None:
    """Kafka has it when this returns. Raises KafkaError otherwise."""
    producer = KafkaProducer(
        **kafka.client_options(),
        client_id="clickwake-erasures",
        acks="all",
        max_block_ms=3_000,
        request_timeout_ms=5_000,
        delivery_timeout_ms=8_000,
        bootstrap_timeout_ms=3_000,
        allow_auto_create_topics=False,
        metrics_enabled=False,
    )
    try:
        sent = producer.send(
            kafka.topic("erasures"),
            key=erasure.erasure_id.encode(),
            value=msgspec.json.encode(erasure),
        )
        sent.get(timeout=SECONDS)
    finally:
        end_producer(producer, SECONDS)
