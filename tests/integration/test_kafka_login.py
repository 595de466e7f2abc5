"""TLS and log-in to a real broker, by kafka-python's clients; tests/spark has Spark's."""

import asyncio
import logging
from collections.abc import Iterator

import msgspec
import pytest
from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError

from contracts import RequestEvent
from contracts.kafka import KafkaSettings
from contracts.settings import Secret
from infra.topics import ensure_topics
from interceptor import ClickwakeMiddleware
from tests.integration.test_interceptor_kafka import SITE, hello, records, visit, visits
from tests.support.secure_kafka import SecureBroker
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

PREFIX = "login"
WRONG = Secret("canary-of-a-wrong-one")


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureBroker]:
    made = SecureBroker(tmp_path_factory.mktemp("secure"))
    with made.broker:
        ensure_topics(msgspec.structs.replace(made.broker.settings, topic_prefix=PREFIX), {})
        yield made


def settings_of(secure: SecureBroker, way: str) -> KafkaSettings:
    return secure.with_tls(PREFIX) if way == "SSL" else secure.logged_in(PREFIX, way)


@pytest.mark.parametrize("way", ["SSL", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_site_logs_in_and_its_events_can_be_read(secure: SecureBroker, way: str) -> None:
    kafka = settings_of(secure, way)
    app = ClickwakeMiddleware(hello, SITE, kafka=kafka)
    asyncio.run(visit(app, 1, f"/by/{way}"))
    wait_until(lambda: app.emitter.stats().sent == 1, what="the event is acknowledged")
    app.emitter.close()
    paths = [
        msgspec.json.decode(record.value, type=RequestEvent).path
        for record in records(kafka, "requests")
    ]
    assert paths.count(f"/by/{way}") == 1


def test_with_a_wrong_password_the_site_lives_and_nothing_tells_it(
    secure: SecureBroker, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    site = msgspec.structs.replace(SITE, flush_deadline="1s")
    kafka = secure.logged_in(PREFIX, "SCRAM-SHA-512", WRONG)
    app = ClickwakeMiddleware(hello, site, kafka=kafka)
    visits(app, 20)
    wait_until(lambda: "cannot be written to" in caplog.text, what="it is said that it cannot")
    assert app.emitter.stats().queued == 20
    app.emitter.close()
    stats = app.emitter.stats()
    assert (stats.observed, stats.sent, stats.lost) == (20, 0, {"shutdown": 20})
    assert WRONG not in caplog.text
    assert "uthenticat" in caplog.text


def test_a_broker_whose_certificate_nobody_trusted_is_not_talked_to(secure: SecureBroker) -> None:
    kafka = msgspec.structs.replace(secure.with_tls(PREFIX), ssl_cafile=None)
    with pytest.raises(KafkaError):
        KafkaAdminClient(**kafka.client_options(), bootstrap_timeout_ms=3000)
