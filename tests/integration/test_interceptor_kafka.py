"""The middleware against a real broker: what Kafka holds afterwards."""

import asyncio
import subprocess
import sys
import threading
from collections import Counter

import httpx
import msgspec
import pytest
from kafka import KafkaConsumer

from contracts import InterceptorStats, RequestEvent
from contracts.settings import Secret
from infra.kafka_broker import EmbeddedBroker
from interceptor import ClickwakeMiddleware, SiteSettings
from tests.support.kafka import fresh_topics, new_broker
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

SITE = SiteSettings(
    site_id="shop", secret=Secret("k"), trusted_proxies="127.0.0.1", stats_every="200ms"
)


async def hello(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


def records(kafka, role):
    consumer = KafkaConsumer(
        kafka.topic(role),
        **kafka.client_options(),
        auto_offset_reset="earliest",
        consumer_timeout_ms=1500,
    )
    try:
        return list(consumer)
    finally:
        consumer.close()


async def visit(app, visitor, path):
    headers = {"X-Forwarded-For": f"81.2.69.{visitor}"}
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.example") as client:
        return await client.get(path, headers=headers)


def visits(app, number, start=0):
    async def all_of_them():
        for n in range(start, start + number):
            await visit(app, n % 10, f"/page/{n}")

    asyncio.run(all_of_them())


def test_every_request_is_in_kafka_once_under_its_visitors_partition(kafka):
    app = ClickwakeMiddleware(hello, SITE, kafka=kafka)
    visits(app, 200)
    app.emitter.close()
    kept = records(kafka, "requests")
    events = [msgspec.json.decode(record.value, type=RequestEvent) for record in kept]
    assert Counter(event.path for event in events) == {f"/page/{n}": 1 for n in range(200)}
    assert {event.client_ip for event in events} == {f"81.2.69.{n}" for n in range(10)}
    assert all(record.timestamp_type == 1 for record in kept), "the broker's append time"
    partitions = {}
    for record in kept:
        assert partitions.setdefault(record.key, record.partition) == record.partition


def test_the_counts_reach_their_topic(kafka):
    app = ClickwakeMiddleware(hello, SITE, kafka=kafka)
    visits(app, 3)
    asyncio.run(visit(app, 1, "/logo.png"))
    app.emitter.close()
    last = msgspec.json.decode(records(kafka, "interceptor-stats")[-1].value, type=InterceptorStats)
    assert (last.observed, last.sent, last.queued) == (4, 3, 0)
    assert (last.dropped, last.lost) == ({"image": 1}, {})


@pytest.fixture
def own_broker(tmp_path):
    broker = new_broker(tmp_path)
    with broker:
        yield broker


def test_a_broker_that_goes_away_and_comes_back_gets_every_event(own_broker: EmbeddedBroker):
    kafka = fresh_topics(own_broker)
    app = ClickwakeMiddleware(hello, SITE, kafka=kafka)
    visits(app, 20)
    wait_until(lambda: app.emitter.stats().sent == 20, what="the first events are acknowledged")
    own_broker.stop()
    visits(app, 50, start=20)
    assert app.emitter.stats().lost == {}
    own_broker.start()
    wait_until(lambda: app.emitter.stats().sent == 70, 120, "the backlog is acknowledged")
    app.emitter.close()
    events = {msgspec.json.decode(r.value)["event_id"]: r for r in records(kafka, "requests")}
    assert len(events) == 70


SCRIPT = """
import asyncio, sys
from contracts.kafka import KafkaSettings
from interceptor import ClickwakeMiddleware, SiteSettings
from tests.integration.test_interceptor_kafka import SITE, hello, visits

kafka = KafkaSettings(bootstrap_servers=sys.argv[1], topic_prefix=sys.argv[2])
visits(ClickwakeMiddleware(hello, SITE, kafka=kafka), 5)
"""


def test_a_process_that_just_ends_still_sends_its_events(kafka):
    arguments = [sys.executable, "-c", SCRIPT, kafka.bootstrap_servers, kafka.topic_prefix]
    subprocess.run(arguments, check=True, timeout=60)
    assert len(records(kafka, "requests")) == 5


def test_a_missing_topic_costs_nothing_until_it_appears(broker, kafka):
    lacking = msgspec.structs.replace(kafka, topic_prefix=kafka.topic_prefix + "-lacking")
    threads = threading.active_count()
    app = ClickwakeMiddleware(hello, SITE, kafka=lacking)
    visits(app, 5)
    wait_until(lambda: app.emitter.stats().queued == 5 and threading.active_count() > threads)
    app.emitter.close()
    assert app.emitter.stats().lost == {"shutdown": 5}
