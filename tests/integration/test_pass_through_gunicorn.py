"""One site under gunicorn, with and without the middleware: a raw client sees the same bytes."""

import json

import pytest

from tests.support.raw_http import (
    CHUNKED,
    connected,
    exchange,
    open_request,
    request,
    rest,
    undated,
    until,
)
from tests.support.serving import a_file, gunicorn
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

SITE = "tests.support.sites.tiny_wsgi"
EXCHANGES = {
    "plain": (request("/page"), b"HTTP/1.1 201 Made Here"),
    "query": (request("/page?utm_source=x&y=%zz"), b"plain"),
    "known length": (request("/sized"), b"\r\n\r\nsize"),
    "stream": (request("/stream"), b"end of stream"),
    "stream to HTTP/1.0": (b"GET /stream HTTP/1.0\r\n\r\n", b"end of stream"),
    "written by hand": (request("/writes"), b"by hand, "),
    "HEAD": (request("/page", "HEAD"), b"HTTP/1.1 201"),
    "HEAD of a file": (request("/file", "HEAD"), b"Content-Length: 100000"),
    "204": (request("/nothing"), b"HTTP/1.1 204"),
    "304": (request("/unchanged"), b"HTTP/1.1 304"),
    "file": (request("/file"), b"Content-Length: 100000"),
    "range": (request("/part", "GET", b"", "Range: bytes=10-19"), b"\r\n\r\n0123456789"),
    "body": (request("/echo", "POST", b"a body"), b"a body"),
    "chunked body": (CHUNKED, b"abcde"),
    "100-continue": (
        request("/echo", "PUT", b"late", "Expect: 100-continue"),
        b"HTTP/1.1 100 Continue",
    ),
    "early hints": (request("/hints"), b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>"),
    "two on one connection": (open_request("/page") + request("/sized"), b"plain"),
    "long header": (
        request("/header", "GET", b"", "X-Huge: " + "a" * 8_000),
        b"8000 bytes of header",
    ),
    "header too long": (
        request("/header", "GET", b"", "X-Huge: " + "a" * 20_000),
        b"HTTP/1.1 431",
    ),
    "no HTTP": (b"\x16\x03\x01 nonsense\r\n\r\n", b"HTTP/1.1 400"),
    "fails": (request("/fails"), b"HTTP/1.1 500"),
    "not found": (request("/nowhere"), b"HTTP/1.1 500"),
    "breaks midway": (request("/breaks"), b"then it breaks"),
    "thinks again": (request("/thinks_again"), b"HTTP/1.1 503 Later"),
    "thinks again too late": (request("/too_late"), b"this far"),
    "starts twice": (request("/starts_twice"), b"HTTP/1.1 500"),
    "bad header": (request("/bad_header"), b"HTTP/1.1 500"),
}
KINDS = {
    "sync": ("--worker-class=sync",),
    "gthread": ("--worker-class=gthread", "--threads=4"),
}


@pytest.fixture(scope="module", params=KINDS)
def sites(request, tmp_path_factory):
    """The ports of the plain and of the watched site."""
    folder = tmp_path_factory.mktemp("tiny")
    options = ("--preload", "--log-level=critical", *KINDS[request.param])
    environ = {"TINY_SITE_FILE": str(a_file(folder))}
    with (
        gunicorn(f"{SITE}:plain", folder, *options, environ=environ) as plain,
        gunicorn(f"{SITE}:watched", folder, *options, environ=environ) as watched,
    ):
        yield plain.port, watched.port


def seen(port):
    """What the host and the site have noted so far."""
    return json.loads(body(port, "/tells"))


def body(port, target):
    # HTTP/1.0, so that it comes without chunk sizes.
    answer = exchange(port, f"GET {target} HTTP/1.0\r\n\r\n".encode())
    return answer.partition(b"\r\n\r\n")[2]


@pytest.mark.parametrize("name", EXCHANGES)
def test_the_same_bytes(sites, name):
    sent, expected = EXCHANGES[name]
    plain, watched = (exchange(port, sent) for port in sites)
    assert watched == plain
    assert expected in plain


def test_the_middleware_was_there(sites):
    before = int(body(sites[1], "/counted"))
    exchange(sites[1], request("/page"))
    assert int(body(sites[1], "/counted")) == before + 1


@pytest.mark.parametrize("sites", ["gthread"], indirect=True)
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


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("closes", "closed"),
        ("set_variable", ["variable", "by the site"]),
    ],
)
def test_what_happens_beside_the_answer_happens_once(sites, page, expected):
    def noted(port):
        before = len(seen(port))
        exchange(port, request(f"/{page}"))
        return wait_until(lambda: seen(port)[before:], what=f"{page} was noted")

    plain, watched = map(noted, sites)
    assert watched == plain == [expected]


def test_a_body_is_closed_when_the_visitor_leaves(sites):
    def noted(port):
        before = len(seen(port))
        with connected(port) as connection:
            connection.sendall(request("/endless"))
            until(connection, b"a" * 10)
        return wait_until(lambda: seen(port)[before:], what="the body was closed")

    plain, watched = map(noted, sites)
    assert watched == plain == ["closed"]


@pytest.mark.parametrize(
    ("page", "words", "where"),
    [
        ("fails", "before the answer", "fails"),
        ("breaks", "in the middle", "breaks"),
        ("too_late", "too late", "start_response"),
    ],
)
def test_a_host_sees_the_exception_with_its_traceback(sites, page, words, where):
    def noted(port):
        before = len(seen(port))
        exchange(port, request(f"/{page}"))
        return wait_until(lambda: seen(port)[before:], what="the host saw it")

    plain, watched = map(noted, sites)
    assert watched == plain
    ((message, frames),) = plain
    assert message == words
    assert where in [name for name, _ in frames]
