"""A real Kafka broker as a child process: format once, start, wait for metadata, stop."""

import base64
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Self

from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError

from contracts.kafka import KafkaSettings
from infra.errors import InfraError
from infra.kafka_config import (
    BrokerLayout,
    broker_command,
    properties,
    properties_text,
    storage_command,
)
from infra.ports import is_listening

START_SECONDS = 60.0
STOP_SECONDS = 10.0
POLL_SECONDS = 0.1


def prepare(layout: BrokerLayout) -> list[str]:
    """Write the settings and format the folder if it is new; the command that runs the broker.

    The records of an earlier run stay. Raises InfraError when the folder cannot be formatted.
    """
    layout.folder.mkdir(parents=True, exist_ok=True)
    layout.properties_file.write_text(properties_text(properties(layout)))
    if not (layout.log_folder / "meta.properties").exists():
        _format(layout)
    return broker_command(layout)


def _format(layout: BrokerLayout) -> None:
    done = subprocess.run(
        storage_command(layout, new_cluster_id()), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        lines = (done.stderr + done.stdout).strip().splitlines() or ["it said nothing"]
        raise InfraError(f"Kafka could not prepare the folder {layout.folder}: {lines[0]}")


def new_cluster_id() -> str:
    """A random id in Kafka's own form: 22 characters of URL-safe base64.

    As in Kafka's own ids, no dash begins it: its command line would take it for an option.
    """
    drawn = iter(lambda: base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("="), "")
    return next(one for one in drawn if not one.startswith("-"))


def is_serving(kafka: KafkaSettings) -> bool:
    """Whether the cluster tells its metadata and has a broker that is not fenced.

    An open port is not enough: the broker listens seconds before it can serve.
    """
    if not any(is_listening(address) for address in kafka.bootstrap_servers.split(",")):
        return False
    try:
        admin = KafkaAdminClient(
            **kafka.client_options(), bootstrap_timeout_ms=2000, request_timeout_ms=5000
        )
    except (KafkaError, OSError):
        return False
    try:
        return bool(admin.describe_cluster()["brokers"])
    except (KafkaError, OSError):
        return False
    finally:
        admin.close()


class EmbeddedBroker:
    """One broker, owned by the caller: for tests and measurements.

    ``with EmbeddedBroker(layout) as broker`` starts it and stops it. Its output goes to
    ``<folder>/broker.log``.
    """

    def __init__(self, layout: BrokerLayout) -> None:
        self.layout = layout
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def settings(self) -> KafkaSettings:
        """How to reach it, with the default topic prefix."""
        return KafkaSettings(bootstrap_servers=self.layout.address)

    @property
    def pid(self) -> int:
        """The process id while it runs."""
        return self._running().pid

    @property
    def log_file(self) -> Path:
        """What the broker prints."""
        return self.layout.folder / "broker.log"

    def start(self) -> None:
        """Start and wait until it serves. Raises InfraError with the log's last lines."""
        command = prepare(self.layout)
        with self.log_file.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
            )
        if not _poll(self._is_up_or_gone, START_SECONDS) or self._process.poll() is not None:
            last = self.log_file.read_text(errors="replace").strip().splitlines()[-5:]
            self.kill()
            raise InfraError(f"Kafka did not start; its log ends with: {' | '.join(last)}")

    def _is_up_or_gone(self) -> bool:
        return self._running().poll() is not None or is_serving(self.settings)

    def stop(self) -> None:
        """SIGTERM: the broker flushes and closes its records. SIGKILL when it takes too long."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None

    def kill(self) -> None:
        """SIGKILL, as a crash would end it; ``start`` may follow."""
        if self._process is None:
            return
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *unused: object) -> None:
        self.stop()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise InfraError("The broker is not running: call start() first.")
        return self._process


def _poll(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True
