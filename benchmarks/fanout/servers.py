"""The servers that are compared: each in a process of its own, on one core."""

import http.client
import json
import os
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
from kafka import KafkaProducer

from benchmarks import choosing
from benchmarks.compare.environments import UnavailableError
from benchmarks.fanout import centrifugo, messages
from benchmarks.fanout.limits import cores, pinned
from benchmarks.serving import served
from benchmarks.stack import ROOT
from contracts.kafka import KafkaSettings
from infra.ports import HOST, free_ports, is_listening

TITLES = {
    "clickwake": "Clickwake",
    "broadcast": "FastAPI broadcast",
    "centrifugo": f"Centrifugo {centrifugo.VERSION}",
}

Publish = Callable[[int, int], None]
"""Tell the update with that number, which was due at that moment (monotonic ns)."""


class Running(NamedTuple):
    """A server that serves: its process, where its WebSocket is, and how to make it tell."""

    pid: int
    port: int
    path: str
    publish: Publish
    hello: str = ""
    echo: str = ""


def chosen(names: str) -> list[str]:
    """Those of a comma-separated list; all when it is empty."""
    return choosing.chosen(names, TITLES, "server")


def unavailable(name: str) -> str | None:
    """Why that server cannot run here; None when it can. Builds what is missing."""
    try:
        if name == "centrifugo":
            centrifugo.ensure_centrifugo()
    except UnavailableError as error:
        return str(error)
    return None


@contextmanager
def serving(name: str, clients: int, kafka: KafkaSettings | None) -> Iterator[Running]:
    """A fresh server. Its output is shown when it does not start."""
    with tempfile.TemporaryDirectory(prefix="clickwake-fanout-") as text:
        folder, (port,) = Path(text), free_ports(1)
        if name == "clickwake":
            assert kafka is not None
            with _clickwake(folder, port, clients, kafka) as running:
                yield running
        elif name == "broadcast":
            with _broadcast(folder, port) as running:
                yield running
        else:
            with _centrifugo(folder, port) as running:
                yield running


@contextmanager
def _clickwake(folder: Path, port: int, clients: int, kafka: KafkaSettings) -> Iterator[Running]:
    """The product's own API process, fed as the session job feeds it: through its topic."""
    environ = {
        "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap_servers,
        "CLICKWAKE_KAFKA_TOPIC_PREFIX": kafka.topic_prefix,
        "CLICKWAKE_API_PORT": str(port),
        "CLICKWAKE_API_DATABASE_URL": f"sqlite:///{folder / 'history.db'}",
        "CLICKWAKE_API_DASHBOARD_DIR": str(folder / "dashboard"),
        "CLICKWAKE_API_LIVE_CLIENTS": str(clients + 1),
        "CLICKWAKE_API_LOG_LEVEL": "WARNING",
    }
    command = [sys.executable, "-m", "api"]
    with _process(command, environ, folder, lambda: _is_ready(port)) as pid:
        producer = KafkaProducer(**kafka.client_options(), acks=1, linger_ms=0)
        topic, encode = kafka.topic("sessions"), msgspec.json.Encoder().encode

        def publish(number: int, due_ns: int) -> None:
            update = messages.update(number, due_ns, _now_ms())
            producer.send(topic, key=update.session_id.encode(), value=encode(update))
            producer.flush(10)

        try:
            yield Running(pid, port, "/api/v1/live", publish)
        finally:
            producer.close()


def _is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@contextmanager
def _broadcast(folder: Path, port: int) -> Iterator[Running]:
    command = [sys.executable, "-m", "benchmarks.fanout.plain", str(port)]
    with _process(command, {}, folder, lambda: is_listening(f"{HOST}:{port}")) as pid:
        post = _poster(port, "/publish", {"Content-Type": "text/plain"})

        def publish(number: int, due_ns: int) -> None:
            post(messages.frame(number, due_ns, _now_ms()))

        yield Running(pid, port, "/live", publish)


@contextmanager
def _centrifugo(folder: Path, port: int) -> Iterator[Running]:
    key = os.urandom(16).hex()
    settings = folder / "config.json"
    settings.write_text(json.dumps(centrifugo.configuration(port, key)))
    command = [str(centrifugo.ensure_centrifugo()), "-c", str(settings)]
    with _process(command, {}, folder, lambda: is_listening(f"{HOST}:{port}")) as pid:
        headers = {"Content-Type": "application/json", "X-API-Key": key}
        post = _poster(port, "/api/publish", headers)

        def publish(number: int, due_ns: int) -> None:
            frame = messages.frame(number, due_ns, _now_ms())
            post(b'{"channel":"%b","data":%b}' % (centrifugo.CHANNEL.encode(), frame))

        path, hello, echo = "/connection/websocket", centrifugo.HELLO, centrifugo.ECHO
        yield Running(pid, port, path, publish, hello, echo)


def _poster(port: int, path: str, headers: dict[str, str]) -> Callable[[bytes], None]:
    """Posts over one connection that stays."""
    connection = http.client.HTTPConnection(HOST, port, timeout=30)

    def post(body: bytes) -> None:
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{path} answered {answer.status}")

    return post


@contextmanager
def _process(
    command: list[str], environ: dict[str, str], folder: Path, is_up: Callable[[], bool]
) -> Iterator[int]:
    """Its process id, from when it is up. It runs on the server's core."""
    environ = os.environ | {"PYTHONPATH": str(ROOT)} | environ
    with served(command, environ, folder / "server.log", is_up, pinned(cores()[0])) as pid:
        yield pid


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
