"""The WSGI middleware in process: what it reports, and that a server sees the app through it."""

import io
import logging
import os
import traceback
from wsgiref.handlers import SimpleHandler
from wsgiref.util import FileWrapper, setup_testing_defaults
from wsgiref.validate import validator

import pytest

from contracts.settings import Secret
from interceptor import ClickwakeMiddleware, ClickwakeWsgiMiddleware, SiteSettings
from interceptor.guard import Guard
from interceptor.ledger import Ledger
from tests.support.logs import said
from tests.support.raw_http import undated
from tests.support.watched import SITE, Recorder, Strict


@pytest.fixture
def seen():
    return Recorder()


def watched(app, seen, settings=SITE, **options):
    return ClickwakeWsgiMiddleware(app, settings, emitter=seen, **{"guard": Strict(), **options})


def environ_of(path="/", **more):
    environ = {"PATH_INFO": path, "SCRIPT_NAME": "", "QUERY_STRING": "", "REMOTE_ADDR": "127.0.0.1"}
    setup_testing_defaults(environ)
    return environ | more


def serve(app, environ):
    """The bytes, but for Date, that the standard library's server writes for one request."""
    out = io.BytesIO()
    handler = SimpleHandler(environ["wsgi.input"], out, io.StringIO(), environ)
    handler.run(app)
    return undated(out.getvalue())


def get(app, path="/", **more):
    return serve(app, environ_of(path, **more))


def hello(environ, start_response):
    start_response("201 Created", [("X-A", "1"), ("Content-Type", "text/plain")])
    return [b"hello"]


class Body:
    """An iterable that counts what is done to it."""

    def __init__(self, *chunks, error=None):
        self.chunks, self.error, self.calls = chunks, error, []

    def __iter__(self):
        self.calls.append("iter")
        yield from self.chunks
        if self.error:
            raise self.error

    def close(self):
        self.calls.append("close")


def answering(body, status="200 OK"):
    def app(environ, start_response):
        start_response(status, [("Content-Type", "text/plain")])
        return body

    return app


def started(*_):
    return lambda chunk: None


def test_a_request_becomes_one_event(seen):
    answer = get(watched(hello, seen), "/a", QUERY_STRING="utm_source=x", HTTP_HOST="Shop.example")
    (event,) = seen.events
    assert answer.endswith(b"\r\n\r\nhello")
    assert (event.site_id, event.path, event.status) == ("shop", "/a", 201)
    assert (event.query, event.host) == ({"utm_source": "x"}, "shop.example")
    assert event.duration_ms >= 0


@pytest.mark.parametrize(
    ("environ", "scope"),
    [
        (
            environ_of("/caf\xc3\xa9 %41?", SCRIPT_NAME="/shop", QUERY_STRING="ref=%C3%A9"),
            {"raw_path": b"/shop/caf%C3%A9%20%2541%3F", "query_string": b"ref=%C3%A9"},
        ),
        (environ_of("/\xff/a;jsessionid=1"), {"raw_path": b"/%FF/a;jsessionid=1"}),
        (
            environ_of(HTTP_X_FORWARDED_FOR="81.2.69.1,10.0.0.1", HTTP_DNT="1"),
            {
                "headers": [
                    (b"x-forwarded-for", b"81.2.69.1"),
                    (b"x-forwarded-for", b"10.0.0.1"),
                    (b"dnt", b"1"),
                ]
            },
        ),
        (
            environ_of(HTTP_FORWARDED="for=81.2.69.2"),
            {"headers": [(b"forwarded", b"for=81.2.69.2")]},
        ),
        (environ_of(REMOTE_ADDR=""), {"client": None}),
        (
            environ_of(HTTP_USER_AGENT="caf\xc3\xa9"),
            {"headers": [(b"user-agent", "café".encode())]},
        ),
        (environ_of(REQUEST_METHOD="POST"), {"method": "POST"}),
    ],
    ids=["path", "bad path", "proxy", "forwarded", "unix socket", "header bytes", "method"],
)
def test_a_request_reads_the_same_as_under_asgi(environ, scope):
    site = SiteSettings(site_id="shop", secret=Secret("k"), trusted_proxies="127.0.0.1,unix")
    wsgi = ClickwakeWsgiMiddleware(hello, site, emitter=Recorder())
    asgi = ClickwakeMiddleware(hello, site, emitter=Recorder())
    environ = {key: text for key, text in environ.items() if key != "HTTP_HOST"}
    base = {"method": "GET", "raw_path": b"/", "query_string": b"", "headers": []}
    assert wsgi._read(environ) == asgi._read(base | {"client": ("127.0.0.1", 1)} | scope)


