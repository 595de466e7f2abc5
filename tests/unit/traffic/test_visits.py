"""Visitors against a small site: a tiny app that keeps what it was asked."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random

import pytest

from infra.traffic import visits
from infra.traffic.journeys import Step
from infra.traffic.pace import Pace
from infra.traffic.people import crawler, person
from infra.traffic.places import Place
from infra.traffic.runner import Runner
from infra.traffic.settings import TrafficSettings
from infra.traffic.site import REPORTS, Browser, Site, SiteDownError
from infra.traffic.wire import Wire, body_length
from tests.support.waiting import wait_until

PAGE = '<a href="/category/kitchen"><a href="/product/tall-mug"><div class="reviews">'
PLACES = [Place("81.2.69.142", "GB")]


class Shop(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.requests, self.reports = [], []
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def paths(self, method="GET"):
        return [path for m, path, _ in self.requests if m == method]

    def stop(self):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def answer(self):
        asked = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append((self.command, self.path, dict(self.headers)))
        if self.path == REPORTS:
            self.server.reports.append(json.loads(asked))
        body = b'{"id":7,"mine":true}' if self.path.startswith("/api/") else PAGE.encode()
        redirect = self.command == "POST" and not self.path.startswith("/api/")
        self.send_response(303 if redirect else 200)
        if redirect:
            self.send_header("Location", "/cart")
            self.send_header("Set-Cookie", "shop=abc; Path=/; HttpOnly")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815

    def log_message(self, *_):
        pass


@pytest.fixture
def shop():
    server = Shop()
    yield server
    server.stop()


def running(shop_or_address, action):
    """Run ``action(site)`` in a loop of its own."""
    address = getattr(shop_or_address, "address", shop_or_address)

    async def run():
        async with Site(address) as site:
            return await action(site)

    return asyncio.run(run())


def test_a_browser_keeps_its_own_cookie_and_says_where_it_was(shop):
    async def visit(site):
        first, second = (Browser(site, person(PLACES, Random(n))) for n in (1, 2))
        await first.open(Step("GET", "/?utm_source=x"), "https://news.example/")
        await first.open(Step("POST", "/cart/add", form={"product": "tall-mug"}))
        await second.open(Step("GET", "/about"))
        return first.here

    assert running(shop, visit) == "/cart"
    landing, add, cart, other = (headers for _, _, headers in shop.requests)
    assert landing["Referer"] == "https://news.example/"
    assert landing["X-Forwarded-For"] == "81.2.69.142"
    assert landing["Sec-Fetch-Site"] == "cross-site"
    assert add["Referer"] == f"{shop.address}/?utm_source=x"
    assert add["Sec-Fetch-Site"] == "same-origin"
    assert cart["Cookie"] == "shop=abc"
    assert "Cookie" not in other
    assert other["Sec-Fetch-Site"] == "none"


def test_visits_look_at_pages_and_call_the_api(shop):
    async def many(site):
        rng = Random(3)
        for _ in range(60):
            await visits.Visit(site, person(PLACES, rng), rng, speed=1e6).run()
        return site.known

    assert running(shop, many) == ["/category/kitchen", "/product/tall-mug"]
    assert {"/product/tall-mug", "/api/products/tall-mug/reviews"} <= set(shop.paths())
    assert "/cart/add" in shop.paths("POST")
    assert "/api/reviews/7" in shop.paths("PUT") + shop.paths("DELETE")


def test_visitors_pages_report_what_a_browsers_would(shop, monkeypatch):
    async def at_once(self, seconds):
        pass

    async def many(site):
        rng = Random(3)
        for _ in range(60):
            await visits.Visit(site, person(PLACES, rng), rng, speed=1).run()

    monkeypatch.setattr(visits.Visit, "_pause", at_once)
    running(shop, many)
    reading = [said for said in shop.reports if said["kind"] == "engagement"]
    assert len(reading) > 60
    assert all(said["engaged_ms"] >= 1_000 and said["path"].startswith("/") for said in reading)
    custom = [said for said in shop.reports if said["kind"] == "custom"]
    assert {"add_to_cart", "signup"} == {said["name"] for said in custom}
    (added, *_) = (said for said in custom if said["name"] == "add_to_cart")
    assert added["properties"] == {"product": "tall-mug", "number": "1"}
    assert added["path"] == "/product/tall-mug"
    heads = [headers for method, path, headers in shop.requests if path == REPORTS]
    assert {headers["Sec-Fetch-Site"] for headers in heads} == {"same-origin"}
    assert {headers["X-Forwarded-For"] for headers in heads} == {"81.2.69.142"}


def test_a_crawler_asks_for_the_rules_first_and_calls_no_api(shop):
    robot = crawler(PLACES, Random(1))
    running(shop, lambda site: visits.crawl(site, robot, Random(1), speed=1e6, pages=10))
    assert shop.paths()[:2] == ["/robots.txt", "/"]
    assert len(shop.paths()) == 11
    assert not any(path.startswith("/api/") for path in shop.paths())


def test_a_site_that_is_down_is_one_error():
    server = Shop()
    server.stop()

    async def visit(site):
        with pytest.raises(SiteDownError):
            await site.send(Step("GET", "/"), {})
        return site.counts.errors

    assert running(server, visit) == 1


def test_visitors_come_back_when_the_site_does(monkeypatch, caplog):
    monkeypatch.setattr("infra.traffic.site.FIRST_PAUSE_S", 0.05)
    before = Shop()
    port = before.server_port
    settings = TrafficSettings(visitors_per_minute=6000, speed=1000, crawlers=1)

    async def visiting(site):
        task = asyncio.create_task(Runner(settings, site, PLACES, Random(1)).run())
        await asyncio.to_thread(wait_until, lambda: len(before.requests) > 20)
        before.stop()
        await asyncio.to_thread(wait_until, lambda: "does not answer" in caplog.text)
        after = Shop(port)
        await asyncio.to_thread(wait_until, lambda: len(after.requests) > 20)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        after.stop()

    running(before, visiting)


def test_a_fixed_pace_is_kept(shop):
    async def pace(site):
        task = asyncio.create_task(Pace(200, site, PLACES, Random(1)).run())
        await asyncio.sleep(2)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    running(shop, pace)
    assert 100 < len(shop.requests) < 600


def test_it_ends_at_once_when_told_to(shop):
    settings = {"TARGET": shop.address, "VISITORS_PER_MINUTE": "600", "SPEED": "100"}
    environment = {f"CLICKWAKE_TRAFFIC_{name}": value for name, value in settings.items()}
    process = subprocess.Popen(
        [sys.executable, "-m", "infra.traffic"], env={**os.environ, **environment}
    )
    try:
        wait_until(lambda: len(shop.requests) > 5, what="visitors come")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
    finally:
        process.kill()


def test_a_wrong_setting_is_one_sentence():
    ended = subprocess.run(
        [sys.executable, "-m", "infra.traffic"],
        env={**os.environ, "CLICKWAKE_TRAFFIC_SPEED": "fast"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    assert "CLICKWAKE_TRAFFIC_SPEED is wrong" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_what_the_shop_says_of_a_new_review_is_understood():
    body = json.dumps({"id": 12, "name": "Guest"}, separators=(",", ":"))
    assert visits.REVIEW_NUMBER.match(body)[1] == "12"


def test_a_connection_is_used_again_and_a_closed_one_is_an_error(shop):
    async def twice(site):
        wire = Wire(site.target)
        statuses = [await wire.get("/about", {"X-Forwarded-For": "81.2.69.142"}) for _ in (1, 2)]
        wire.close()
        return statuses

    assert running(shop, twice) == [200, 200]
    assert [headers["X-Forwarded-For"] for _, _, headers in shop.requests] == ["81.2.69.142"] * 2

    async def closed(site):
        with pytest.raises(SiteDownError):
            await Wire("http://127.0.0.1:1").get("/", {})

    running(shop, closed)


def test_an_answer_without_a_length_is_refused():
    assert body_length(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n") == 12
    with pytest.raises(ValueError, match="Content-Length"):
        body_length(b"HTTP/1.1 200 OK\r\n\r\n")
