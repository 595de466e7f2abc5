"""What a middleware adds to a request, in process.

Calls a tiny application directly, without a server or a network, so that the difference is the
middleware's own work on the event loop. Events to Kafka go through the emitter's thread, which
then competes for the interpreter.
"""

import asyncio
import gc
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.fanout.limits import cores, pinned
from benchmarks.figures import percentile
from benchmarks.interceptor.asked import PEER, scope
from benchmarks.interceptor.base_http import BaseHTTPLogging
from benchmarks.interceptor.results import Counts, InProcess
from contracts.kafka import KafkaSettings
from contracts.settings import Secret
from interceptor import ClickwakeMiddleware, SiteSettings
from interceptor.emitter import Emitter
from interceptor.producer import Connect, connect

WARM_UP = 1_000
"""Requests before those that are timed."""
FLUSH_S = 60.0
PAGE, IMAGE = "/product/kettle", "/kettle.png"

CASES = {
    "none": "no middleware",
    "dropped": "Clickwake, an image: dropped",
    "absent": "Clickwake, no Kafka",
    "full": "Clickwake, queue full",
    "kafka": "Clickwake, to Kafka",
    "base-absent": "BaseHTTPMiddleware, no Kafka",
    "base-kafka": "BaseHTTPMiddleware, to Kafka",
}
"""Each with its title. The first is what the others are compared with."""


class AbsentKafka:
    """Lets nobody connect, and answers nobody until it is released."""

    def __init__(self) -> None:
        self._released = threading.Event()

    def connect(self, *_: object) -> Any:
        """Waits, then raises ConnectionError."""
        self._released.wait()
        raise ConnectionError("there is no Kafka, on purpose")

    def release(self) -> None:
        """Whoever waits may end."""
        self._released.set()


async def app(scope: Any, receive: Any, send: Any) -> None:
    """The smallest answer."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


async def receive() -> Any:
    """A request without a body."""
    return {"type": "http.request", "body": b"", "more_body": False}


async def send(message: Any) -> None:
    """Where an answer goes."""


def middleware(queue_size: int, connect: Connect, kafka: KafkaSettings) -> ClickwakeMiddleware:
    """Clickwake around the tiny application."""
    site = _site(queue_size)
    return ClickwakeMiddleware(app, site, emitter=Emitter(site, kafka, connect=connect))


def _base_http(queue_size: int, connect: Connect, kafka: KafkaSettings) -> BaseHTTPLogging:
    site = _site(queue_size)
    return BaseHTTPLogging(app, site, Emitter(site, kafka, connect=connect))


def _site(queue_size: int) -> SiteSettings:
    return SiteSettings(
        site_id="shop",
        secret=Secret("k"),
        trusted_proxies=PEER,
        queue_size=queue_size,
        flush_deadline="20s",
    )


def measured(requests: int, number: int, kafka: KafkaSettings) -> Iterator[InProcess]:
    """One round: each case once. The broker must have the contract's topics."""
    base: list[float] = []
    for case in CASES:
        with _application(case, requests + WARM_UP, kafka) as application:
            path = IMAGE if case == "dropped" else PAGE
            with pinned(cores()[0]):
                asyncio.run(_timed(application, path, WARM_UP))
                times = asyncio.run(_timed(application, path, requests))
            base = base or times
            counts = None if application is app else _settled(application.emitter, case)
        p50, p99 = percentile(times, 0.5), percentile(times, 0.99)
        yield InProcess(
            case=case,
            number=number,
            requests=requests + WARM_UP,
            p50_us=round(p50, 2),
            p99_us=round(p99, 2),
            added_p50_us=round(p50 - percentile(base, 0.5), 2),
            added_p99_us=round(p99 - percentile(base, 0.99), 2),
            counts=counts,
        )


@contextmanager
def _application(case: str, requests: int, kafka: KafkaSettings) -> Iterator[Any]:
    """The case's application; its emitter, if it has one, is closed afterwards."""
    if case == "none":
        yield app
        return
    absent = AbsentKafka()
    make = _base_http if case.startswith("base") else middleware
    to = connect if case.endswith("kafka") else absent.connect
    application = make(1 if case == "full" else requests, to, kafka)
    try:
        yield application
    finally:
        with _without_warnings():
            absent.release()
            application.emitter.close()


@contextmanager
def _without_warnings() -> Iterator[None]:
    """The interceptor would say that there is no Kafka, which is so on purpose."""
    log = logging.getLogger("clickwake.interceptor")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


async def _timed(application: Any, path: str, requests: int) -> list[float]:
    """Each request's time in µs, sorted."""
    scopes = [scope(number, path) for number in range(requests)]
    times = []
    gc.collect()
    for one in scopes:
        began = time.perf_counter_ns()
        await application(one, receive, send)
        times.append((time.perf_counter_ns() - began) / 1000)
        # The loop's turn, as between real requests: lets the delivery thread run.
        await asyncio.sleep(0)
    return sorted(times)


def _settled(emitter: Emitter, case: str) -> Counts:
    """What the emitter counted, with Kafka when all has arrived there."""
    deadline = time.monotonic() + FLUSH_S
    while case.endswith("kafka") and emitter.stats().queued and time.monotonic() < deadline:
        time.sleep(0.05)
    return Counts.of(emitter.stats())