def test_middleware_and_application_keep_to_pep_3333(seen):
    answer = get(validator(watched(validator(hello), seen)))
    assert b"201 Created" in answer
    assert len(seen.events) == 1


@pytest.mark.parametrize(
    "body",
    [[b"one"], [], (b"a", b"b"), Body(b"a" * 70_000, b"", b"b"), iter([b"x"]), (b"x",)],
    ids=["list", "empty", "tuple", "chunks", "iterator", "one of a tuple"],
)
def test_a_server_writes_the_same_bytes(seen, body):
    copies = [body, body] if not hasattr(body, "__next__") else [iter([b"x"]), iter([b"x"])]
    plain, logged = get(answering(copies[0])), get(watched(answering(copies[1]), seen))
    assert plain == logged
    assert len(seen.events) == 1


def test_a_known_length_stays_known(seen):
    body = watched(answering([b"one"]), seen)(environ_of(), started)
    assert len(body) == 1
    assert not hasattr(watched(answering(Body()), seen)(environ_of(), started), "__len__")


def test_close_is_called_once_and_iteration_is_asked_for_once(seen):
    body = Body(b"a", b"b")
    get(watched(answering(body), seen))
    assert body.calls == ["iter", "close"]
    assert len(seen.events) == 1


def test_the_event_waits_for_the_body_and_not_for_close(seen):
    at_end, at_close = [], []

    class Slow(Body):
        def __iter__(self):
            yield b"a"
            at_end.extend(seen.events)

        def close(self):
            at_close.extend(seen.events)

    get(watched(answering(Slow()), seen))
    assert (len(at_end), len(at_close)) == (0, 1)


def test_a_body_that_the_server_gives_up_is_logged_with_its_status(seen):
    body = Body(b"a", b"b")
    passed = watched(answering(body, "206 Partial Content"), seen)(environ_of(), started)
    assert next(iter(passed)) == b"a"
    assert seen.events == []
    passed.close()
    assert body.calls == ["iter", "close"]
    assert [event.status for event in seen.events] == [206]


def test_a_body_closed_before_the_answer_began_is_logged_as_499(seen):
    def lazy(environ, start_response):
        start_response("200 OK", [])
        yield b"never"

    watched(lazy, seen)(environ_of(), started).close()
    assert [event.status for event in seen.events] == [499]


def test_an_answer_that_begins_with_the_first_chunk_has_its_status(seen):
    def lazy(environ, start_response):
        start_response("202 Accepted", [("Content-Type", "text/plain")])
        yield b"now"

    assert get(lazy) == get(watched(lazy, seen))
    assert [event.status for event in seen.events] == [202]


def test_an_app_that_never_answers_counts_as_500(seen):
    list(watched(lambda environ, start_response: [], seen)(environ_of(), started))
    assert [event.status for event in seen.events] == [500]


def test_a_file_goes_to_the_server_as_it_is(seen):
    environ = environ_of(**{"wsgi.file_wrapper": FileWrapper})
    file = FileWrapper(io.BytesIO(b"file"))
    assert watched(answering(file), seen)(environ, started) is file
    assert [event.status for event in seen.events] == [200]


def test_a_file_that_a_function_wrapped_goes_to_the_server_as_it_is(seen):
    file = io.BytesIO(b"file")
    environ = environ_of(**{"wsgi.file_wrapper": lambda file, size=0: file})
    assert watched(answering(file), seen)(environ, started) is file


def test_dropped_requests_reach_the_app_with_the_servers_own_start_response(seen):
    received = []

    def app(environ, start_response):
        received.append((environ, start_response))
        return received

    environ = environ_of("/x.png")
    assert watched(app, seen)(environ, started) is received
    assert received[0][0] is environ
    assert received[0][1] is started
    assert seen.ledger.stats(0).dropped == {"image": 1}
    assert seen.events == []


def test_start_response_passes_on_what_it_got_and_gives_what_it_gave(seen):
    calls, writer = [], object()

    def server(*arguments, **options):
        calls.append((arguments, options))
        return writer

    def app(environ, start_response):
        error = (ValueError, ValueError(), None)
        assert start_response("200 OK", []) is writer
        assert start_response("500 Oops", [], error) is writer
        start_response("503 Later", [], exc_info=error)
        return []

    list(watched(app, seen)(environ_of(), server))
    assert [len(arguments) for arguments, _ in calls] == [2, 3, 2]
    assert list(calls[2][1]) == ["exc_info"]
    assert [event.status for event in seen.events] == [503]


