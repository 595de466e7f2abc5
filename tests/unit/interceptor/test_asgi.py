import asyncio
import contextvars
import logging
import socket

import anyio
import httpx
import pytest
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient

from contracts.kafka import KafkaSettings
from contracts.settings import Secret
from interceptor import ClickwakeMiddleware, SiteSettings
from interceptor.guard import Guard
from tests.support.logs import said
from tests.support.watched import SITE, Recorder, Strict


@pytest.fixture
def seen():
    return Recorder()


def watched(app, seen, settings=SITE, **options):
    return ClickwakeMiddleware(app, settings, emitter=seen, **{"guard": Strict(), **options})


def get(app, path="/", **options):
    async def call():
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://shop.example") as client:
            return await client.request(options.pop("method", "GET"), path, **options)

    return asyncio.run(call())


async def hello(scope, receive, send):
    await send({"type": "http.response.start", "status": 201, "headers": [(b"x-a", b"1")]})
    await send({"type": "http.response.body", "body": b"hello"})


def test_a_request_becomes_one_event(seen):
    answer = get(watched(hello, seen), "/a?utm_source=x")
    (event,) = seen.events
    assert (answer.status_code, answer.content) == (201, b"hello")
    assert (event.site_id, event.path, event.status) == ("shop", "/a", 201)
    assert event.query == {"utm_source": "x"}
    assert event.duration_ms >= 0


def test_one_line_is_enough(monkeypatch):
    monkeypatch.setenv("CLICKWAKE_SITE_SECRET", "k")
    monkeypatch.setenv("CLICKWAKE_SITE_FLUSH_DEADLINE", "0ms")
    monkeypatch.setenv("CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1")
    app = Starlette(routes=[Route("/", lambda request: PlainTextResponse("hi"))])
    app.add_middleware(ClickwakeMiddleware, site_id="shop")
    with TestClient(app) as client:
        assert client.get("/").text == "hi"


def test_the_answer_is_the_same_bytes_with_and_without(seen):
    async def chunks():
        for part in (b"a" * 70_000, b"", b"b"):
            yield part

    app = Starlette(routes=[Route("/", lambda request: StreamingResponse(chunks()))])
    plain, logged = get(app), get(watched(app, seen))
    assert (plain.content, plain.headers) == (logged.content, logged.headers)
    assert len(seen.events) == 1


def test_dropped_requests_reach_the_app_with_the_servers_own_send(seen):
    received = []

    async def app(scope, receive, send):
        received.append(send)

    async def own_send(message):
        pass

    scope = {"type": "http", "method": "GET", "path": "/x.png", "headers": []}
    asyncio.run(watched(app, seen)(scope, None, own_send))
    assert received == [own_send]
    assert seen.ledger.stats(0).dropped == {"image": 1}
    assert seen.events == []


def test_the_event_does_not_wait_for_background_tasks(seen):
    before = []

    def task():
        before.extend(seen.events)

    answer = PlainTextResponse("hi", background=BackgroundTask(task))
    get(watched(Starlette(routes=[Route("/", lambda request: answer)]), seen))
    assert len(before) == 1
    assert len(seen.events) == 1


def test_an_apps_exception_passes_and_is_logged_as_500(seen):
    async def broken(scope, receive, send):
        raise ZeroDivisionError("the app's own")

    with pytest.raises(ZeroDivisionError, match="the app's own"):
        asyncio.run(
            watched(broken, seen)(
                {"type": "http", "method": "GET", "path": "/", "headers": []}, None, None
            )
        )
    assert [event.status for event in seen.events] == [500]


