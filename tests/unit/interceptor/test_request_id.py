"""While a site serves a request, its log lines can carry the id that its event will have."""

import asyncio
from contextvars import copy_context
from typing import Any

import pytest

from contracts import RequestEvent
from contracts.kafka import KafkaSettings
from contracts.logs import REQUEST_ID
from contracts.settings import Secret
from interceptor import ClickwakeMiddleware, ClickwakeWsgiMiddleware, SiteSettings
from interceptor.guard import Guard
from tests.unit.interceptor.test_capture import scope

SITE = SiteSettings(site_id="shop", secret=Secret("k"), flush_deadline="0ms")
NO_KAFKA = KafkaSettings(bootstrap_servers="127.0.0.1:1")


def strict() -> Guard:
    """Hides nothing."""
    guard = Guard()
    guard.raising = True
    return guard


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[RequestEvent]:
    found: list[RequestEvent] = []
    monkeypatch.setattr("interceptor.emitter.Emitter.submit", lambda _, event: found.append(event))
    monkeypatch.setattr("interceptor.emitter.Emitter.start", lambda _: None)
    return found


def test_under_asgi(events: list[RequestEvent]) -> None:
    seen: list[str | None] = []

    async def site(scope: Any, receive: Any, send: Any) -> None:
        seen.append(REQUEST_ID.get())
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def send(message: Any) -> None:
        pass

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    watched = ClickwakeMiddleware(site, SITE, kafka=NO_KAFKA, guard=strict())

    async def visits() -> None:
        for path in ("/", "/about", "/style.css"):
            await watched(scope(path), receive, send)

    asyncio.run(visits())
    first, second, dropped = seen
    assert [first, second] == [event.event_id for event in events]
    assert first is not None
    assert second is not None
    assert first < second
    assert dropped is None


def test_under_wsgi(events: list[RequestEvent]) -> None:
    seen: list[str | None] = []

    def site(environ: Any, start_response: Any) -> list[bytes]:
        seen.append(REQUEST_ID.get())
        start_response("200 OK", [])
        return [b"hello"]

    watched = ClickwakeWsgiMiddleware(site, SITE, kafka=NO_KAFKA, guard=strict())

    def visits() -> None:
        for path in ("/", "/style.css"):
            environ = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "REMOTE_ADDR": "127.0.0.1"}
            assert b"".join(watched(environ, lambda *_: None)) == b"hello"

    # A server's thread goes on to its next request in the same context.
    copy_context().run(visits)
    assert seen == [events[0].event_id, None]
