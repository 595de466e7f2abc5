"""The load's client, the peer's work, a broker that stalls, and the tables."""

import asyncio
import subprocess
import sys

import msgspec
import psutil
import pytest

from benchmarks.interceptor.asked import scope, wire
from benchmarks.interceptor.base_http import BaseHTTPLogging
from benchmarks.interceptor.in_process import AbsentKafka, app, middleware, receive, send
from benchmarks.interceptor.load import Connection, Tally, Task, load
from benchmarks.interceptor.results import (
    Counts,
    InProcess,
    Phase,
    Served,
    in_process_rows,
    notes,
    served_bars,
    served_rows,
)
from benchmarks.interceptor.stalling import stalling
from contracts.kafka import KafkaSettings
from contracts.settings import Secret
from infra.ports import HOST
from interceptor import SiteSettings
from interceptor.emitter import Emitter
from tests.support.waiting import wait_until

PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
TITLES = {"none": "no middleware", "clickwake-up": "Clickwake, Kafka up"}


class Wire:
    """Takes a transport's place."""

    def __init__(self) -> None:
        self.written: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.written.append(data)


async def answered(*pieces: bytes) -> Tally:
    tally, transport = Tally(), Wire()
    connection = Connection(tally, [b"first", b"second"])
    connection.connection_made(transport)  # type: ignore[arg-type]
    connection.free = lambda one: one.ask(0)
    connection.ask(0)
    for piece in pieces:
        connection.data_received(piece)
    assert transport.written[:2] == [b"first", b"second"][: len(tally.delays_us) + 1]
    return tally


def test_an_answer_is_whole_however_its_bytes_are_cut() -> None:
    for size in (1, 7, len(PAGE)):
        pieces = [PAGE[at : at + size] for at in range(0, len(PAGE), size)]
        tally = asyncio.run(answered(*pieces, *pieces))
        assert (len(tally.delays_us), tally.wrong) == (2, 0)


def test_an_answer_that_is_not_the_page_is_counted() -> None:
    error = b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 5\r\n\r\nhello"
    other = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhallo"
    assert asyncio.run(answered(PAGE, error, other)).wrong == 2


async def _from_a_server(answer: bytes, rate: float | None) -> int:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(answer)
            if not answer:
                writer.close()
                return

    async with await asyncio.start_server(serve, HOST, 0) as server:
        port = server.sockets[0].getsockname()[1]
        task = Task(host=HOST, port=port, connections=3, seconds=0.2, rate=rate)
        return (await load(task)).requests


def test_a_paced_load_asks_as_often_as_told_and_a_full_one_until_the_end() -> None:
    assert asyncio.run(_from_a_server(PAGE, 100)) == 20
    assert asyncio.run(_from_a_server(PAGE, None)) > 20


def test_a_server_that_hangs_up_ends_the_load() -> None:
    with pytest.raises(ConnectionError, match="instead of answering"):
        asyncio.run(_from_a_server(b"", 100))


def test_a_request_is_the_same_on_the_wire_and_in_process() -> None:
    text = wire(251, "/product/kettle").decode()
    assert text.startswith("GET /product/kettle?utm_source=news&utm_medium=email&id=1 HTTP/1.1\r\n")
    assert text.endswith("\r\nx-forwarded-for: 81.2.1.1\r\n\r\n")
    for name, value in scope(251, "/product/kettle")["headers"]:
        assert f"\r\n{name.decode()}: {value.decode()}\r\n" in text


def test_the_peer_sends_the_event_that_the_interceptor_sends() -> None:
    absent = AbsentKafka()
    ours = middleware(10, absent.connect, KafkaSettings())
    site = SiteSettings(site_id="shop", secret=Secret("k"), trusted_proxies="127.0.0.1")
    theirs = BaseHTTPLogging(app, site, Emitter(site, KafkaSettings(), connect=absent.connect))
    events = []
    for one in (ours, theirs):
        for path in ("/kettle.png", "/product/kettle"):
            asyncio.run(one(scope(7, path), receive, send))
        counts = Counts.of(one.emitter.stats())
        assert counts == Counts(observed=2, sent=0, lost=0, dropped=1, queued=1)
        taken = one.emitter._outbox.take()
        assert taken is not None
        events.append(msgspec.to_builtins(taken[1]))
        absent.release()
        one.emitter.close()
    for event in events:
        assert event.pop("event_id")
        assert event.pop("event_time") > 1_772_366_400_000
        assert event.pop("duration_ms") >= 0
    # Neither has heard of the day's salt, so the ids have their routes in common and no more.
    mine, yours = (event.pop("visitor_id") for event in events)
    assert (mine[:5], len(mine)) == (yours[:5], len(yours))
    assert events[0] == events[1]
    assert events[0]["client_ip"] == "81.2.0.7"


