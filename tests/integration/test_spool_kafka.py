"""The spool with a real Kafka that goes away, and with processes that are really killed."""

import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import msgspec
import pytest

from contracts import InterceptorStats, RequestEvent
from contracts.kafka import KafkaSettings
from infra.kafka_broker import EmbeddedBroker
from infra.paths import PROJECT
from infra.ports import free_ports
from interceptor import ClickwakeMiddleware
from interceptor.spool import State
from tests.integration.test_interceptor_kafka import SITE, hello, records, visits
from tests.support.kafka import fresh_topics, new_broker
from tests.support.waiting import wait_until
from tests.unit.interceptor.spooling import balances, files

pytestmark = pytest.mark.slow


@pytest.fixture
def own_broker(tmp_path):
    with new_broker(tmp_path / "broker") as broker:
        yield broker


def spooling(directory: Path):
    return msgspec.structs.replace(SITE, spool_directory=str(directory), flush_deadline="500ms")


def paths_in_order(kafka: KafkaSettings) -> list[str]:
    """Without the copies that being sent again makes; the topic has one partition here."""
    kept = [msgspec.json.decode(one.value, type=RequestEvent) for one in records(kafka, "requests")]
    return list({event.event_id: event.path for event in kept}.values())


def last_counts(kafka: KafkaSettings) -> list[InterceptorStats]:
    newest: dict[str, InterceptorStats] = {}
    for one in records(kafka, "interceptor-stats"):
        stats = msgspec.json.decode(one.value, type=InterceptorStats)
        if stats.revision >= newest.get(stats.instance, stats).revision:
            newest[stats.instance] = stats
    return sorted(newest.values(), key=lambda stats: stats.started)


def pages(begin: int, end: int) -> list[str]:
    return [f"/page/{number}" for number in range(begin, end)]


