"""What no server of ours offers yet: every ASGI message passes as the object it was."""

import asyncio

import pytest

from interceptor import ClickwakeMiddleware
from interceptor.guard import Guard
from tests.support.watched import SITE, Recorder, Strict

START = {"type": "http.response.start", "status": 200, "headers": [(b"x-a", b"1")]}
LAST = {"type": "http.response.body", "body": b"end"}
ANSWERS = {
    "early hints": [
        {"type": "http.response.early_hint", "links": [b"</a.css>; rel=preload"]},
        START,
        LAST,
    ],
    "pathsend": [START, {"type": "http.response.pathsend", "path": "/srv/file.bin"}],
    "zero copy": [
        START,
        {"type": "http.response.zerocopysend", "file": 3, "count": 9, "more_body": True},
        {"type": "http.response.zerocopysend", "file": 3, "offset": 9},
    ],
    "trailers": [
        START | {"trailers": True},
        LAST,
        {"type": "http.response.trailers", "headers": [(b"x-sum", b"1")], "more_trailers": True},
        {"type": "http.response.trailers", "headers": [(b"x-sum", b"2")]},
    ],
    "push": [{"type": "http.response.push", "path": "/a.css", "headers": []}, START, LAST],
    "debug": [{"type": "http.response.debug", "info": {"template": object()}}, START, LAST],
    "of tomorrow": [START, {"type": "http.response.unheard_of"}, LAST],
    "empty body": [START, {"type": "http.response.body"}],
}


def scope_of(kind="http"):
    extensions = {"http.response.pathsend": {}, "http.response.trailers": {}}
    return {
        "type": kind,
        "method": "GET",
        "path": "/",
        "headers": [],
        "state": {"greeting": "hello"},
        "extensions": extensions,
    }


class Gateway:
    """A server's side: keeps what the application did with it."""

    def __init__(self):
        self.sent = []

    async def receive(self):
        return {"type": "http.disconnect"}

    async def send(self, message):
        self.sent.append(message)


def run(answer, kind="http"):
    """The gateway, what the application was called with, and the events."""
    gateway, seen, called = Gateway(), Recorder(), []

    async def app(scope, receive, send):
        called.append((scope, receive))
        for message in answer:
            await send(message)

    scope = scope_of(kind)
    watched = ClickwakeMiddleware(app, SITE, emitter=seen, guard=Strict())
    asyncio.run(watched(scope, gateway.receive, gateway.send))
    assert called[0][0] is scope
    assert kind == "lifespan" or called[0][1] == gateway.receive
    return gateway, scope, seen


@pytest.mark.parametrize("name", ANSWERS)
def test_each_message_is_the_applications_own_and_unchanged(name):
    before = [dict(message) for message in ANSWERS[name]]
    gateway, scope, seen = run(ANSWERS[name])
    assert all(got is sent for got, sent in zip(gateway.sent, ANSWERS[name], strict=True))
    assert gateway.sent == before
    assert scope == scope_of(), "the scope is untouched"
    assert len(seen.events) == 1


def test_a_scope_type_of_tomorrow_passes():
    message = {"type": "tunnel.open"}
    gateway, _, seen = run([message], kind="tunnel")
    assert gateway.sent == [message]
    assert seen.events == []


@pytest.mark.parametrize("failing", ["http.response.start", "http.response.body"])
def test_what_the_servers_send_raises_reaches_the_application(failing):
    caught = []

    class GoneError(OSError):
        """Servers raise this from ``send`` when the visitor has left."""

    async def send(message):
        if message["type"] == failing:
            raise GoneError

    async def app(scope, receive, send):
        try:
            await send(START)
            await send(LAST)
        except OSError as error:
            caught.append(type(error))
            raise

    watched = ClickwakeMiddleware(app, SITE, emitter=Recorder(), guard=Strict())
    with pytest.raises(GoneError):
        asyncio.run(watched(scope_of(), None, send))
    assert caught == [GoneError]


def test_a_lifespan_passes_with_its_own_messages_and_state():
    messages = [{"type": "lifespan.startup.complete"}, {"type": "lifespan.shutdown.complete"}]
    gateway, scope, _ = run(messages, kind="lifespan")
    assert all(got is sent for got, sent in zip(gateway.sent, messages, strict=True))
    assert scope == scope_of("lifespan")


class Life(Gateway):
    """A server that starts and stops its application."""

    def __init__(self):
        super().__init__()
        self._messages = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])

    async def receive(self):
        return next(self._messages)


async def raising(scope, receive, send):
    raise ValueError("I can only handle HTTP")


async def silent(scope, receive, send):
    return


@pytest.mark.parametrize("app", [raising, silent])
def test_an_application_that_takes_no_part_in_the_lifespan_has_one_nevertheless(app):
    server, emitter = Life(), Recorder()
    watched = ClickwakeMiddleware(app, SITE, emitter=emitter, guard=Strict())
    asyncio.run(watched(scope_of("lifespan"), server.receive, server.send))
    complete = ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert [message["type"] for message in server.sent] == complete
    assert emitter.calls == ["start", "close"]


def test_a_startup_that_fails_fails_at_the_server():
    async def app(scope, receive, send):
        await receive()
        raise RuntimeError("no database")

    server = Life()
    watched = ClickwakeMiddleware(app, SITE, emitter=Recorder(), guard=Strict())
    with pytest.raises(RuntimeError, match="no database"):
        asyncio.run(watched(scope_of("lifespan"), server.receive, server.send))
    assert server.sent == []


def test_a_status_that_is_no_number_costs_an_event_and_not_the_answer():
    seen, gateway = Recorder(), Gateway()

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": "fine", "headers": []})
        await send(LAST)

    asyncio.run(
        ClickwakeMiddleware(app, SITE, emitter=seen, guard=Guard())(scope_of(), None, gateway.send)
    )
    assert len(gateway.sent) == 2
    assert seen.ledger.stats(0).lost == {"internal_error": 1}
