"""What the middleware adds to a request, in process: ``./clickwake bench interceptor``.

Calls a tiny application directly, without a server or a network, so that the difference is the
middleware's own work on the event loop. With ``--kafka HOST:PORT`` events also go to a broker,
whose thread then competes for the interpreter.
"""

import asyncio
import gc
import threading
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table

from contracts.kafka import KafkaSettings
from contracts.settings import Secret
from interceptor import ClickwakeMiddleware, SiteSettings
from interceptor.emitter import Emitter

HEADERS = [
    (b"host", b"shop.example"),
    (b"user-agent", b"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"),
    (b"accept", b"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    (b"accept-language", b"en-GB,en;q=0.5"),
    (b"accept-encoding", b"gzip, deflate, br, zstd"),
    (b"referer", b"https://shop.example/category/kettles?page=2"),
    (b"cookie", b"session=0123456789abcdef0123456789abcdef; theme=dark"),
    (b"sec-fetch-dest", b"document"),
    (b"sec-fetch-mode", b"navigate"),
    (b"sec-fetch-site", b"same-origin"),
    (b"x-forwarded-for", b"81.2.69.142"),
]


async def app(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


async def send(message: Any) -> None:
    pass


def scope(number: int, path: str) -> dict[str, Any]:
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"utm_source=news&utm_medium=email&id=1",
        "headers": [
            *HEADERS[:-1],
            (b"x-forwarded-for", b"81.2.%d.%d" % divmod(number % 5000, 250)),
        ],
        "client": ("127.0.0.1", 4000),
    }


async def timed(application: Any, path: str, requests: int) -> list[float]:
    """Each request's time in µs, sorted."""
    scopes = [scope(number, path) for number in range(requests)]
    times = []
    gc.collect()
    for one in scopes:
        began = time.perf_counter_ns()
        await application(one, None, send)
        times.append((time.perf_counter_ns() - began) / 1000)
        # The loop's turn, as between real requests: lets the delivery thread run.
        await asyncio.sleep(0)
    return sorted(times)


def middleware(queue_size: int, connect: Callable[..., Any] | None, kafka: KafkaSettings) -> Any:
    site = SiteSettings(
        site_id="shop",
        secret=Secret("k"),
        trusted_proxies="127.0.0.1",
        queue_size=queue_size,
        flush_deadline="20s",
    )
    emitter = Emitter(site, kafka, **({"connect": connect} if connect else {}))
    return ClickwakeMiddleware(app, site, emitter=emitter)


def main(number: int, kafka: str | None) -> None:
    """Time ``number`` requests of each kind; ``kafka`` is a broker with the contract's topics."""
    release = threading.Event()

    def absent(*_: Any) -> Any:
        release.wait()
        raise ConnectionError

    nowhere = KafkaSettings()
    rows: list[tuple[str, Any, str]] = [
        ("no middleware", app, "/product/kettle"),
        ("an image, dropped", middleware(number, absent, nowhere), "/kettle.png"),
        ("a page, Kafka absent", middleware(number, absent, nowhere), "/product/kettle"),
        ("a page, queue full", middleware(1, absent, nowhere), "/product/kettle"),
    ]
    if kafka:
        kafka = KafkaSettings(bootstrap_servers=kafka)
        rows.append(("a page, to Kafka", middleware(number, None, kafka), "/product/kettle"))
    table = Table("case", "p50 µs", "p99 µs", "added p50 µs", title=f"{number} requests each")
    base = 0.0
    for name, application, path in rows:
        asyncio.run(timed(application, path, 1000))
        times = asyncio.run(timed(application, path, number))
        middle = times[number // 2]
        base = base or middle
        table.add_row(
            name, f"{middle:.1f}", f"{times[number * 99 // 100]:.1f}", f"{middle - base:.1f}"
        )
    Console().print(table)
    release.set()
