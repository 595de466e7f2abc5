"""An application is told what was decided about each request, and nothing depends on it."""

import io
from typing import Any

import anyio
import httpx
import pytest

from contracts.settings import Secret
from interceptor import ClickwakeMiddleware, ClickwakeWsgiMiddleware, Decision, SiteSettings
from interceptor.guard import Guard
from tests.support.watched import Recorder, Strict

SITE = SiteSettings(
    site_id="shop", secret=Secret("k"), beacon_path="/cw.js", trusted_proxies="127.0.0.0/8"
)


class Full(Recorder):
    """Takes no event."""

    def submit(self, event: Any) -> bool:
        return False


async def asgi_hello(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 201, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


def wsgi_hello(environ: Any, start_response: Any) -> list[bytes]:
    start_response("201 Created", [])
    return [b"hello"]


def ask(app: Any, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> int:
    """The status of an answer, by whichever gateway."""
    transport: Any = httpx.ASGITransport(app=app)
    if isinstance(app, ClickwakeWsgiMiddleware):
        return _ask_wsgi(app, method, path, headers, body)

    async def call() -> int:
        async with httpx.AsyncClient(transport=transport, base_url="http://shop.example") as client:
            return (await client.request(method, path, headers=headers, content=body)).status_code

    return anyio.run(call)


def _ask_wsgi(app: Any, method: str, path: str, headers: dict[str, str], body: bytes) -> int:
    said: list[str] = []
    environ = {f"HTTP_{name.upper().replace('-', '_')}": text for name, text in headers.items()}
    environ |= {"REQUEST_METHOD": method, "PATH_INFO": path, "REMOTE_ADDR": "127.0.0.1"}
    environ |= {"CONTENT_LENGTH": str(len(body)), "SERVER_NAME": "shop", "SERVER_PORT": "80"}
    answer = app(environ | {"wsgi.input": io.BytesIO(body)}, lambda status, _: said.append(status))
    list(answer)
    getattr(answer, "close", lambda: None)()
    return int(said[0][:3])


@pytest.fixture(params=["asgi", "wsgi"])
def watched(request: pytest.FixtureRequest) -> Any:
    """Make the middleware of a gateway around an application that says hello."""
    if request.param == "asgi":
        return lambda **options: ClickwakeMiddleware(asgi_hello, SITE, **options)
    return lambda **options: ClickwakeWsgiMiddleware(wsgi_hello, SITE, **options)


def test_what_was_logged_is_told_with_its_event(watched: Any) -> None:
    told: list[Decision] = []
    seen = Recorder()
    site = watched(emitter=seen, guard=Strict(), observe=told.append)
    assert ask(site, "GET", "/kettle", {"X-Forwarded-For": "81.2.69.142"}) == 201
    (decision,) = told
    assert decision.event is seen.events[0]
    assert (decision.event.path, decision.event.status) == ("/kettle", 201)
    assert (decision.reason, decision.address) == (None, "81.2.69.142")


@pytest.mark.parametrize(
    ("path", "headers", "reason"),
    [
        ("/kettle.png", {}, "image"),
        ("/", {"Sec-Purpose": "prefetch"}, "prefetch"),
    ],
)
def test_what_was_not_logged_is_told_with_the_reason(
    watched: Any, path: str, headers: dict[str, str], reason: str
) -> None:
    told: list[Decision] = []
    site = watched(emitter=Recorder(), guard=Strict(), observe=told.append)
    ask(site, "GET", path, headers)
    assert [(one.request.path, one.event, one.reason) for one in told] == [(path, None, reason)]


def test_reports_of_pages_are_told_too(watched: Any) -> None:
    told: list[Decision] = []
    site = watched(emitter=Recorder(), guard=Strict(), observe=told.append)
    report = b'{"kind": "custom", "path": "/kettle", "name": "add_to_cart"}'
    own, foreign = {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "cross-site"}
    assert ask(site, "POST", "/cw", own, report) == 204
    assert ask(site, "POST", "/cw", foreign, report) == 403
    assert told[0].event
    assert (told[0].event.kind, told[0].event.name) == ("custom", "add_to_cart")
    assert (told[1].event, told[1].reason) == (None, "beacon_origin")


def test_what_the_queue_did_not_take_is_told_as_lost(watched: Any) -> None:
    told: list[Decision] = []
    ask(watched(emitter=Full(), guard=Strict(), observe=told.append), "GET", "/", {})
    assert told[0].event
    assert told[0].reason == "lost"


def test_an_observer_that_fails_hurts_nobody(watched: Any) -> None:
    def fails(_: Decision) -> None:
        raise RuntimeError("no")

    guard, seen = Guard(), Recorder()
    site = watched(emitter=seen, guard=guard, observe=fails)
    assert ask(site, "GET", "/", {}) == 201
    assert ask(site, "GET", "/a.png", {}) == 201
    assert (len(seen.events), guard.errors) == (1, 2)
