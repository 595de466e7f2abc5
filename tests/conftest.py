"""Fixtures that several parts' tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from contracts.kafka import KafkaSettings
from infra.kafka_broker import EmbeddedBroker
from tests.support.kafka import fresh_topics, new_broker
from tests.support.stack import RunningStack, new_stack

HERE = Path(__file__).parent
LAST = ("chaos", "quiet", "e2e", "docs")
"""What comes after all others: folders, and the tests with the marker ``quiet``.

The chaos run goes on beside all that stand before it (see ``tests.chaos.beside``), so tests that
compare times come after it. The last two share the running stack, which costs the others a core's
third if it is up; the browser's tests come first, as they want it fresh.
"""

# Beside the chaos run any example may take long.
settings.register_profile("beside", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("beside")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything else first."""
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    is_quiet = item.get_closest_marker("quiet") is not None
    group = "quiet" if is_quiet else item.path.relative_to(HERE).parts[0]
    return LAST.index(group) + 1 if group in LAST else 0


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
