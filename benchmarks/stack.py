"""A broker of the benchmark's own, in a folder that goes away with it."""

import os
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


def job_environment(kafka: KafkaSettings, folder: Path) -> dict[str, str]:
    """What the session job needs to run on this broker, with its checkpoint in ``folder``."""
    return os.environ | {
        "PYTHONPATH": str(ROOT),
        "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap_servers,
        "CLICKWAKE_KAFKA_TOPIC_PREFIX": kafka.topic_prefix,
        "CLICKWAKE_JOB_CHECKPOINT": str(folder / "checkpoint"),
        "CLICKWAKE_JOB_JARS": str(CACHE / "jars"),
        "CLICKWAKE_JOB_GEO": ",".join(geo_files()),
    }


@contextmanager
def broker(partitions: int = 2) -> Iterator[KafkaSettings]:
    """Settings of a running broker with all topics made."""
    with running_broker(partitions) as running:
        yield running.settings


@contextmanager
def running_broker(partitions: int = 2) -> Iterator[EmbeddedBroker]:
    """A running broker with all topics made, for who must reach its process."""
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
            yield running
