"""One site under uvicorn, with and without the middleware: a raw client sees the same bytes."""

import json
import re
import subprocess
import sys

import pytest

from infra.paths import PROJECT
from tests.support.raw_http import (
    BINARY,
    CHUNKED,
    CLOSE,
    TEXT,
    connected,
    exchange,
    frame,
    handshake,
    open_request,
    request,
    rest,
    undated,
    until,
)
from tests.support.serving import a_file, uvicorn
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

SITE = "tests.support.sites.tiny_asgi"
EXCHANGES = {
    "plain": (request("/page"), b"plain"),
    "query": (request("/page?utm_source=x&y=%zz"), b"plain"),
    "stream": (request("/stream"), b"end of stream"),
    "stream to HTTP/1.0": (b"GET /stream HTTP/1.0\r\n\r\n", b"end of stream"),
    "stream of known length": (request("/sized"), b"end of stream"),
    "HEAD": (request("/page", "HEAD"), b"HTTP/1.1 201"),
    "HEAD of a file": (request("/file", "HEAD"), b"content-length: 100000"),
    "204": (request("/nothing"), b"HTTP/1.1 204"),
    "304": (request("/unchanged"), b"HTTP/1.1 304"),
    "file": (request("/file"), b"content-length: 100000"),
    "range": (request("/file", "GET", b"", "Range: bytes=10-19"), b"\r\n\r\n0123456789"),
    "range of the end": (request("/file", "GET", b"", "Range: bytes=-5"), b"\r\n\r\n56789"),
    "impossible range": (request("/file", "GET", b"", "Range: bytes=200000-"), b"HTTP/1.1 416"),
    "body": (request("/echo", "POST", b"a body"), b"a body"),
    "chunked body": (CHUNKED, b"\r\n\r\nabcde"),
    "100-continue": (
        request("/echo", "PUT", b"late", "Expect: 100-continue"),
        b"HTTP/1.1 100 Continue",
    ),
    "two on one connection": (open_request("/page") + request("/state"), b"from the lifespan"),
    "long header": (
        request("/header", "GET", b"", "X-Huge: " + "a" * 60_000),
        b"60000 bytes of header",
    ),
    "header too long": (request("/header", "GET", b"", "X-Huge: " + "a" * 300_000), b""),
    "not found": (request("/nowhere"), b"HTTP/1.1 404"),
    "wrong method": (request("/page", "DELETE"), b"HTTP/1.1 405"),
    "OPTIONS": (request("/page", "OPTIONS"), b"HTTP/1.1 405"),
    "no HTTP": (b"\x16\x03\x01 nonsense\r\n\r\n", b"HTTP/1.1 400"),
    "lifespan state": (request("/state"), b"from the lifespan"),
    "fails": (request("/fails"), b"HTTP/1.1 500"),
    "breaks midway": (request("/breaks"), b"then it breaks"),
    "WebSocket rejected": (handshake("/reject"), b"HTTP/1.1 403"),
    "WebSocket denied": (handshake("/deny"), b"not for you"),
}


@pytest.fixture(scope="module", params=["httptools", "h11"])
def sites(request, tmp_path_factory):
    """The ports of the plain and of the watched site."""
    folder = tmp_path_factory.mktemp("tiny")
    options = (f"--http={request.param}", "--log-level=critical")
    environ = {"TINY_SITE_FILE": str(a_file(folder))}
    with (
        uvicorn(f"{SITE}:plain", folder, *options, environ=environ) as plain,
        uvicorn(f"{SITE}:watched", folder, *options, environ=environ) as watched,
    ):
        yield plain.port, watched.port


def seen(port):
    """What the host and the site have noted so far."""
    return json.loads(exchange(port, request("/tells")).rpartition(b"\r\n\r\n")[2])


def noted_since(port, number):
    return seen(port)[number:]


@pytest.mark.parametrize("name", EXCHANGES)
def test_the_same_bytes(sites, name):
    sent, expected = EXCHANGES[name]
    plain, watched = (exchange(port, sent) for port in sites)
    assert watched == plain
    assert expected in plain


