"""The embedded broker's settings and command lines, as values."""

from pathlib import Path

import msgspec

from contracts.topics import MAX_RECORD_BYTES
from infra.jars import class_path
from infra.java import Java

HOST = "127.0.0.1"
LOG_CONFIG = Path(__file__).parent / "kafka-log4j2.properties"
MEBIBYTE = 1024 * 1024


class BrokerLayout(msgspec.Struct, frozen=True, kw_only=True):
    """Where one embedded broker lives: its folder, its port, and its controller's port.

    ``jars`` is the folder that ``infra.jars.ensure_jars`` returns. ``overrides`` are Kafka
    properties that come last, ``format_options`` arguments for formatting its folder (users, say).
    """

    folder: Path
    jars: Path
    java: Java
    port: int
    controller_port: int
    heap_mb: int = 384
    overrides: dict[str, str] = {}
    format_options: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """The bootstrap address."""
        return f"{HOST}:{self.port}"

    @property
    def properties_file(self) -> Path:
        """Kafka's settings file."""
        return self.folder / "server.properties"

    @property
    def log_folder(self) -> Path:
        """Where Kafka keeps its records and metadata."""
        return self.folder / "records"


def properties(layout: BrokerLayout) -> dict[str, str]:
    """Kafka's settings: one node, broker and controller in one process, on loopback only."""
    return _node(layout) | _sizes() | _single_copy() | _promptness() | layout.overrides


def _node(layout: BrokerLayout) -> dict[str, str]:
    controller = f"{HOST}:{layout.controller_port}"
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@{controller}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://{layout.address},CONTROLLER://{controller}",
        "advertised.listeners": f"PLAINTEXT://{layout.address}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": str(layout.log_folder),
        # Topics come from the contract; a misspelt name must not become one.
        "auto.create.topics.enable": "false",
    }


def _sizes() -> dict[str, str]:
    return {
        "message.max.bytes": str(MAX_RECORD_BYTES),
        "replica.fetch.max.bytes": str(MAX_RECORD_BYTES),
        "log.segment.bytes": str(128 * MEBIBYTE),
        # The cleaner's default buffer, 128 MiB, would not fit into the small heap.
        "log.cleaner.dedupe.buffer.size": str(16 * MEBIBYTE),
        "num.network.threads": "2",
        "num.io.threads": "4",
        "background.threads": "2",
        "num.recovery.threads.per.data.dir": "2",
    }


def _single_copy() -> dict[str, str]:
    return {
        "default.replication.factor": "1",
        "min.insync.replicas": "1",
        "offsets.topic.num.partitions": "1",
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.num.partitions": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "share.coordinator.state.topic.num.partitions": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
    }


def _promptness() -> dict[str, str]:
    return {
        # A single consumer need not wait for others to join its group.
        "group.initial.rebalance.delay.ms": "0",
        # After kill -9 the next start waits this long for its former self to be forgotten.
        "broker.session.timeout.ms": "6000",
        "broker.heartbeat.interval.ms": "1000",
    }


def properties_text(values: dict[str, str]) -> str:
    """The settings in Java's properties format."""
    return "".join(f"{name}={value}\n" for name, value in values.items())


def storage_command(layout: BrokerLayout, cluster_id: str) -> list[str]:
    """The command that formats the broker's folder, once in its life."""
    return [
        layout.java.command, "-Xmx128m", "-XX:TieredStopAtLevel=1", *_common(layout),
        "kafka.tools.StorageTool", "format",
        "--cluster-id", cluster_id, "--config", str(layout.properties_file),
        *layout.format_options,
    ]  # fmt: skip


def broker_command(layout: BrokerLayout) -> list[str]:
    """The command that runs the broker in the foreground."""
    return [
        layout.java.command, f"-Xmx{layout.heap_mb}m", "-Xms128m", "-XX:+UseSerialGC",
        "-XX:+ExitOnOutOfMemoryError", "-Djava.awt.headless=true", *_common(layout),
        "kafka.Kafka", str(layout.properties_file),
    ]  # fmt: skip


def _common(layout: BrokerLayout) -> list[str]:
    return [
        f"-Dlog4j2.configurationFile={LOG_CONFIG}",
        "-cp",
        class_path(layout.jars, "kafka"),
    ]