def test_a_stalling_process_stands_still_again_and_again_and_runs_at_the_end() -> None:
    sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
    with subprocess.Popen(sleep) as process:
        status = psutil.Process(process.pid).status
        try:
            with stalling(process.pid):
                for _ in range(2):
                    wait_until(lambda: status() == psutil.STATUS_STOPPED, 20)
                    wait_until(lambda: status() != psutil.STATUS_STOPPED, 20)
            assert status() != psutil.STATUS_STOPPED
        finally:
            process.kill()


def phase(per_s: float, p99: float, cpu_us: float = 100, client: float = 0.2) -> Phase:
    return Phase(requests=100, per_s=per_s, ms=[0.2, p99, 9, 10], cpu_us=cpu_us, client_cpu=client)


def served(number: int, per_s: float, p99: float, **more: object) -> Served:
    one = Served(
        case="clickwake-up",
        number=number,
        requests=1_000,
        paced=phase(500, p99),
        saturated=phase(per_s, 20),
        memory_mb=40,
        counts=Counts(observed=1_000, sent=900, lost=0, dropped=0, queued=100),
    )
    return msgspec.structs.replace(one, **more)


def test_a_servers_row_has_medians_spreads_and_shares() -> None:
    rounds = [served(1, 9_000, 1), served(2, 10_000, 2), served(3, 11_000, 4)]
    assert served_rows(rounds, TITLES) == [
        [
            *("Clickwake, Kafka up", "10,000", "20%", "0.20 ms", "2.00 ms", "150%"),
            *("100.0 µs", "100.0 µs", "40 MB", "90.0%", "0.0%", "10.0%", "20%"),
        ]
    ]
    assert notes(rounds, TITLES) == []
    (bar,) = served_bars(rounds, TITLES)
    assert (bar.value, bar.text, bar.is_ours) == (10_000, "10,000/s, p99 at rate 2.00 ms", True)


def test_notes_tell_what_went_wrong_and_what_was_not_quiet() -> None:
    missing = Counts(observed=999, sent=999, lost=0, dropped=0, queued=0)
    rounds = [
        Served(case="none", number=1, failure="the client broke off: TimeoutError"),
        served(1, 10_000, 1, wrong=3),
        served(2, 10_000, 1, counts=missing),
        served(3, 10_000, 1, saturated=phase(2_000, 20, client=0.95)),
        served(4, 10_000, 1, saturated=phase(2_000, 20)),
        served(5, 10_000, 1, saturated=phase(2_000, 20)),
    ]
    assert notes(rounds, TITLES) == [
        "no middleware, round 1: the client broke off: TimeoutError",
        "Clickwake, Kafka up, round 1: 3 answers were not the page",
        f"Clickwake, Kafka up, round 2: 1,000 requests do not add up to {missing}",
        "Clickwake, Kafka up: the server had 20% of its core when it answered the most: others "
        "ran on it, or the client could not ask",
        "busy: the client needed a whole core, so rates and delays are its own as well",
    ]


def test_counts_balance_when_each_request_is_in_one_column() -> None:
    assert Counts(observed=10, sent=4, lost=3, dropped=2, queued=1).is_balanced
    assert not Counts(observed=10, sent=4, lost=3, dropped=2, queued=0).is_balanced


def test_a_row_in_process_has_the_medians_of_what_was_added() -> None:
    rounds = [
        InProcess(
            case="none",
            number=number,
            requests=100,
            p50_us=12,
            p99_us=30,
            added_p50_us=added,
            added_p99_us=20,
            counts=None,
        )
        for number, added in enumerate((9.0, 10.0, 12.0), start=1)
    ]
    row = ["no middleware", "12.0 µs", "10.0 µs", "30%", "20.0 µs", "0%"]
    assert in_process_rows(rounds, TITLES) == [row]
