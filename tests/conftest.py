"""Fixtures that several parts' tests share."""

from collections.abc import Iterator

import pytest

from contracts.kafka import KafkaSettings
from infra.kafka_broker import EmbeddedBroker
from tests.support.kafka import fresh_topics, new_broker
from tests.support.stack import RunningStack, new_stack


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedBroker]:
    """A real Kafka broker that the whole session shares. Do not stop it: start your own."""
    with new_broker(tmp_path_factory.mktemp("kafka")) as running:
        yield running


@pytest.fixture
def kafka(broker: EmbeddedBroker) -> KafkaSettings:
    """Settings for topics that no other test sees."""
    return fresh_topics(broker)


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """The demo without sample traffic, on free ports, which the whole session shares."""
    running = new_stack(tmp_path_factory.mktemp("stack"))
    started = running.start()
    assert started.returncode == 0, started.stdout + started.stderr
    try:
        yield running
    finally:
        running.run("stop", "--data", str(running.data))
