"""The live channel as server-sent events (WHATWG HTML, 9.2), with the WebSocket's messages."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.datastructures import QueryParams
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from api.live.closings import CLOSINGS, closing
from api.live.filters import DEFAULT
from api.live.listener import Greeting, Socket
from contracts.live import LONGEST_POSITION, Subscription

HEADERS = {
    "Cache-Control": "no-store, no-transform",
    # nginx would otherwise keep messages back until it has a buffer full of them.
    "X-Accel-Buffering": "no",
}
LAST_EVENT_ID = "last-event-id"
_OWN = frozenset({"ticket", "resume"})
_LISTS = frozenset(
    name for name, value in msgspec.structs.asdict(DEFAULT).items() if isinstance(value, tuple)
)
_POSITION = re.compile(rb'"position":"([^"]+)"')
_RETRY = re.compile(rb'"retry_ms":(\d+)')
_HEAD_BYTES = LONGEST_POSITION + 100


class ParametersError(Exception):
    """A parameter is none of a subscription, or has a value that it cannot have."""


def greeting_of(query: QueryParams, last_event_id: str | None) -> Greeting:
    """What an address asks for: a subscription's fields, lists with commas. ParametersError."""
    wishes: dict[str, Any] = {key: value for key, value in query.items() if key not in _OWN}
    for name in _LISTS & wishes.keys():
        wishes[name] = [value.strip() for value in wishes[name].split(",") if value.strip()]
    try:
        wanted = msgspec.convert(wishes, Subscription)
    except msgspec.ValidationError as error:
        raise ParametersError(str(error)) from None
    resume = last_event_id or query.get("resume")
    return Greeting(wanted, resume[:LONGEST_POSITION] if resume else None)


def as_event(message: bytes) -> bytes:
    """A message as an event. Its id is its position, so browsers send that when they return."""
    position = _POSITION.search(message, 0, _HEAD_BYTES)
    head = b"id: %b\n" % position[1] if position else b""
    if message.startswith(b'{"type":"goodbye"'):
        retry = _RETRY.search(message)
        head = b"retry: %b\n" % retry[1] if retry else b""
    return b"%bdata: %b\n\n" % (head, message)


class EventStream(Response):
    """Serves one client until it leaves or is ended; then its last event says why."""

    media_type = "text/event-stream"

    def __init__(self, serve: Callable[[Socket], Awaitable[None]]) -> None:
        super().__init__(headers=HEADERS)
        del self.headers["content-length"]
        self._serve = serve

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the stream."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        socket = _Stream(receive, send)
        try:
            await self._serve(socket)
        except tuple(CLOSINGS) as error:
            await socket.end(error)
        except OSError:
            pass  # it left while something was being sent
        await send(_body(b"", more=False))


class _Stream:
    """A connection on which the client says nothing."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send

    async def send(self, message: bytes) -> None:
        await self._send(_body(as_event(message)))

    async def receive(self) -> str | bytes | None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        return None

    async def end(self, error: Exception) -> None:
        code, reason = closing(error)
        ending = msgspec.json.encode({"code": code, "reason": reason})
        await self._send(_body(b"event: end\ndata: %b\n\n" % ending))


def _body(content: bytes, *, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": content, "more_body": more}
