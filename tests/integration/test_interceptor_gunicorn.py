"""Flask and Django under gunicorn, forked after the application was loaded, with real Kafka."""

import contextlib
import os
import signal
import threading
from collections import Counter
from urllib.request import urlopen

import msgspec
import pytest

from contracts import InterceptorStats, RequestEvent
from tests.integration.test_interceptor_kafka import records
from tests.support.serving import gunicorn
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

WORKERS = 3
KINDS = {
    "sync": ("--worker-class=sync",),
    "gthread": ("--worker-class=gthread", "--threads=4"),
}
SHOPS = ["tests.support.sites.flask_shop:app", "tests.support.sites.django_shop:app"]


def shop(kafka, app, kind, folder, **settings):
    environ = {
        "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap_servers,
        "CLICKWAKE_KAFKA_TOPIC_PREFIX": kafka.topic_prefix,
        "CLICKWAKE_SITE_SECRET": "k",
        "CLICKWAKE_SITE_FLUSH_DEADLINE": "20s",
        **settings,
    }
    options = ("--preload", f"--workers={WORKERS}", *KINDS[kind])
    return gunicorn(app, folder, *options, environ=environ)


class Visitors:
    """Ask for one page after the other; ``answered`` has who served each."""

    def __init__(self, port):
        self.port, self.answered = port, {}

    def visit(self):
        number = len(self.answered)
        with urlopen(f"http://127.0.0.1:{self.port}/page/{number}", timeout=30) as answer:
            self.answered[f"/page/{number}"] = int(answer.read())

    def until_all_workers_served(self):
        def all_served():
            self.visit()
            return len(set(self.answered.values())) == WORKERS

        wait_until(all_served, what="each worker answers")

    @contextlib.contextmanager
    def busy(self):
        """Visits go on meanwhile."""
        enough = threading.Event()

        def go_on():
            while not enough.is_set():
                self.visit()

        thread = threading.Thread(target=go_on)
        thread.start()
        try:
            yield
        finally:
            enough.set()
            thread.join()


def paths(kafka):
    found = (msgspec.json.decode(r.value, type=RequestEvent) for r in records(kafka, "requests"))
    return Counter(event.path for event in found)


def last_counts(kafka):
    """Each process's last word."""
    found = records(kafka, "interceptor-stats")
    stats = [msgspec.json.decode(record.value, type=InterceptorStats) for record in found]
    return {one.instance: one for one in stats}.values()


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("app", SHOPS, ids=["flask", "django"])
def test_every_workers_events_arrive_once(kafka, tmp_path, app, kind):
    with shop(kafka, app, kind, tmp_path) as server:
        visitors = Visitors(server.port)
        visitors.until_all_workers_served()
        assert server.stop() == 0
    assert paths(kafka) == dict.fromkeys(visitors.answered, 1)
    counts = last_counts(kafka)
    assert len(counts) == WORKERS
    number = len(visitors.answered)
    assert sum(one.observed for one in counts) == sum(one.sent for one in counts) == number


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("app", SHOPS, ids=["flask", "django"])
def test_a_terminated_worker_sends_what_it_had_accepted(kafka, tmp_path, app, kind):
    # Nothing leaves by itself after a worker's first moments: the exit has to send it.
    with shop(kafka, app, kind, tmp_path, CLICKWAKE_SITE_LINGER="10m") as server:
        visitors = Visitors(server.port)
        visitors.until_all_workers_served()
        with visitors.busy():
            wait_until(lambda: len(visitors.answered) > 100, what="a hundred visits")
            first = visitors.answered["/page/0"]
            os.kill(first, signal.SIGTERM)
            wait_until(lambda: not is_alive(first), what="the worker is gone")
        assert server.stop() == 0
    assert paths(kafka) == dict.fromkeys(visitors.answered, 1)


def test_what_waits_when_kafka_is_away_is_sent_by_the_next_workers(kafka, tmp_path):
    spool = {"CLICKWAKE_SITE_SPOOL_DIRECTORY": str(tmp_path / "spool")}
    away = {**spool, "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:9"}
    with shop(kafka, SHOPS[0], "sync", tmp_path, **away) as server:
        visitors = Visitors(server.port)
        visitors.until_all_workers_served()
        assert server.stop() == 0
    with shop(kafka, SHOPS[0], "sync", tmp_path, **spool) as server:
        visitors.port = server.port
        visitors.visit()
        wait_until(lambda: paths(kafka) == dict.fromkeys(visitors.answered, 1))
