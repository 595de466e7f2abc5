"""One small ASGI site, as ``plain`` and as ``watched``, that does whatever ASGI allows.

Around either stands the same host, which keeps what it and the site see in a list at ``/seen``.
"""

import asyncio
import contextvars
import json
import os
import traceback
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.responses import StreamingResponse as Streaming
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from contracts.kafka import KafkaSettings
from contracts.settings import Secret
from interceptor import ClickwakeMiddleware, SiteSettings
from tests.support.watched import Strict

# No Kafka, and a queue that is full after a few requests.
SITE = SiteSettings(site_id="shop", secret=Secret("k"), queue_size=5, flush_deadline="100ms")
NOWHERE = KafkaSettings(bootstrap_servers="127.0.0.1:9")
FILE = os.environ.get("TINY_SITE_FILE", __file__)

variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")


class Host:
    """What stands around an application: it sees its exceptions and its context variables."""

    def __init__(self, app: Any, seen: list[Any]) -> None:
        self.app, self.seen = app, seen

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        try:
            await self.app(scope, receive, send)
        except Exception as error:
            self.seen.append([str(error), own_frames(error)])
            raise
        finally:
            if variable.get() != "unset":
                self.seen.append(["variable", variable.get()])


def own_frames(error: BaseException) -> list[tuple[str, int | None]]:
    """Where an exception came from, without the middleware's own lines."""
    steps = traceback.extract_tb(error.__traceback__)
    return [(step.name, step.lineno) for step in steps if "/interceptor/" not in step.filename]


class Raw:
    """Tells Starlette that this is an ASGI application and no endpoint."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)


async def page(request: Request) -> Response:
    answer = PlainTextResponse("plain", 201, {"X-Raw": "caf\xe9", "Cache-Control": "no-store"})
    answer.set_cookie("a", "1")
    answer.set_cookie("b", "2")
    return answer


async def chunks() -> AsyncIterator[bytes]:
    for part in (b"a" * 70_000, b"", b"end of stream"):
        yield part


async def stream(request: Request) -> Response:
    return Streaming(chunks())


async def sized(request: Request) -> Response:
    return Streaming(chunks(), headers={"Content-Length": "70013"})


async def gated(release: asyncio.Event) -> AsyncIterator[str]:
    yield "data: first\n\n"
    await release.wait()
    release.clear()
    yield "data: second\n\n"


async def events(request: Request) -> Response:
    return Streaming(gated(request.app.state.release), media_type="text/event-stream")


async def let_go(request: Request) -> Response:
    request.app.state.release.set()
    return PlainTextResponse("released")


async def echo(request: Request) -> Response:
    return Response(await request.body(), headers={"X-Method": request.method})


async def header(request: Request) -> Response:
    return PlainTextResponse(f"{len(request.headers.get('x-huge', ''))} bytes of header")


async def file(request: Request) -> Response:
    return FileResponse(FILE)


async def background(request: Request) -> Response:
    return PlainTextResponse(
        "served", background=BackgroundTask(request.app.state.seen.append, "background ran")
    )


async def state(request: Request) -> Response:
    return PlainTextResponse(request.state.greeting)


async def nothing(request: Request) -> Response:
    return Response(status_code=204)


async def unchanged(request: Request) -> Response:
    return Response(status_code=304, headers={"ETag": '"1"'})


async def set_variable(scope: Any, receive: Any, send: Any) -> None:
    variable.set("by the site")
    await PlainTextResponse("variable is set")(scope, receive, send)


async def fails(scope: Any, receive: Any, send: Any) -> None:
    raise ZeroDivisionError("before the answer")


async def breaking() -> AsyncIterator[bytes]:
    yield b"then it breaks"
    raise ZeroDivisionError("in the middle")


async def breaks(request: Request) -> Response:
    return Streaming(breaking())


async def waits(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"waiting", "more_body": True})
    while (message := await receive())["type"] != "http.disconnect":
        pass
    scope["app"].state.seen.append(message)


async def tells(request: Request) -> Response:
    return JSONResponse(request.app.state.seen)


async def talk(socket: WebSocket) -> None:
    await socket.accept(subprotocol="tiny", headers=[(b"x-tiny", b"1")])
    while (message := await socket.receive())["type"] != "websocket.disconnect":
        if message.get("text") == "close":
            await socket.close(4001, "as asked")
        elif message.get("text") is not None:
            await socket.send_text(message["text"])
        else:
            await socket.send_bytes(message["bytes"])
    socket.app.state.seen.append(message)


async def reject(socket: WebSocket) -> None:
    await socket.close(4003)


async def deny(socket: WebSocket) -> None:
    await socket.send_denial_response(PlainTextResponse("not for you", 401))


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[dict[str, str]]:
    yield {"greeting": "from the lifespan"}
    print("the site has ended")


def tiny(seen: list[Any]) -> Starlette:
    """The site; ``seen`` takes what it notes."""
    pages = (
        page,
        stream,
        sized,
        events,
        let_go,
        header,
        file,
        background,
        state,
        nothing,
        unchanged,
        breaks,
        tells,
    )
    app = Starlette(
        routes=[
            *(Route(f"/{page.__name__}", page) for page in pages),
            Route("/echo", echo, methods=["GET", "POST", "PUT"]),
            *(Route(f"/{app.__name__}", Raw(app)) for app in (set_variable, fails, waits)),
            *(WebSocketRoute(f"/{socket.__name__}", socket) for socket in (talk, reject, deny)),
        ],
        lifespan=lifespan,
    )
    app.state.seen, app.state.release = seen, asyncio.Event()
    return app


async def failing_app(scope: Any, receive: Any, send: Any) -> None:
    """Cannot start."""
    await receive()
    await send({"type": "lifespan.startup.failed", "message": "the site cannot start"})


def with_middleware(app: Any) -> ClickwakeMiddleware:
    return ClickwakeMiddleware(app, SITE, kafka=NOWHERE, guard=Strict())


def counted(app: Any, middleware: ClickwakeMiddleware) -> Any:
    """``/counted`` has the middleware's counts, so that a test knows it was there."""

    async def outer(scope: Any, receive: Any, send: Any) -> None:
        if scope.get("path") == "/counted":
            stats = middleware.emitter.stats()
            body = json.dumps({"observed": stats.observed, "lost": stats.lost})
            await PlainTextResponse(body)(scope, receive, send)
        else:
            await app(scope, receive, send)

    return outer


_seen_plain: list[Any] = []
_seen_watched: list[Any] = []
_middleware = with_middleware(tiny(_seen_watched))

plain = Host(tiny(_seen_plain), _seen_plain)
watched = counted(Host(_middleware, _seen_watched), _middleware)
failing_plain = failing_app
failing_watched = with_middleware(failing_app)
