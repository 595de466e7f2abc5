"""The live channel as served, without Kafka: first messages, tickets, events, closings."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from starlette.datastructures import QueryParams
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from api.history.writer import HistoryWriter
from api.live.events import ParametersError, as_event, greeting_of
from api.live.listener import Greeting
from contracts.live import Subscription
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


class Locked(NamedTuple):
    """An API that needs keys, one that may read, and one that may read one site."""

    api: Served
    key: str
    key_of_shop: str


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Locked]:
    folder = tmp_path_factory.mktemp("locked")
    keys = new_key(folder, "read"), new_key(folder, "read", site="shop")
    with served(api_settings(folder, require_keys=True), NO_KAFKA) as running:
        yield Locked(running, *keys)


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


def test_a_key_in_the_first_message_opens(locked: Locked) -> None:
    assert first(locked.api, key=locked.key)["type"] == "snapshot"


@pytest.mark.parametrize("key", [None, "cw_" + "0" * 12 + "_" + "0" * 64, "nonsense"])
def test_without_a_good_key_it_stays_shut(locked: Locked, key: str | None) -> None:
    with opened(locked.api) as client:
        client.send(json.dumps({"type": "hello", "key": key}))
        assert ending(client) == 4001


def test_a_ticket_opens_once(locked: Locked) -> None:
    address = stream(locked.api, "/tickets")
    assert httpx.post(address).status_code == 401
    answer = httpx.post(address, headers=bearer(locked.key))
    assert answer.headers["cache-control"] == "no-store"
    ticket = answer.json()["ticket"]
    assert first(locked.api, ticket=ticket)["type"] == "snapshot"
    with opened(locked.api) as client:
        client.send(json.dumps({"type": "hello", "ticket": ticket}))
        assert ending(client) == 4001


def test_a_server_that_ends_says_when_to_come_back(folder: Path) -> None:
    with (
        served(api_settings(folder), NO_KAFKA) as running,
        opened(running) as client,
        httpx.stream("GET", stream(running), timeout=DEADLINE) as answer,
    ):
        said(client, "hello")
        lines = answer.iter_lines()
        data(lines)
        running.ask_to_stop()
        goodbye = json.loads(client.recv(DEADLINE))
        assert goodbye["type"] == "goodbye"
        assert 500 <= goodbye["retry_ms"] <= 2_002
        assert ending(client) == 1012
        retry, last, event, why = [line for line in lines if line][-4:]
    assert json.loads(last[6:]) == {"type": "goodbye", "retry_ms": int(retry[7:])}
    assert (event, json.loads(why[6:])["code"]) == ("event: end", 1012)


def stream(api: Served, query: str = "") -> str:
    return f"http://{api.address}/api/v1/live{query}"


def data(lines: Iterator[str]) -> Any:
    """The next event's data."""
    return next(json.loads(line[6:]) for line in lines if line.startswith("data: "))


def first_event(api: Served, query: str = "", **options: Any) -> Any:
    with httpx.stream("GET", stream(api, query), timeout=DEADLINE, **options) as answer:
        assert answer.status_code == 200
        return data(answer.iter_lines())


def test_a_stream_begins_with_what_was_asked_for(api: Served) -> None:
    snapshot = first_event(api, "?country=FR,IT&bots=exclude")
    assert (snapshot["type"], ids(snapshot)) == ("snapshot", {"fr"})


def test_no_proxy_keeps_a_stream_back_and_no_foreign_page_may_read_it(api: Served) -> None:
    with httpx.stream("GET", stream(api), timeout=DEADLINE) as answer:
        headers = answer.headers
    assert headers["content-type"].startswith("text/event-stream")
    assert headers["cache-control"] == "no-store, no-transform"
    assert headers["x-accel-buffering"] == "no"
    assert not [name for name in headers if name.startswith("access-control")]
    refused = httpx.get(stream(api), headers={"Origin": "https://evil.example"})
    assert refused.status_code == 403


@pytest.mark.parametrize("query", ["?contry=FR", "?topics=", "?topics=all", "?bots=maybe"])
def test_a_wrong_parameter_of_a_stream_is_refused(api: Served, query: str) -> None:
    answer = httpx.get(stream(api, query))
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")


def test_a_ticket_opens_a_stream_where_no_header_can_be_sent(locked: Locked) -> None:
    api, key = locked.api, bearer(locked.key)
    assert httpx.get(stream(api)).status_code == 401
    ticket = httpx.post(stream(api, "/tickets"), headers=key).json()["ticket"]
    assert first_event(api, f"?ticket={ticket}")["type"] == "snapshot"
    assert httpx.get(stream(api, f"?ticket={ticket}")).status_code == 401
    assert first_event(api, headers=key)["type"] == "snapshot"


def test_an_events_id_is_the_position() -> None:
    message = b'{"type":"update","sequence":2,"position":"ab.12.3-4","server_time":5}'
    assert as_event(message) == b"id: ab.12.3-4\ndata: " + message + b"\n\n"
    unknown = b'{"type":"heartbeat","sequence":2,"position":null,"server_time":5}'
    assert as_event(unknown) == b"data: " + unknown + b"\n\n"


def test_an_address_says_what_is_wanted_and_where_it_was() -> None:
    query = QueryParams("topics=events,stats&path=/tea&country=FR&ticket=t&resume=x.1")
    wanted = Subscription(topics=("events", "stats"), path="/tea", country=("FR",))
    assert greeting_of(query, None) == Greeting(wanted, "x.1")
    assert greeting_of(query, "x.2").resume == "x.2"
    with pytest.raises(ParametersError):
        greeting_of(QueryParams("session=" + "x" * 201), None)


def test_a_key_of_one_site_watches_no_other(locked: Locked) -> None:
    with opened(locked.api) as client:
        assert said(client, "hello", key=locked.key_of_shop)["type"] == "snapshot"
        assert said(client, "subscribe", subscription={"site": ["shop"]})["type"] == "snapshot"
        client.send('{"type":"subscribe","subscription":{"site":["blog"]}}')
        assert ending(client) == 4003
    address, headers = f"http://{locked.api.address}/api/v1/live", bearer(locked.key_of_shop)
    ticket = httpx.post(f"{address}/tickets", headers=headers).json()["ticket"]
    answer = httpx.get(f"{address}?site=blog&ticket={ticket}")
    assert (answer.status_code, "'shop'" in answer.json()["detail"]) == (403, True)