def test_an_exception_after_the_answer_began_keeps_its_status(seen):
    async def broken(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ZeroDivisionError

    get(watched(broken, seen))
    assert [event.status for event in seen.events] == [200]


def test_a_visitor_who_leaves_is_logged_as_499(seen):
    async def slow(scope, receive, send):
        await anyio.sleep_forever()

    async def leave():
        scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
        task = asyncio.create_task(watched(slow, seen)(scope, None, None))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(leave())
    assert [event.status for event in seen.events] == [499]


def test_an_app_that_never_answers_counts_as_500(seen):
    async def silent(scope, receive, send):
        pass

    asyncio.run(
        watched(silent, seen)(
            {"type": "http", "method": "GET", "path": "/", "headers": []}, None, None
        )
    )
    assert [event.status for event in seen.events] == [500]


def test_context_variables_flow_through_as_without(seen):
    variable = contextvars.ContextVar("variable", default="unset")

    async def app(scope, receive, send):
        variable.set("by the app")
        await hello(scope, receive, send)

    async def call():
        scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
        await watched(app, seen)(scope, None, _ignore)
        return variable.get()

    assert asyncio.run(call()) == "by the app"


async def _ignore(message):
    pass


def test_web_sockets_are_left_alone(seen):
    async def echo(socket):
        await socket.accept()
        await socket.send_text(await socket.receive_text())
        await socket.close()

    app = watched(Starlette(routes=[WebSocketRoute("/ws", echo)]), seen)
    with TestClient(app) as client, client.websocket_connect("/ws") as connection:
        connection.send_text("hi")
        assert connection.receive_text() == "hi"
    assert seen.events == []
    assert seen.ledger.stats(0).observed == 0


def test_the_emitter_lives_as_long_as_the_application(seen):
    with TestClient(watched(Starlette(), seen)):
        assert seen.calls == ["start"]
    assert seen.calls == ["start", "close"]


def test_our_own_failure_never_reaches_the_site(seen, caplog):
    def broken_identity(site_id, address, agent):
        raise RuntimeError("ours")

    app = watched(hello, seen, guard=Guard(), identify=broken_identity)
    with caplog.at_level(logging.ERROR):
        assert [get(app).content for _ in range(3)] == [b"hello"] * 3
    assert app.guard.errors == 3
    assert seen.ledger.stats(0).lost == {"internal_error": 3}
    assert len(said(caplog, "clickwake.interceptor")) == 1


def test_a_scope_we_cannot_read_still_reaches_the_app(seen):
    app = watched(hello, seen, guard=Guard())
    sent = []

    async def keep(message):
        sent.append(message)

    asyncio.run(app({"type": "http"}, None, keep))
    assert sent[1]["body"] == b"hello"
    assert seen.ledger.stats(0).lost == {"internal_error": 1}


def test_development_is_not_logged_unless_asked(seen):
    development = SiteSettings(secret=Secret("k"), development=True)
    get(watched(hello, seen, development))
    assert (seen.events, seen.ledger.stats(0).dropped) == ([], {"development": 1})
    asked = SiteSettings(secret=Secret("k"), development=True, log_in_development=True)
    get(watched(hello, seen, asked))
    assert len(seen.events) == 1


def test_an_app_in_debug_mode_is_in_development(seen):
    app = Starlette(debug=True, routes=[Route("/", lambda request: PlainTextResponse("hi"))])
    app.add_middleware(ClickwakeMiddleware, settings=SITE, emitter=seen, guard=Strict())
    get(app)
    assert seen.ledger.stats(0).dropped == {"development": 1}


@pytest.mark.parametrize("header", ["DNT", "Sec-GPC"])
def test_a_wish_not_to_be_tracked_is_marked_or_respected(seen, header):
    get(watched(hello, seen), headers={header: "1"})
    assert seen.events[0].dnt or seen.events[0].gpc
    get(
        watched(hello, seen, SiteSettings(secret=Secret("k"), respect_dnt=True)),
        headers={header: "1"},
    )
    assert len(seen.events) == 1
    assert seen.ledger.stats(0).dropped == {"do_not_track": 1}


def test_without_a_secret_it_warns_and_works(seen, caplog):
    app = watched(hello, seen, SiteSettings())
    get(app), get(app)
    assert "CLICKWAKE_SITE_SECRET is not set" in caplog.text
    assert len({event.visitor_id for event in seen.events}) == 1


def test_without_kafka_the_site_answers_the_same_and_every_event_is_accounted_for():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{closed.getsockname()[1]}"
    settings = SiteSettings(secret=Secret("k"), queue_size=5, flush_deadline="100ms")
    app = ClickwakeMiddleware(hello, settings, kafka=KafkaSettings(bootstrap_servers=address))
    assert {get(app).content for _ in range(20)} == {b"hello"}
    stats = app.emitter.stats()
    assert (stats.observed, stats.queued, stats.lost) == (20, 5, {"queue_full": 15})
    app.emitter.close()
    assert app.emitter.stats().lost == {"queue_full": 15, "shutdown": 5}