def test_the_middleware_was_there(sites):
    before = counted(sites[1])
    exchange(sites[1], request("/page"))
    after = counted(sites[1])
    assert after["observed"] - before["observed"] == 1
    assert "internal_error" not in after["lost"]


def counted(port):
    return json.loads(exchange(port, request("/counted")).rpartition(b"\r\n\r\n")[2])


def test_an_event_is_there_before_the_next_one_is_made(sites):
    def conversation(port):
        with connected(port) as connection:
            connection.sendall(request("/events"))
            first = until(connection, b"data: first\n\n\r\n")
            exchange(port, request("/let_go"))
            return undated(first + rest(connection))

    plain, watched = map(conversation, sites)
    assert watched == plain
    assert b"text/event-stream" in plain
    assert b"data: second" in plain


def test_a_websocket_says_and_hears_the_same(sites):
    def conversation(port):
        with connected(port) as connection:
            connection.sendall(handshake("/talk"))
            got = until(connection, b"\r\n\r\n")
            connection.sendall(frame(TEXT, "grüße".encode()) + frame(BINARY, b"\0\xff\x01"))
            connection.sendall(frame(TEXT, b"close"))
            got += until(connection, b"as asked")
            connection.sendall(frame(CLOSE, b"\x0f\xa1"))
            return undated(got + rest(connection))

    plain, watched = map(conversation, sites)
    assert watched == plain
    assert b"HTTP/1.1 101" in plain
    assert b"\x82\x03\0\xff\x01" in plain, "the binary frame came back"
    assert plain.endswith(b"\x88\x0a\x0f\xa1as asked"), "a close frame with 4001"


def test_a_site_sees_the_visitors_close_code(sites):
    def conversation(port):
        before = len(seen(port))
        with connected(port) as connection:
            connection.sendall(handshake("/talk"))
            until(connection, b"\r\n\r\n")
            connection.sendall(frame(CLOSE, b"\x0b\xb9bye"))
            got = rest(connection)
        noted = wait_until(lambda: noted_since(port, before), what="the site saw the close")
        return got, noted

    plain, watched = map(conversation, sites)
    assert watched == plain
    assert plain[1] == [{"type": "websocket.disconnect", "code": 3001, "reason": "bye"}]


def test_a_site_sees_that_the_visitor_left(sites):
    def conversation(port):
        before = len(seen(port))
        with connected(port) as connection:
            connection.sendall(request("/waits"))
            until(connection, b"waiting")
        return wait_until(lambda: noted_since(port, before), what="the site saw the visitor go")

    plain, watched = map(conversation, sites)
    assert watched == plain == [{"type": "http.disconnect"}]


@pytest.mark.parametrize(
    ("page", "expected"),
    [("background", "background ran"), ("set_variable", ["variable", "by the site"])],
)
def test_what_happens_beside_the_answer_happens(sites, page, expected):
    def noted(port):
        before = len(seen(port))
        exchange(port, request(f"/{page}"))
        return wait_until(lambda: noted_since(port, before), what=f"{page} was noted")

    plain, watched = map(noted, sites)
    assert watched == plain == [expected]


@pytest.mark.parametrize(
    ("page", "words", "where"),
    [("fails", "before the answer", "fails"), ("breaks", "in the middle", "breaking")],
)
def test_a_host_sees_the_exception_with_its_traceback(sites, page, words, where):
    def noted(port):
        before = len(seen(port))
        exchange(port, request(f"/{page}"))
        return wait_until(lambda: noted_since(port, before), what="the host saw it")

    plain, watched = map(noted, sites)
    assert watched == plain
    ((message, frames),) = plain
    assert message == words
    assert frames[-1][0] == where


def test_a_site_that_cannot_start_says_so_itself():
    def start(name):
        command = [sys.executable, "-m", "uvicorn", f"{SITE}:{name}", "--port=0"]
        done = subprocess.run(
            command, cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False
        )
        return done.returncode, re.sub(r"\[\d+\]", "[pid]", done.stdout + done.stderr)

    plain, watched = start("failing_plain"), start("failing_watched")
    assert watched == plain
    assert plain[0] == 3
    assert "the site cannot start" in plain[1]
