"""Secrets that clients send, and those that operators set, are nowhere afterwards."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from kafka import KafkaProducer
from websockets.sync.client import connect

from contracts.kafka import KafkaSettings
from infra.ports import free_ports
from infra.stack import site_secret
from tests.support import canary
from tests.support.canary import ADDRESS, CANARY, FORGED, KEPT, ask, places_with, target
from tests.support.stack import RunningStack
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

WHOLE_ADDRESSES = {"clickwake.requests", "clickwake.replay", "clickwake.dead-letters"}
BAD = "a record that is none, with "


def test_secrets_of_requests_are_nowhere(stack: RunningStack) -> None:
    """Requests go through the whole product; then everything it keeps and says is searched."""
    kafka = KafkaSettings(bootstrap_servers=stack.kafka)
    dead = dead_letters(stack)
    send_canaries(stack)
    send_dead_letter(kafka)
    visit = wait_until(lambda: the_visit(stack), 90, "the visit is stored")
    wait_until(lambda: dead_letters(stack) > dead, 90, "the dead letter is counted")

    topics = [*canary.topics(kafka)]
    files = [*canary.files(stack.data)]
    said = [*answers(stack, visit["session_id"])]

    # What the search can find: else nothing below would mean anything.
    assert {"clickwake.requests", "clickwake.events"} <= places_with(KEPT, topics)
    assert str(stack.data / "history.db") in "\n".join(places_with(KEPT, files))
    assert {"/api/v1/sessions", "events", "/api/v1/live"} <= places_with(KEPT, said)

    everywhere = [*topics, *files, *said]
    assert places_with(CANARY, everywhere) == set()
    assert places_with(FORGED, everywhere) == set()
    secret = site_secret(stack.data / "site-secret")
    assert places_with(secret, everywhere) == {str(stack.data / "site-secret")}
    # The documented exceptions: three topics (another test may have replayed a log), the broker's
    # files that hold them, and the rows of the last micro-batches, which Spark has in its scratch
    # files while it works.
    holding = places_with(ADDRESS, topics)
    assert {"clickwake.requests", "clickwake.dead-letters"} <= holding <= WHOLE_ADDRESSES
    assert places_with(ADDRESS, said) == set()
    assert {place.split("/")[-2].rpartition("-")[0] for place in kafka_files(stack, files)} <= (
        WHOLE_ADDRESSES
    )
    elsewhere = places_with(ADDRESS, files) - kafka_files(stack, files)
    scratch = str(stack.data / "run" / "spark")
    assert {place for place in elsewhere if not place.startswith(scratch)} == set()


def send_canaries(stack: RunningStack) -> None:
    """As many ways to hide a secret in a request as a raw client has."""
    host = stack.site.removeprefix("http://")
    secret = canary.canary
    for line in (
        f"GET {target()}",
        f"GET {target('/')}",
        f"GET http://ann:{secret('target-user')}@{host}{target('/cart')}",
        f"GET //ann:{secret('double-slash')}@{host}/cart",
        f"GET /%252e/a%253Bsid={secret('twice-escaped')}",
    ):
        assert b"HTTP/1.1 " in ask(stack.site, line, host)
    ask(stack.site, "GET /cart", f"ann:{secret('host-user')}@{host}/?{secret('host')}")
    ask(stack.site, f"POST {target('/nowhere')}", host, f"password={secret('body')}")


def send_dead_letter(kafka: KafkaSettings) -> None:
    producer = KafkaProducer(**kafka.client_options())
    producer.send(kafka.topic("requests"), key=b"shop/x", value=(BAD + ADDRESS).encode())
    producer.close()


def the_visit(stack: RunningStack) -> dict[str, Any] | None:
    """Its session, when all that was sent has arrived."""
    sessions = stack.sessions("site=demo&bots=include&status=open")
    found = [one for one in sessions if one["attribution"]["utm_source"] == KEPT]
    return found[0] if found and found[0]["events"] >= 7 else None


def dead_letters(stack: RunningStack) -> int:
    return int(stack.get("/api/v1/ledger")["total"]["dead_letters"])


def answers(stack: RunningStack, session_id: str) -> list[tuple[str, bytes]]:
    """What the API says, and what a dashboard is told first."""
    paths = ["/api/v1/sessions?bots=include&limit=200", f"/api/v1/sessions/{session_id}"]
    paths += ["/api/v1/stats", "/api/v1/ledger", "/readyz", "/healthz", "/openapi.json"]
    found = []
    for path in paths:
        with urlopen(f"{stack.api}{path}", timeout=30) as answer:
            name = "events" if session_id in path else path.partition("?")[0]
            found.append((name, answer.read()))
    with connect(f"{stack.api.replace('http', 'ws')}/api/v1/live") as live:
        frame = live.recv(30)
        found.append(("/api/v1/live", frame.encode() if isinstance(frame, str) else frame))
    return found


def kafka_files(stack: RunningStack, files: list[tuple[Path, bytes]]) -> set[str]:
    """The files of the broker that hold the address."""
    broker = str(stack.data / "kafka")
    return {place for place in places_with(ADDRESS, files) if place.startswith(broker)}


@pytest.mark.parametrize("program", ["api", "spark_jobs.imports"])
def test_secrets_of_operators_are_in_no_output(tmp_path: Path, program: str) -> None:
    """Passwords that do not work, since errors are where they would be shown."""
    kafka, database = free_ports(2)
    settings = {
        "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": f"127.0.0.1:{kafka}",
        "CLICKWAKE_KAFKA_SECURITY_PROTOCOL": "SASL_PLAINTEXT",
        "CLICKWAKE_KAFKA_SASL_MECHANISM": "SCRAM-SHA-512",
        "CLICKWAKE_KAFKA_SASL_USERNAME": "clickwake",
        "CLICKWAKE_KAFKA_SASL_PASSWORD": canary.canary("kafka-password"),
    }
    if program == "api":
        password = canary.canary("database-password")
        url = f"postgresql://clickwake:{password}@127.0.0.1:{database}/clickwake"
        settings |= {"CLICKWAKE_API_DATABASE_URL": url, "CLICKWAKE_API_LOG_LEVEL": "DEBUG"}
        settings |= {"CLICKWAKE_API_PORT": str(free_ports(1)[0])}
    command = [sys.executable, "-m", program]
    command += ["--give-up", f"--state={tmp_path}"] if program != "api" else []
    said = tmp_path / "said"
    with said.open("wb") as file:
        process = subprocess.Popen(
            command, env=os.environ | settings, stdout=file, stderr=subprocess.STDOUT
        )
    try:
        wait_until(lambda: said.read_bytes().strip(), 60, "it says what is wrong")
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=8)  # for what it says when it tries again
    finally:
        process.terminate()
        process.wait(timeout=30)
    output = said.read_bytes()
    assert CANARY.encode() not in output
