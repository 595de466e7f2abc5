"""Processes of a site that agree on a day's salt, by real Kafka, real forks and real files."""

import logging
import threading

import msgspec
import pytest
from kafka import KafkaProducer

from contracts import IdentitySalt, RequestEvent
from contracts.settings import Secret
from interceptor import ClickwakeMiddleware, SiteSettings
from interceptor.salt_keeper import SaltKeeper
from interceptor.salt_topic import SaltTopic
from interceptor.salts import SaltBook, day_number
from tests.integration.test_interceptor_gunicorn import SHOPS, WORKERS, Visitors, shop
from tests.integration.test_interceptor_kafka import hello, records, visits
from tests.support.salting import Clock
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

SATURDAY, SUNDAY = day_number("2026-02-28"), day_number("2026-03-01")
CANARY = "canary-secret-7f3a"
SITE = SiteSettings(site_id="shop", secret=Secret(CANARY))


@pytest.fixture
def clock():
    return Clock("2026-02-28 12:00")


def keeper(kafka, clock, site=SITE):
    book = SaltBook(clock)
    return book, SaltKeeper(book, None, SaltTopic(site, kafka), clock)


def events(kafka):
    return [msgspec.json.decode(r.value, type=RequestEvent) for r in records(kafka, "requests")]


def at_once(*calls):
    barrier = threading.Barrier(len(calls))
    results = []

    def run(call):
        barrier.wait(30)
        results.append(call())

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def test_processes_that_start_at_once_agree(kafka, clock):
    made = [keeper(kafka, clock) for _ in range(4)]
    assert len({book.salt(SATURDAY) for book, _ in made}) == 4
    assert at_once(*(one.round for _, one in made)) == [True] * 4
    assert len({book.salt(SATURDAY) for book, _ in made}) == 1
    clock.set("2026-02-28 18:00")
    assert at_once(*(one.round for _, one in made)) == [True] * 4
    assert len({book.known(SUNDAY) for book, _ in made} - {None}) == 1


def test_a_later_process_takes_what_is_there_whatever_else_is_on_the_topic(kafka, clock):
    producer = KafkaProducer(**kafka.client_options())
    topic = kafka.topic("identity-salts")
    first, second = (
        msgspec.json.encode(IdentitySalt(site_id="shop", day="2026-02-28", salt=byte * 64))
        for byte in "ab"
    )
    other = msgspec.json.encode(IdentitySalt(site_id="blog", day="2026-02-28", salt="c" * 64))
    for value in (b"junk", None, b'{"day": 1}', other, first, second):
        producer.send(topic, value, b"shop/2026-02-28").get(30)
    producer.close()
    book, one = keeper(kafka, clock)
    assert one.round()
    assert book.salt(SATURDAY) == bytes.fromhex("a" * 64)
    assert len(records(kafka, "identity-salts")) == 6


def test_a_missing_topic_is_a_warning_and_ids_go_on(kafka, clock, caplog):
    lacking = msgspec.structs.replace(kafka, topic_prefix=kafka.topic_prefix + "-lacking")
    book, one = keeper(lacking, clock)
    with caplog.at_level(logging.WARNING, "clickwake"):
        assert not one.round()
    assert "identity-salts is missing" in caplog.text
    assert book.salt(SATURDAY)


def test_two_instances_call_a_visitor_the_same_and_their_secret_is_nowhere(kafka, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    site = msgspec.structs.replace(SITE, trusted_proxies="127.0.0.1", salt_directory=str(tmp_path))
    apps = [ClickwakeMiddleware(hello, site, kafka=kafka) for _ in range(2)]
    for app in apps:
        visits(app, 10)
        app.emitter.close()
    found = events(kafka)
    assert len(found) == 20
    assert len({event.visitor_id for event in found}) == 10
    on_topics = b"".join(
        (record.key or b"") + (record.value or b"")
        for role in ("requests", "interceptor-stats", "identity-salts")
        for record in records(kafka, role)
    )
    in_files = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for secret in secrets_of(apps[0]):
        for form in (secret, secret.hex().encode()):
            assert form not in on_topics + in_files + caplog.text.encode()


def secrets_of(app):
    """The site's secret and every key that was made of it."""
    from interceptor.identity import derived_key, master_key
    from interceptor.salts import day_text

    secret = Secret(CANARY)
    salts = app._capture._identity.salts
    day = salts.today()
    material = f"shop\0{day_text(day)}\0".encode() + salts.salt(day)
    yield CANARY.encode()
    yield master_key(secret)
    yield derived_key(secret, b"cw-route")
    yield derived_key(secret, b"cw-day", material)


def test_forked_workers_agree_and_a_restart_without_kafka_keeps_the_ids(kafka, tmp_path):
    site = {
        "CLICKWAKE_SITE_SALT_DIRECTORY": str(tmp_path / "salts"),
        "CLICKWAKE_SITE_SPOOL_DIRECTORY": str(tmp_path / "spool"),
        "CLICKWAKE_SITE_SECRET": CANARY,
    }
    away = {**site, "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:9"}
    for settings in (site, away, site):
        with shop(kafka, SHOPS[0], "sync", tmp_path, **settings) as server:
            visitors = Visitors(server.port)
            visitors.until_all_workers_served()
            assert server.stop() == 0
    found = wait_until(lambda: len(events(kafka)) >= 3 * WORKERS and events(kafka))
    # Only if the day ended meanwhile are there more, and then as many as days.
    days = {event.event_time // 86_400_000 for event in found}
    assert len({event.visitor_id for event in found}) == len(days)


def test_forked_workers_without_a_folder_agree_through_kafka(kafka, tmp_path):
    with shop(kafka, SHOPS[0], "sync", tmp_path) as server:
        visitors = Visitors(server.port)

        def agree():
            visitors.until_all_workers_served()
            newest = {}
            for event in events(kafka):
                newest[visitors.answered.get(event.path)] = event.visitor_id
            return len(newest) >= WORKERS and len(set(newest.values())) == 1

        wait_until(agree, what="all workers use the shared salt")
        assert server.stop() == 0
    assert len(records(kafka, "identity-salts")) >= 1
