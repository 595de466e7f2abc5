"""A broker of the benchmark's own, in a folder that goes away with it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contracts.kafka import KafkaSettings
from infra.jars import ensure_jars
from infra.java import find_java
from infra.kafka_broker import EmbeddedBroker
from infra.kafka_config import BrokerLayout
from infra.ports import free_ports
from infra.topics import ensure_topics

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".clickwake" / "cache"


def geo_files() -> list[str]:
    """The city databases that the demo fetched, if it did."""
    return [str(path) for path in sorted((CACHE / "geo").rglob("*.mmdb"))]


@contextmanager
def broker(partitions: int = 2) -> Iterator[KafkaSettings]:
    """Settings of a running broker with all topics made."""
    with tempfile.TemporaryDirectory(prefix="clickwake-bench-") as folder:
        port, controller = free_ports(2)
        java = find_java()
        layout = BrokerLayout(
            folder=Path(folder),
            jars=ensure_jars(CACHE, java),
            java=java,
            port=port,
            controller_port=controller,
        )
        with EmbeddedBroker(layout) as running:
            ensure_topics(running.settings, {"requests": partitions, "replay": partitions})
            yield running.settings
