"""The API on a real Kafka: what is written to the topics is served, once, whatever breaks."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import httpx
import msgspec
import psutil
import pytest
from kafka import KafkaConsumer, KafkaProducer

from api.feed import Feed
from api.history.engine import open_engine
from api.history.writer import HistoryWriter
from api.ingest import routes
from api.settings import ApiSettings
from contracts import RequestEvent, partition_key
from contracts.kafka import KafkaSettings
from infra.kafka_broker import EmbeddedBroker
from infra.topics import ensure_topics
from tests.support.api import Served, api_settings, served
from tests.support.history import new_history, session_rows
from tests.support.kafka import new_broker
from tests.support.messages import NOON, a_job_status, a_session, an_event, encoded
from tests.support.requests import a_request
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow


class Topics:
    """Writes to the topics as the job does."""

    def __init__(self, kafka: KafkaSettings, **options: Any) -> None:
        self._kafka = kafka
        self._producer = KafkaProducer(**kafka.client_options(), acks="all", **options)

    def write(self, role: str, *messages: msgspec.Struct | bytes | None) -> None:
        """Write and wait until Kafka has it all."""
        for message in messages:
            value = encoded(message) if isinstance(message, msgspec.Struct) else message
            key = getattr(message, "session_id", "key").encode()
            self._producer.send(self._kafka.topic(role), value=value, key=key)
        self._producer.flush(30)

    def close(self) -> None:
        """Let go of Kafka."""
        self._producer.close(timeout=5)


@pytest.fixture
def topics(kafka: KafkaSettings) -> Iterator[Topics]:
    writing = Topics(kafka)
    yield writing
    writing.close()


def listed(api: Served) -> list[str]:
    items = api.get("/api/v1/sessions?limit=1000").json()["items"]
    return [item["session_id"] for item in items]


def test_what_the_job_writes_is_served(
    tmp_path: Path, kafka: KafkaSettings, topics: Topics
) -> None:
    topics.write("sessions", a_session("a"), b"no JSON", None, a_session("a", revision=2, pages=5))
    topics.write("events", b"\xff", an_event("e1", visitor_id="visitor-of-a"))
    topics.write("job-status", a_job_status())
    with served(api_settings(tmp_path), kafka) as api:
        api.wait_ready()
        detail = api.get("/api/v1/sessions/a").json()
        assert detail["session"]["pages"] == 5
        assert [event["event_id"] for event in detail["events"]] == ["e1"]
        parts = api.get("/readyz").json()["components"]
        assert "2 unreadable records were skipped" in parts["consumer"]["detail"]
        assert "silent since 2026-03-01" in parts["job"]["detail"]
        topics.write("sessions", a_session("b", start=NOON + 1))
        wait_until(lambda: listed(api) == ["b", "a"], what="the new session is listed")


def test_after_a_restart_reading_goes_on(
    tmp_path: Path, kafka: KafkaSettings, topics: Topics
) -> None:
    settings = api_settings(tmp_path)
    topics.write("sessions", a_session("a"))
    with served(settings, kafka) as api:
        api.wait_ready()
    topics.write("sessions", a_session("b"))
    with served(settings, kafka) as api:
        api.wait_ready()
        assert sorted(listed(api)) == ["a", "b"]


def send_events(api: Served, *items: object) -> httpx.Response:
    return httpx.post(f"http://{api.address}/api/v1/events", json=items, timeout=30)


def test_events_sent_over_http_are_in_the_topic_and_in_the_ledger(
    tmp_path: Path, kafka: KafkaSettings
) -> None:
    settings = api_settings(tmp_path)
    with served(settings, kafka) as api:
        api.wait_ready()
        events = [a_request(f"e{n}", visitor_id=f"v{n % 7}") for n in range(500)]
        assert send_events(api, *events, a_request(status=0)).json()["accepted"] == 500
        assert send_events(api, events[0]).status_code == 200, "again"
    found = [(record.key, record.value) for record in read_requests(kafka, 501)]
    decoded = [(key, msgspec.json.decode(value, type=RequestEvent)) for key, value in found]
    assert all(key == partition_key(event.site_id, event.visitor_id) for key, event in decoded)
    assert {event.event_id for _, event in decoded} == {f"e{n}" for n in range(500)}
    with served(settings, kafka) as api:
        api.wait_ready()
        sent = api.get("/api/v1/ledger").json()["interceptors"]
        assert (sent["observed"], sent["sent"], sent["queued"]) == (501, 501, 0)


def read_requests(kafka: KafkaSettings, number: int) -> list[Any]:
    """That many records of the requests topic, and a moment later no more."""
    consumer = KafkaConsumer(
        kafka.topic("requests"),
        **kafka.client_options(),
        auto_offset_reset="earliest",
        group_id=None,
    )
    found: list[Any] = []

    def read() -> bool:
        for records in consumer.poll(200).values():
            found.extend(records)
        return len(found) >= number

    wait_until(read, what=f"{number} requests are in the topic")
    for records in consumer.poll(200).values():
        found.extend(records)
    consumer.close()
    assert len(found) == number
    return found


def start_process(settings: ApiSettings, kafka: KafkaSettings) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap_servers,
        "CLICKWAKE_KAFKA_TOPIC_PREFIX": kafka.topic_prefix,
        "CLICKWAKE_API_PORT": str(settings.port),
        "CLICKWAKE_API_DATABASE_URL": str(settings.database_url),
    }
    return subprocess.Popen([sys.executable, "-m", "api"], env=environment)


def test_a_writer_that_is_killed_again_and_again_loses_and_doubles_nothing(
    tmp_path: Path, kafka: KafkaSettings, topics: Topics
) -> None:
    """SIGKILL at moments that the database's growth chooses, then compare with the topics."""
    settings, random = api_settings(tmp_path), Random(7)
    engine = open_engine(str(settings.database_url))
    expected: dict[str, tuple[int, int, str]] = {}
    for round_ in range(4):
        updates = [
            a_session(f"s{random.randrange(1200)}", epoch=round_ // 2, revision=random.randrange(9))
            for _ in range(2500)
        ]
        for update in updates:
            version = (update.epoch, update.revision, "open")
            expected[update.session_id] = max(expected.get(update.session_id, version), version)
        topics.write("sessions", *updates)
        topics.write("events", *(an_event(f"e{round_}-{n}", offset=n) for n in range(1000)))
        process = start_process(settings, kafka)
        try:
            wait_until(lambda r=round_: event_count(tmp_path) > 1000 * r, what="some is written")
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
    with served(settings, kafka) as api:
        api.wait_ready()
    assert session_rows(engine) == expected
    assert event_count(tmp_path) == 4000
    engine.dispose()


def event_count(folder: Path) -> int:
    try:
        with sqlite3.connect(folder / "history.db", timeout=10) as connection:
            return int(connection.execute("SELECT count(*) FROM events").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def test_a_database_that_takes_nothing_makes_no_memory_grow(
    tmp_path: Path, kafka: KafkaSettings
) -> None:
    """The topic has 100 MB; the feed unpacks one batch, and its consumer reads 8 MB ahead."""
    topics = Topics(kafka, compression_type="gzip", batch_size=1_000_000, linger_ms=100)
    page = "/" + Random(7).randbytes(5_000).hex()
    topics.write("sessions", *(a_session(f"s{n}", entry_page=page) for n in range(10_000)))
    topics.close()
    engine = new_history(tmp_path)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout=100")
    writer = HistoryWriter(engine)
    feed = Feed("test-slow", kafka, ("sessions",), writer, max_records=500)
    lock = sqlite3.connect(tmp_path / "history.db", isolation_level=None)
    before = psutil.Process().memory_info().rss
    feed.start()
    wait_until(lambda: feed.state.connected and writer.failure is None, what="the feed reads")
    lock.execute("BEGIN IMMEDIATE")
    held = positions(tmp_path)
    wait_until(lambda: writer.meter.failures >= 2, what="the writer was refused twice")
    assert writer.failure == "database is locked"
    assert psutil.Process().memory_info().rss - before < 48_000_000
    assert positions(tmp_path) == held
    lock.close()
    wait_until(lambda: positions(tmp_path) > held, what="it goes on where it was")
    feed.stop()
    feed.join(60)
    assert not feed.is_alive()


def positions(folder: Path) -> int:
    with sqlite3.connect(folder / "history.db") as connection:
        found = connection.execute("SELECT sum(next_offset) FROM consumer_offsets").fetchone()
    return int(found[0] or 0)


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[EmbeddedBroker]:
    """A broker that the test may stop; it is not started."""
    broker = new_broker(tmp_path / "kafka")
    yield broker
    broker.stop()


def test_history_is_served_without_kafka_and_goes_on_with_it(
    tmp_path: Path, own_broker: EmbeddedBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "DEADLINE_S", 2.0)
    kafka = own_broker.settings
    with served(api_settings(tmp_path), kafka) as api:
        wait_until(lambda: api.get("/api/v1/sessions").status_code == 200, what="history serves")
        wait_until(lambda: "bootstrap" in unready(api), what="readyz says that Kafka is away")
        assert api.get("/healthz").status_code == 200
        own_broker.start()
        wait_until(lambda: "do not exist yet" in unready(api), what="readyz misses the topics")
        ensure_topics(kafka)
        topics = Topics(kafka)
        topics.write("sessions", a_session("a"))
        topics.close()
        api.wait_ready()
        wait_until(lambda: listed(api) == ["a"], what="the session is listed")

        own_broker.kill()
        wait_until(lambda: api.get("/readyz").status_code == 503, what="readyz notices the crash")
        assert listed(api) == ["a"]
        assert send_events(api, a_request()).status_code == 503
        own_broker.start()
        topics = Topics(kafka)
        topics.write("sessions", a_session("b"))
        topics.close()
        api.wait_ready()
        wait_until(lambda: sorted(listed(api)) == ["a", "b"], what="reading goes on by itself")
        wait_until(lambda: send_events(api, a_request()).status_code == 200, what="events go on")


def unready(api: Served) -> str:
    answer = api.get("/readyz")
    return str(answer.json()["components"]["consumer"]["detail"])
