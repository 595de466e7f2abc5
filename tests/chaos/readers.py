"""Faults of readers and of what they read: topics read again, consumers that come and go."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import msgspec
from kafka import KafkaProducer
from websockets.sync.client import ClientConnection, connect

from infra.readiness import answers
from tests.chaos.attack import Attack, BrokenError
from tests.chaos.batch import is_watermark
from tests.chaos.history import event_ids
from tests.chaos.tail import TopicRecord, read_all
from tests.chaos.world import own_ports
from tests.support.job import ROOT
from tests.support.waiting import wait_until

MOST_AGAIN = 20_000


def history_again(attack: Attack) -> None:
    """All topics read from their start by the history, twice."""
    for _ in range(2):
        attack.world.wait_for("api")
        attack.world.kill("api")
        # The supervisor waits a second before it starts the next one.
        with closing(sqlite3.connect(attack.world.database, timeout=20)) as opened, opened:
            opened.execute("DELETE FROM consumer_offsets")
        attack.world.wait_for("api")


def requests_again(attack: Attack) -> None:
    """Every record of the request topic produced again, byte for byte, twice."""
    records = _distinct(read_all(attack.world.kafka, "requests"))[-MOST_AGAIN:]
    producer = KafkaProducer(
        **attack.world.kafka.client_options(), acks="all", bootstrap_timeout_ms=10_000
    )
    for _ in range(2):
        for one in records:
            producer.send(
                attack.world.kafka.topic("requests"), one.value, one.key, partition=one.partition
            )
    producer.flush(timeout=60)
    producer.close()
    attack.say(f"{len(records)} records of the request topic produced twice again")


def _distinct(records: list[TopicRecord]) -> list[TopicRecord]:
    """Without those that were produced again before."""
    known = {(one.partition, one.key, one.value): one for one in reversed(records)}
    events = [one for one in known.values() if not is_watermark(one)]
    return sorted(events, key=lambda one: (one.timestamp, one.partition, one.offset))


def second_api(attack: Attack) -> None:
    """A further API with a history of its own joins, reads everything, and is killed."""
    owed = attack.oracle.promised("event")
    mark = attack.world.wait_for("api")
    (port,) = own_ports(1)
    folder = attack.world.data / "second"
    folder.mkdir(exist_ok=True)
    database = folder / f"{port}.db"
    ours = {
        "CLICKWAKE_API_PORT": str(port),
        "CLICKWAKE_API_DATABASE_URL": f"sqlite:///{database}",
    }
    process = _start_api(_environment(mark.pid) | ours, folder / "api.log")
    try:
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/readyz"), 90, "the second API")
        wait_until(lambda: owed <= event_ids(database), 60, "the second history is complete")
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    attack.say(f"a second history had all {len(owed)} events, and was killed")


def _environment(pid: int) -> dict[str, str]:
    pairs = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if pair)


def _start_api(environ: dict[str, str], log: Path) -> "subprocess.Popen[bytes]":
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "api"],
            cwd=ROOT,
            env=environ,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def dashboards(attack: Attack) -> None:
    """A dashboard that watches and one that never reads join; both vanish without a word."""
    attack.world.wait_for("api")
    address = attack.world.api.replace("http", "ws") + "/api/v1/live"
    port = int(attack.world.api.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as deaf:
        deaf.sendall(_handshake(address))
        with connect(address, open_timeout=20) as watching:
            _watch(watching, time.monotonic() + attack.dice.uniform(4, 8))
            watching.socket.shutdown(socket.SHUT_RDWR)


def _handshake(address: str) -> bytes:
    host, path = address.split("/")[2], "/" + "/".join(address.split("/")[3:])
    return (
        f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def _watch(connection: ClientConnection, until: float) -> None:
    """Every numbered message is the one after the last; BrokenError names a gap."""
    expected = 1
    while time.monotonic() < until:
        message = msgspec.json.decode(connection.recv(timeout=30))
        if message["type"] == "goodbye":
            continue
        if message["sequence"] != expected:
            raise BrokenError(
                f"a dashboard got message {message['sequence']} instead of {expected}"
            )
        expected += 1
