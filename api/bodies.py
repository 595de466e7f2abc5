"""How large a request's body may be."""

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.problems import problem_response

EVENTS_PATH = "/api/v1/events"
MOST_EVENT_BYTES = 1_000_000
MOST_BYTES = 65_536


def most_bytes(path: str) -> int:
    """What a body at this path may have."""
    return MOST_EVENT_BYTES if path == EVENTS_PATH else MOST_BYTES


class BodyLimit:
    """ASGI middleware that answers 413: before the body when its size is told, else in it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and count its body as it comes."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = most_bytes(scope["path"])
        told = Headers(scope=scope).get("content-length", "")
        if told.isdecimal() and int(told[:20]) > most:
            await problem_response(413, _detail(most), scope["path"])(scope, receive, send)
            return
        left = most

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413, _detail(most))
            return message

        await self._app(scope, counted, send)


def _detail(most: int) -> str:
    return f"A body here has at most {most:,} bytes: send less at a time."
