"""The live view on a real Kafka, a real server and real WebSocket clients."""

import json
import socket
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from contracts import SessionUpdate
from contracts.kafka import KafkaSettings
from contracts.live import Recovered, ServerMessage, Snapshot, Update
from tests.integration.test_api_kafka import Topics
from tests.support.api import Served, api_settings, served
from tests.support.messages import a_job_status, a_session, an_event
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

DECODER = msgspec.json.Decoder(ServerMessage)
DEADLINE = 30


def now() -> int:
    return time.time_ns() // 1_000_000


def a_visit(session_id: str, **fields: Any) -> SessionUpdate:
    """A session of this very moment."""
    return a_session(session_id, start=now(), **fields)


@pytest.fixture
def topics(kafka: KafkaSettings) -> Iterator[Topics]:
    writing = Topics(kafka)
    yield writing
    writing.close()


@pytest.fixture
def api(tmp_path: Path, kafka: KafkaSettings) -> Iterator[Served]:
    settings = api_settings(tmp_path, allowed_origins="https://dash.example", live_clients=3)
    with served(settings, kafka) as running:
        yield running.wait_ready()


def dashboard(api: Served, **options: Any) -> ClientConnection:
    return connect(f"ws://{api.address}/api/v1/live", compression=None, **options)


def receive(client: ClientConnection) -> ServerMessage:
    return DECODER.decode(client.recv(DEADLINE))


def next_update(client: ClientConnection) -> Update:
    """The next update; heartbeats between are skipped."""
    while True:
        message = receive(client)
        if isinstance(message, Update):
            return message


def until_told(client: ClientConnection, session_id: str, revision: int = 1) -> Update:
    while True:
        update = next_update(client)
        if any((s.session_id, s.revision) == (session_id, revision) for s in update.sessions):
            return update


def test_a_dashboard_gets_a_snapshot_then_each_change(api: Served, topics: Topics) -> None:
    topics.write("sessions", a_visit("before"))
    wait_until(lambda: "before" in snapshot_ids(api), what="the hub knows the session")
    with dashboard(api) as client:
        first = receive(client)
        assert isinstance(first, Snapshot)
        assert first.sequence == 1
        assert first.counts.open_sessions == 1
        visit = a_visit("visit")
        topics.write("events", an_event(event_time=now()))
        topics.write("sessions", visit)
        update = until_told(client, "visit")
        assert update.sessions == [visit]
        assert update.newest_response == visit.last_seen
        assert update.counts.open_sessions == 2
        topics.write("sessions", msgspec.structs.replace(visit, revision=2, status="closed"))
        assert until_told(client, "visit", 2).counts.open_sessions == 1


def snapshot_ids(api: Served) -> list[str]:
    with dashboard(api) as client:
        first = receive(client)
    assert isinstance(first, Snapshot)
    return [session.session_id for session in first.sessions]


def test_sequences_have_no_gap(api: Served, topics: Topics) -> None:
    with dashboard(api) as client:
        first = receive(client)
        assert isinstance(first, Snapshot)
        sequences = [first.sequence]
        for revision in range(1, 120):
            topics.write("sessions", a_visit("busy", revision=revision))
        latest = 0
        while latest < 119:
            update = next_update(client)
            sequences.append(update.sequence)
            latest = update.sessions[0].revision
    assert sequences == list(range(1, len(sequences) + 1))


def test_pings_are_answered_with_the_servers_time(api: Served) -> None:
    with dashboard(api) as client:
        receive(client)
        client.send(json.dumps({"type": "ping", "sent": 123.5}))
        pong = json.loads(client.recv(DEADLINE))
    assert (pong["type"], pong["sent"]) == ("pong", 123.5)
    assert abs(pong["server_time"] - now()) < 60_000


def test_silence_is_filled_with_heartbeats(api: Served, topics: Topics) -> None:
    topics.write("job-status", a_job_status(now()))
    with dashboard(api) as client:
        receive(client)
        heartbeat = json.loads(client.recv(DEADLINE))
    assert (heartbeat["type"], heartbeat["sequence"]) == ("heartbeat", 2)
    assert 0 <= heartbeat["pipeline_age_ms"] < 60_000


@pytest.mark.parametrize("nonsense", ["hello", '{"type":"pong"}', b"\x00"])
def test_nonsense_ends_the_connection(api: Served, nonsense: str | bytes) -> None:
    with dashboard(api) as client:
        receive(client)
        client.send(nonsense)
        with pytest.raises(ConnectionClosed) as closed:
            client.recv(DEADLINE)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