def test_an_outage_goes_over_the_disk_and_keeps_the_order(
    own_broker: EmbeddedBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests before, while and after Kafka is stopped, with a queue that holds few of them."""
    monkeypatch.setattr("interceptor.delivery.STALL_S", 3.0)
    kafka = fresh_topics(own_broker, requests=1)
    site = msgspec.structs.replace(spooling(tmp_path / "spool"), queue_size=200)
    app = ClickwakeMiddleware(hello, site, kafka=kafka)
    visits(app, 20)
    wait_until(lambda: app.emitter.stats().sent == 20, what="the first are acknowledged")
    own_broker.stop()
    for start in range(20, 1_020, 100):
        visits(app, 100, start)
        wait_until(
            lambda seen=start + 80: app.emitter.stats().spooled == seen, what="they are spooled"
        )
    own_broker.start()
    visits(app, 50, 1_020)
    wait_until(lambda: app.emitter.stats().sent == 1_070, 120, "the disk is sent")
    visits(app, 30, 1_070)
    wait_until(lambda: app.emitter.stats().sent == 1_100, what="the newest are acknowledged")
    app.emitter.close()
    stats = app.emitter.stats()
    assert (stats.lost, stats.spooled, stats.queued) == ({}, 0, 0)
    assert paths_in_order(kafka) == pages(0, 1_100)
    assert files(tmp_path / "spool") == []


SITE_SCRIPT = """
import sys
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from contracts.kafka import KafkaSettings
from interceptor import ClickwakeMiddleware
from tests.integration.test_spool_kafka import spooling

directory, bootstrap_servers, topic_prefix, _port, has_lifespan = sys.argv[1:]
kafka = KafkaSettings(bootstrap_servers=bootstrap_servers, topic_prefix=topic_prefix)
shop = Starlette(routes=[Route("/{page:path}", lambda request: PlainTextResponse("hello"))])


async def only_http(scope, receive, send):
    if scope["type"] != "http":
        raise ValueError("Only HTTP is spoken here.")
    await shop(scope, receive, send)


inner = shop if has_lifespan == "True" else only_http
app = ClickwakeMiddleware(inner, spooling(directory), kafka=kafka)

if __name__ == "__main__":
    import uvicorn

    uvicorn.run(app, port=int(sys.argv[4]), proxy_headers=False, log_level="warning")
"""


class Site:
    """A site process: uvicorn with one worker."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process, self._client = process, httpx.Client(base_url=f"http://127.0.0.1:{port}")

    def is_up(self) -> bool:
        try:
            return self._client.head("/").status_code == 200
        except httpx.TransportError:
            return False

    def visit(self, begin: int, end: int) -> None:
        headers = {"X-Forwarded-For": "81.2.69.1"}
        for path in pages(begin, end):
            assert self._client.get(path, headers=headers).text == "hello"

    def end(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        return self.process.wait(30)


@contextmanager
def a_site(directory: Path, kafka: KafkaSettings, *, has_lifespan: bool = True):
    (port,) = free_ports(1)
    command = [
        *(sys.executable, "-c", SITE_SCRIPT, str(directory)),
        *(kafka.bootstrap_servers, kafka.topic_prefix, str(port), str(has_lifespan)),
    ]
    process = subprocess.Popen(command, cwd=PROJECT)
    site = Site(process, port)
    try:
        wait_until(site.is_up, what="the site answers")
        yield site
    finally:
        process.kill()
        process.wait(30)


def spooled_pages(directory: Path) -> int:
    return sum(
        file.read_bytes().count(b'"path":"/page/')
        for file in files(directory)
        if file.suffix == ".events"
    )


def counted_in(directory: Path) -> int:
    """How many events the spools there say that they hold."""
    states = [file for file in files(directory) if file.name == "state.json"]
    return sum(msgspec.json.decode(state.read_bytes(), type=State).own for state in states)


class Ended(NamedTuple):
    """A way for a site's process to end, and where it and its heirs have their spools."""

    how: signal.Signals
    has_lifespan: bool
    directory: Path
    kafka: KafkaSettings


def test_a_process_that_ends_without_kafka_leaves_its_events_to_the_next(
    own_broker: EmbeddedBroker, tmp_path: Path
) -> None:
    """Three sites in one outage, as starting a broker takes the longest here."""
    ends = [
        Ended(how, has_lifespan, tmp_path / name, fresh_topics(own_broker, requests=1))
        for name, how, has_lifespan in (
            ("term", signal.SIGTERM, True),
            ("term-without-lifespan", signal.SIGTERM, False),
            ("kill", signal.SIGKILL, True),
        )
    ]
    own_broker.stop()
    for one in ends:
        visited_and_ended(one)
    own_broker.start()
    with ExitStack() as heirs:
        for one in ends:
            heir = heirs.enter_context(a_site(one.directory, one.kafka))
            heir.visit(300, 310)
            wait_until(lambda one=one: files(one.directory) == [], what="the heir has sent all")
            heir.end(signal.SIGTERM)
    for one in ends:
        assert paths_in_order(one.kafka) == pages(0, 310)
        dead, alive = last_counts(one.kafka)
        assert balances(dead, alive)
        # Looking whether a site is up is observed, and dropped as a HEAD.
        assert (dead.observed - dead.dropped["head"], dead.spooled, dead.lost) == (300, 300, {})
        assert (alive.adopted, alive.sent, alive.spooled) == (300, 310, 0)


def visited_and_ended(one: Ended) -> None:
    with a_site(one.directory, one.kafka, has_lifespan=one.has_lifespan) as site:
        site.visit(0, 300)
        if one.how == signal.SIGKILL:
            wait_until(lambda: counted_in(one.directory) == 300, what="they are spooled")
        site.end(one.how)
    assert spooled_pages(one.directory) == 300


def test_a_living_process_adopts_what_a_killed_neighbour_left(
    own_broker: EmbeddedBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers of one host, and a torn last record."""
    monkeypatch.setattr("interceptor.spools.ADOPT_EVERY_S", 0.2)
    kafka = fresh_topics(own_broker, requests=1)
    directory = tmp_path / "spool"
    own_broker.stop()
    with a_site(directory, kafka) as neighbour:
        neighbour.visit(0, 100)
        # The counts are written after the events: killed in between, it would be the torn event
        # that was in the queue when it counted last.
        wait_until(lambda: counted_in(directory) == 100, what="they are spooled and counted")
        neighbour.end(signal.SIGKILL)
    (segment,) = (file for file in files(directory) if file.suffix == ".events")
    segment.write_bytes(segment.read_bytes()[:-5])
    app = ClickwakeMiddleware(hello, spooling(directory), kafka=kafka)
    visits(app, 1, 100)
    wait_until(lambda: app.emitter.stats().adopted == 99, what="it has adopted them")
    own_broker.start()
    wait_until(lambda: app.emitter.stats().sent == 100, 120, "all are sent")
    app.emitter.close()
    assert paths_in_order(kafka) == [*pages(0, 99), "/page/100"]
    dead, alive = last_counts(kafka)
    assert balances(dead, alive)
    assert dead.lost == {"spool_damaged": 1}
