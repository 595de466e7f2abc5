"""One small WSGI site, as ``plain`` and as ``watched``, that does whatever PEP 3333 allows.

Around either stands the same host, which keeps what it and the site see in a list at ``/tells``.
"""

import contextvars
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from contracts.kafka import KafkaSettings
from contracts.settings import Secret
from interceptor import ClickwakeWsgiMiddleware, SiteSettings
from tests.support.sites.tiny_asgi import own_frames
from tests.support.watched import Strict

# No Kafka, and a queue that is full after a few requests.
SITE = SiteSettings(site_id="shop", secret=Secret("k"), queue_size=5, flush_deadline="100ms")
NOWHERE = KafkaSettings(bootstrap_servers="127.0.0.1:9")
FILE = Path(os.environ.get("TINY_SITE_FILE", __file__))
TEXT = [("Content-Type", "text/plain")]
PIECE = b"a" * 65_536

variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")
seen: list[Any] = []
release = threading.Event()

Environ = dict[str, Any]
Start = Callable[..., Callable[[bytes], object]]
Site = Callable[[Environ, Start], Iterable[bytes]]


class Closing:
    """A body that notes when it is closed."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self.chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.chunks)

    def close(self) -> None:
        seen.append("closed")


def page(environ: Environ, start: Start) -> Iterable[bytes]:
    cookies = [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("X-Raw", "caf\xe9")]
    start("201 Made Here", [*TEXT, *cookies])
    return [b"plain"]


def sized(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [*TEXT, ("Content-Length", "4")])
    return (b"si", b"", b"ze")


def stream(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", TEXT)
    yield from (b"a" * 70_000, b"", b"end of stream")


def events(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/event-stream")])
    yield b"data: first\n\n"
    release.wait()
    release.clear()
    yield b"data: second\n\n"


def let_go(environ: Environ, start: Start) -> Iterable[bytes]:
    release.set()
    start("200 OK", TEXT)
    return [b"released"]


def writes(environ: Environ, start: Start) -> Iterable[bytes]:
    write = start("200 OK", TEXT)
    write(b"by hand, ")
    return [b"then by return"]


def echo(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", TEXT)
    return [environ["wsgi.input"].read()]


def header(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", TEXT)
    return [b"%d bytes of header" % len(environ.get("HTTP_X_HUGE", ""))]


def file(environ: Environ, start: Start) -> Iterable[bytes]:
    size = str(FILE.stat().st_size)
    start("200 OK", [*TEXT, ("Content-Length", size)])
    return environ["wsgi.file_wrapper"](FILE.open("rb"))  # type: ignore[no-any-return]


def part(environ: Environ, start: Start) -> Iterable[bytes]:
    first, last = map(int, environ["HTTP_RANGE"].removeprefix("bytes=").split("-"))
    place = f"bytes {first}-{last}/{FILE.stat().st_size}"
    length = ("Content-Length", str(last - first + 1))
    start("206 Partial Content", [*TEXT, ("Content-Range", place), length])
    opened = FILE.open("rb")
    opened.seek(first)
    return environ["wsgi.file_wrapper"](opened)  # type: ignore[no-any-return]


def hints(environ: Environ, start: Start) -> Iterable[bytes]:
    environ["wsgi.early_hints"]([("Link", "</a.css>; rel=preload")])
    start("200 OK", TEXT)
    return [b"after the hints"]


def nothing(environ: Environ, start: Start) -> Iterable[bytes]:
    start("204 No Content", [])
    return []


def unchanged(environ: Environ, start: Start) -> Iterable[bytes]:
    start("304 Not Modified", [("ETag", '"1"')])
    return []


def closes(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", TEXT)
    return Closing([b"to be closed"])


def endless(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", TEXT)
    return Closing(PIECE for _ in range(10_000))


def set_variable(environ: Environ, start: Start) -> Iterable[bytes]:
    variable.set("by the site")
    start("200 OK", TEXT)
    return [b"variable is set"]


def fails(environ: Environ, start: Start) -> Iterable[bytes]:
    raise ZeroDivisionError("before the answer")


def breaks(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", TEXT)
    yield b"then it breaks"
    raise ZeroDivisionError("in the middle")


def thinks_again(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", TEXT)
    try:
        raise ZeroDivisionError("early enough")
    except ZeroDivisionError as error:
        start("503 Later", TEXT, (type(error), error, error.__traceback__))
    return [b"sorry"]


def too_late(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", TEXT)
    yield b"this far"
    error = ZeroDivisionError("too late")
    start("503 Later", TEXT, (type(error), error, error.__traceback__))


def starts_twice(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", TEXT)
    start("201 Created", TEXT)
    return []


def bad_header(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("X-Bad", "a\r\nb")])
    return []


def tells(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", TEXT)
    return [json.dumps(seen).encode()]


PAGES: dict[str, Site] = {
    f"/{site.__name__}": site
    for site in (
        *(page, sized, stream, events, let_go, writes, echo, header, file, part, hints),
        *(nothing, unchanged, closes, endless, set_variable, fails, breaks, thinks_again),
        *(too_late, starts_twice, bad_header, tells),
    )
}


def tiny(environ: Environ, start: Start) -> Iterable[bytes]:
    """The site."""
    return PAGES[environ["PATH_INFO"]](environ, start)


class Host:
    """What stands around an application: it sees its exceptions and its context variables."""

    def __init__(self, app: Any, observed: Callable[[], int]) -> None:
        self.app, self.observed = app, observed

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/counted":
            start("200 OK", TEXT)
            return [b"%d" % self.observed()]
        variable.set("unset")
        try:
            body: Iterable[bytes] = self.app(environ, start)
        except Exception as error:
            seen.append([str(error), own_frames(error)])
            raise
        if variable.get() != "unset":
            seen.append(["variable", variable.get()])
        # Only here, so that the server sees all other bodies as the site or the middleware made.
        return self.noted(body) if environ["PATH_INFO"] in ("/breaks", "/too_late") else body

    def noted(self, body: Iterable[bytes]) -> Iterator[bytes]:
        try:
            yield from body
        except Exception as error:
            seen.append([str(error), own_frames(error)])
            raise


_middleware = ClickwakeWsgiMiddleware(tiny, SITE, kafka=NOWHERE, guard=Strict())

plain = Host(tiny, lambda: 0)
watched = Host(_middleware, lambda: _middleware.emitter.stats().observed)