def test_foreign_pages_are_refused(api: Served, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        dashboard(api, origin=origin)
    response = refused.value.response
    assert response.status_code == 403
    assert response.headers["content-type"] == "application/problem+json"
    assert "CLICKWAKE_API_ALLOWED_ORIGINS" in json.loads(response.body)["detail"]


def test_our_own_pages_and_programs_are_welcome(api: Served) -> None:
    for origin in (f"http://{api.address}", "https://dash.example", None):
        with dashboard(api, origin=origin) as client:
            assert isinstance(receive(client), Snapshot)


def test_too_many_dashboards_are_refused(api: Served) -> None:
    with dashboard(api), dashboard(api), dashboard(api) as last:
        receive(last)
        with pytest.raises(InvalidStatus) as refused:
            dashboard(api)
        assert refused.value.response.status_code == 503
    wait_until(lambda: "0 connected" in dashboards(api), what="they are counted out")


def dashboards(api: Served) -> str:
    return str(api.get("/healthz").json()["components"]["dashboards"]["detail"])


def test_a_slow_dashboard_skips_states_and_holds_up_nobody(api: Served, topics: Topics) -> None:
    """A client that does not read fills its buffers; then it sees the newest states only."""
    slow = connect(
        f"ws://{api.address}/api/v1/live", compression=None, max_queue=1, sock=small_socket(api)
    )
    with slow, dashboard(api) as fast:
        receive(fast)
        rounds = 20
        for revision in range(1, rounds + 1):
            visits = [
                a_visit(f"v{n}", revision=revision, entry_page="/" * 1500) for n in range(300)
            ]
            topics.write("sessions", *visits)
            until_told(fast, "v299", revision)
        seen: list[int] = []
        while not seen or seen[-1] < rounds:
            message = receive(slow)
            if isinstance(message, Update):
                seen += sorted({session.revision for session in message.sessions})
    assert seen == sorted(seen)
    assert len(set(seen)) < rounds


def small_socket(api: Served) -> socket.socket:
    """A connection whose receive buffer holds little, so that not reading is felt soon."""
    host, _, port = api.address.partition(":")
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    connection.connect((host, int(port)))
    return connection


def test_the_live_view_does_not_wait_for_the_database(
    api: Served, topics: Topics, tmp_path: Path
) -> None:
    lock = sqlite3.connect(tmp_path / "history.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    with dashboard(api) as client:
        receive(client)
        topics.write("sessions", a_visit("visit"))
        until_told(client, "visit")
        assert api.get("/api/v1/sessions/visit").status_code == 404
    lock.execute("ROLLBACK")
    wait_until(
        lambda: api.get("/api/v1/sessions/visit").status_code == 200, what="history catches up"
    )


def test_after_a_restart_the_snapshot_is_what_it_was(
    tmp_path: Path, kafka: KafkaSettings, topics: Topics
) -> None:
    settings = api_settings(tmp_path)
    topics.write("sessions", a_visit("open"), a_session("old", status="final"))
    topics.write("events", an_event(event_time=now()))
    with served(settings, kafka) as api:
        api.wait_ready()
        before = snapshot(api)
    with served(settings, kafka) as api:
        api.wait_ready()
        after = snapshot(api)
    assert [s.session_id for s in after.sessions] == ["open", "old"]
    assert after.sessions == before.sessions
    assert after.counts.open_sessions == before.counts.open_sessions == 1
    assert sum(m.pages for m in after.counts.minutes) == 1


def snapshot(api: Served) -> Snapshot:
    with dashboard(api) as client:
        first = receive(client)
    assert isinstance(first, Snapshot)
    return first


def resumed(api: Served, position: str | None) -> Recovered | Snapshot:
    """The first message of a connection that goes on from there."""
    with connect(f"ws://{api.address}/api/v1/live?hello", compression=None) as client:
        client.send(json.dumps({"type": "hello", "resume": position}))
        first = receive(client)
    assert isinstance(first, Recovered | Snapshot)
    return first


def test_who_reconnects_gets_exactly_what_it_missed(api: Served, topics: Topics) -> None:
    with dashboard(api) as client:
        receive(client)
        topics.write("sessions", a_visit("told"))
        position = until_told(client, "told").position
        topics.write("sessions", a_visit("missed"), a_visit("missed", revision=2))
        until_told(client, "missed", 2)
    missed = resumed(api, position)
    assert missed.recovered
    assert [(one.session_id, one.revision) for one in missed.sessions] == [("missed", 2)]
    assert missed.counts is not None
    assert missed.counts.open_sessions == 2
    assert resumed(api, missed.position).sessions == []
    assert not resumed(api, None).recovered


def test_a_position_holds_after_a_restart_and_in_another_process(
    tmp_path: Path, kafka: KafkaSettings, topics: Topics
) -> None:
    settings = api_settings(tmp_path / "first")
    (tmp_path / "first").mkdir()
    with served(settings, kafka) as api, dashboard(api.wait_ready()) as client:
        receive(client)
        topics.write("sessions", a_visit("told"))
        position = until_told(client, "told").position
        assert api.get("/api/v1/sessions").status_code == 200
    topics.write("sessions", a_visit("while away"))
    with served(settings, kafka) as api:
        api.wait_ready()
        again = resumed(api, position)
        assert api.app.state.service.live.cluster, "positions tell clusters apart"
        (tmp_path / "second").mkdir()
        with served(api_settings(tmp_path / "second"), kafka) as other:
            other.wait_ready()
            elsewhere = resumed(other, position)
    for missed in (again, elsewhere):
        assert missed.recovered
        assert [session.session_id for session in missed.sessions] == ["while away"]
