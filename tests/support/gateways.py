"""A watched site in process, by ASGI or by WSGI, asked in the same words."""

import asyncio
import io
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

from interceptor import ClickwakeMiddleware, ClickwakeWsgiMiddleware, SiteSettings
from tests.support.watched import Recorder, Strict

HOST = "shop.example"
PEER = "203.0.113.9"


class Answered(NamedTuple):
    """An answer as the gateway's server got it."""

    status: int
    headers: dict[str, str]
    body: bytes


class Asked(NamedTuple):
    """A request. ``root`` is where the application is mounted, ``path`` is below it."""

    method: str = "GET"
    path: str = "/"
    headers: Mapping[str, str] = {}
    body: bytes = b""
    root: str = ""
    peer: str = PEER


Site = Callable[[Asked], Answered]
NewSite = Callable[[SiteSettings, Recorder], Site]


def asgi_site(settings: SiteSettings, seen: Recorder) -> Site:
    """A site that says ``the site``, behind ``ClickwakeMiddleware``."""
    middleware: Any = ClickwakeMiddleware(_asgi_app, settings, emitter=seen, guard=Strict())  # type: ignore[arg-type]

    def ask(asked: Asked) -> Answered:
        sent: list[dict[str, Any]] = []
        half = len(asked.body) // 2
        pieces = [
            {"type": "http.request", "body": asked.body[:half], "more_body": True},
            {"type": "http.request", "body": asked.body[half:], "more_body": False},
        ]

        async def receive() -> dict[str, Any]:
            return pieces.pop(0)

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        asyncio.run(middleware(_scope(asked), receive, send))
        found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return Answered(sent[0]["status"], found, b"".join(part["body"] for part in sent[1:]))

    return ask


def wsgi_site(settings: SiteSettings, seen: Recorder) -> Site:
    """A site that says ``the site``, behind ``ClickwakeWsgiMiddleware``.

    What it does is checked by the standard library's validator, unless the length that is asked
    with is one that the validator would not let through.
    """
    middleware: Any = ClickwakeWsgiMiddleware(_wsgi_app, settings, emitter=seen, guard=Strict())  # type: ignore[arg-type]
    checked: Any = validator(middleware)

    def ask(asked: Asked) -> Answered:
        heads: list[tuple[str, list[tuple[str, str]]]] = []

        def start_response(status: str, headers: Any, exc_info: Any = None) -> Any:
            heads.append((status, headers))
            return lambda chunk: None

        app = middleware if "Content-Length" in asked.headers else checked
        answer = app(_environ(asked), start_response)
        body = b"".join(answer)
        if hasattr(answer, "close"):
            answer.close()
        status, headers = heads[0]
        return Answered(int(status[:3]), {n.lower(): v for n, v in headers}, body)

    return ask


async def _asgi_app(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"the site"})


def _wsgi_app(environ: Any, start_response: Any) -> list[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"the site"]


def _scope(asked: Asked) -> dict[str, Any]:
    headers = {"Host": HOST, "Content-Length": str(len(asked.body)), **asked.headers}
    return {
        "type": "http",
        "method": asked.method,
        "path": asked.root + asked.path,
        "root_path": asked.root,
        "query_string": b"",
        "headers": [(n.lower().encode(), v.encode("latin-1")) for n, v in headers.items()],
        "client": (asked.peer, 50_000),
    }


def _environ(asked: Asked) -> dict[str, Any]:
    environ: dict[str, Any] = {
        "REQUEST_METHOD": asked.method,
        "SCRIPT_NAME": asked.root,
        "PATH_INFO": asked.path,
        "QUERY_STRING": "",
        "REMOTE_ADDR": asked.peer,
        "HTTP_HOST": HOST,
        "CONTENT_LENGTH": str(len(asked.body)),
        "wsgi.input": io.BytesIO(asked.body),
    }
    for name, value in asked.headers.items():
        key = name.upper().replace("-", "_")
        environ[key if key == "CONTENT_LENGTH" else f"HTTP_{key}"] = value
    setup_testing_defaults(environ)
    return environ
