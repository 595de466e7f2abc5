"""A real broker for a test session, and a fresh set of topics for each test."""

import uuid
from pathlib import Path

from contracts.kafka import KafkaSettings
from infra.jars import KAFKA, ensure_jars
from infra.java import find_java
from infra.kafka_broker import EmbeddedBroker
from infra.kafka_config import BrokerLayout
from infra.ports import free_ports
from infra.topics import ensure_topics

CACHE = Path(__file__).parents[2] / ".clickwake" / "cache"
"""Shared with the product, so that a test run downloads nothing twice."""


def new_broker(folder: Path) -> EmbeddedBroker:
    """A broker on free ports with its data in ``folder``; not started."""
    java = find_java()
    port, controller_port = free_ports(2)
    layout = BrokerLayout(
        folder=folder,
        jars=ensure_jars(CACHE, java, sets=[KAFKA]),
        java=java,
        port=port,
        controller_port=controller_port,
    )
    return EmbeddedBroker(layout)


def fresh_topics(broker: EmbeddedBroker, **partitions: int) -> KafkaSettings:
    """Settings with a topic prefix of their own, all topics created.

    ``partitions`` overrides counts by role, with ``_`` for ``-``: ``late_events=2``.
    """
    settings = KafkaSettings(
        bootstrap_servers=broker.layout.address, topic_prefix=f"test-{uuid.uuid4().hex[:12]}"
    )
    ensure_topics(settings, {role.replace("_", "-"): n for role, n in partitions.items()})
    return settings
