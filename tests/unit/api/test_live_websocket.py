"""The live WebSocket as served, without Kafka: first messages, tickets, closings."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from api.history.writer import HistoryWriter
from tests.support.access import bearer, new_key
from tests.support.api import NO_KAFKA, Served, api_settings, served
from tests.support.history import a_slice, new_history
from tests.support.messages import a_session
from tests.support.waiting import wait_until

DEADLINE = 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history with a visitor from France and one from Germany, who are here now."""
    folder = tmp_path_factory.mktemp("live")
    now = time.time_ns() // 1_000_000
    engine = new_history(folder)
    sessions = [a_session("fr", start=now, country="FR"), a_session("de", start=now)]
    HistoryWriter(engine).take([a_slice("sessions", sessions)])
    engine.dispose()
    return folder


@pytest.fixture(scope="module")
def api(folder: Path) -> Iterator[Served]:
    with served(api_settings(folder), NO_KAFKA) as running:
        wait_until(lambda: len(ids(first(running))) == 2, what="the history is shown")
        yield running


@pytest.fixture(scope="module")
def locked(folder: Path) -> Iterator[Served]:
    with served(api_settings(folder, require_keys=True), NO_KAFKA) as running:
        yield running


def opened(api: Served, query: str = "?hello") -> ClientConnection:
    return connect(f"ws://{api.address}/api/v1/live{query}", compression=None, max_size=None)


def said(client: ClientConnection, kind: str, **fields: Any) -> dict[str, Any]:
    client.send(json.dumps({"type": kind, **fields}))
    answer: dict[str, Any] = json.loads(client.recv(DEADLINE))
    return answer


def first(api: Served, **fields: Any) -> dict[str, Any]:
    with opened(api) as client:
        return said(client, "hello", **fields)


def ids(message: dict[str, Any]) -> set[str]:
    return {session["session_id"] for session in message["sessions"]}


def ending(client: ClientConnection) -> int:
    """The code with which the server ends the connection."""
    with pytest.raises(ConnectionClosed) as closed:
        read_on(client)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code


def read_on(client: ClientConnection) -> None:
    while True:
        client.recv(DEADLINE)


def test_a_filtered_snapshot_holds_what_was_asked_for(api: Served) -> None:
    answer = first(api, subscription={"country": ["FR"]})
    assert (answer["type"], answer["recovered"], ids(answer)) == ("snapshot", False, {"fr"})
    assert answer["counts"]["open_sessions"] == 1


def test_a_subscription_can_be_changed(api: Served) -> None:
    with opened(api) as client:
        said(client, "hello", subscription={"country": ["FR"]})
        answer = said(client, "subscribe", subscription={"country": ["DE"]})
    assert (answer["type"], answer["sequence"], ids(answer)) == ("snapshot", 2, {"de"})


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ('{"type":"hello","subscription":{"contry":["DE"]}}', 1008),
        ('{"type":"hello","subscription":{"topics":[]}}', 1008),
        ('{"type":"subscribe"}', 1008),
        ("[" * 4000, 1008),
        ("x" * 4097, 1009),
    ],
)
def test_what_cannot_be_understood_ends_the_connection(
    api: Served, message: str, code: int
) -> None:
    with opened(api) as client:
        client.send(message)
        assert ending(client) == code


def test_a_second_hello_ends_the_connection(api: Served) -> None:
    with opened(api) as client:
        said(client, "hello")
        client.send('{"type":"hello"}')
        assert ending(client) == 1008


def test_a_key_in_the_first_message_opens(locked: Served, folder: Path) -> None:
    assert first(locked, key=new_key(folder, "read"))["type"] == "snapshot"


@pytest.mark.parametrize("key", [None, "cw_" + "0" * 12 + "_" + "0" * 64, "nonsense"])
def test_without_a_good_key_it_stays_shut(locked: Served, key: str | None) -> None:
    with opened(locked) as client:
        client.send(json.dumps({"type": "hello", "key": key}))
        assert ending(client) == 4001


def test_a_ticket_opens_once(locked: Served, folder: Path) -> None:
    address = f"http://{locked.address}/api/v1/live/tickets"
    assert httpx.post(address).status_code == 401
    answer = httpx.post(address, headers=bearer(new_key(folder, "read")))
    assert answer.headers["cache-control"] == "no-store"
    ticket = answer.json()["ticket"]
    assert first(locked, ticket=ticket)["type"] == "snapshot"
    with opened(locked) as client:
        client.send(json.dumps({"type": "hello", "ticket": ticket}))
        assert ending(client) == 4001


def test_a_server_that_ends_says_when_to_come_back(folder: Path) -> None:
    with served(api_settings(folder), NO_KAFKA) as running, opened(running) as client:
        said(client, "hello")
        running.ask_to_stop()
        goodbye = json.loads(client.recv(DEADLINE))
        assert goodbye["type"] == "goodbye"
        assert 500 <= goodbye["retry_ms"] <= 2_001
        assert ending(client) == 1012