def test_what_is_written_by_hand_comes_in_order(seen):
    def app(environ, start_response):
        write = start_response("200 OK", [("Content-Type", "text/plain")])
        write(b"first ")
        return [b"second"]

    assert get(app) == get(watched(app, seen))


def frames(error):
    """Where an exception came from, without the middleware's own lines."""
    steps = traceback.extract_tb(error.__traceback__)
    return [
        (step.name, step.lineno)
        for step in steps
        if f"{os.sep}interceptor{os.sep}w" not in step.filename
    ]


def raised_by(call):
    with pytest.raises(ZeroDivisionError) as caught:
        call()
    return caught.value


def raising(environ, start_response):
    raise ZeroDivisionError("the app's own")


def raising_midway(environ, start_response):
    start_response("200 OK", [])
    yield b"a"
    raise ZeroDivisionError("the app's own")


@pytest.mark.parametrize(("app", "status"), [(raising, 500), (raising_midway, 200)])
def test_an_apps_exception_passes_with_its_traceback(seen, app, status):
    def run(application):
        return list(application(environ_of(), started))

    plain, passed = raised_by(lambda: run(app)), raised_by(lambda: run(watched(app, seen)))
    assert frames(plain)[2:] == frames(passed)[2:]
    assert frames(plain)[-1][0] == app.__name__
    assert (passed.__context__, passed.__cause__) == (None, None)
    assert [event.status for event in seen.events] == [status]


def test_an_error_in_close_passes(seen):
    class Bad(Body):
        def close(self):
            raise ZeroDivisionError

    body = watched(answering(Bad(b"a")), seen)(environ_of(), started)
    assert list(body) == [b"a"]
    raised_by(body.close)


def test_our_own_failure_never_reaches_the_site(seen, caplog):
    def broken_identity(site_id, address, agent):
        raise RuntimeError("ours")

    app = watched(hello, seen, guard=Guard(), identify=broken_identity)
    with caplog.at_level(logging.ERROR):
        assert {get(app) for _ in range(3)} == {get(hello)}
    assert app.guard.errors == 3
    assert seen.ledger.stats(0).lost == {"internal_error": 3}
    assert len(said(caplog, "clickwake.interceptor")) == 1


def test_an_environ_we_cannot_read_still_reaches_the_app(seen):
    app = watched(hello, seen, guard=Guard())
    assert list(app({}, started)) == [b"hello"]
    assert seen.ledger.stats(0).lost == {"internal_error": 1}


def test_a_status_that_is_no_number_costs_an_event_and_not_the_answer(seen):
    app = watched(answering([b"a"], "fine"), seen, guard=Guard())
    assert list(app(environ_of(), started)) == [b"a"]
    assert seen.ledger.stats(0).lost == {"internal_error": 1}


def test_the_connection_begins_with_a_process(seen):
    app = watched(hello, seen)
    get(app), get(app)
    assert seen.calls == ["start"]
    seen.ledger = Ledger("shop")  # as after a fork
    get(app)
    assert seen.calls == ["start", "start"]


def test_flask_in_debug_mode_is_in_development(seen):
    from flask import Flask

    app = Flask("shop")
    app.debug = True
    get(watched(app.wsgi_app, seen))
    assert seen.ledger.stats(0).dropped == {"development": 1}
    app.debug = False
    get(watched(app.wsgi_app, seen))
    assert len(seen.events) == 1


def test_an_app_in_debug_mode_is_seen_through_other_middleware(seen):
    from flask import Flask
    from werkzeug.middleware.proxy_fix import ProxyFix

    app = Flask("shop")
    app.debug = True
    get(watched(ProxyFix(ProxyFix(app.wsgi_app)), seen))
    assert seen.ledger.stats(0).dropped == {"development": 1}


@pytest.mark.parametrize("debug", [True, False])
def test_django_in_debug_mode_is_in_development(seen, debug):
    from django.conf import settings
    from django.core.handlers.wsgi import WSGIHandler

    if not settings.configured:
        settings.configure()
    settings.DEBUG = debug
    application = WSGIHandler.__new__(WSGIHandler)
    assert watched(application, seen)._is_debug({}) is debug
