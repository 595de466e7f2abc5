"""ASGI middleware: ``app.add_middleware(ClickwakeMiddleware, site_id="shop")``.

Run uvicorn with ``--no-proxy-headers``: it would put the proxy's word in the peer's place before
this middleware can judge whether to believe it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from contracts.logs import REQUEST_ID
from interceptor import metrics
from interceptor.answers import Answer
from interceptor.beacon import HEADERS, LIMIT, Beacon, Head, Wanted
from interceptor.capture import Request
from interceptor.cookie import Offer
from interceptor.middleware import CLIENT_CLOSED, SiteMiddleware
from interceptor.visit import Visit

log = logging.getLogger("clickwake.interceptor")

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LAST_MESSAGES = ("http.response.body", "http.response.pathsend", "http.response.zerocopysend")


class ClickwakeMiddleware(SiteMiddleware[App]):
    """The middleware for Starlette, FastAPI and every other ASGI application."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One connection; whatever is neither HTTP nor lifespan passes untouched."""
        kind = scope["type"]
        if kind == "http":
            if self._beacon and (wanted := self._beacon.wanted(scope["path"], _root(scope))):
                await self._answer_beacon(self._beacon, wanted, scope, receive, send)
            elif self._metrics_path and metrics.is_asked_for(scope, self._metrics_path):
                await self._answer_metrics(send)
            else:
                await self._http(scope, receive, send)
        elif kind == "lifespan":
            await self._live(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _answer_metrics(self, send: Send) -> None:
        for message in metrics.answer(self.emitter.stats()):
            await send(message)

    async def _answer_beacon(
        self, beacon: Beacon, wanted: Wanted, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if wanted == "script":
            answer = beacon.script.answer(scope["method"], _headers(scope))
        else:
            head = beacon.admit(
                lambda: Head(self._read(scope), _headers(scope), self._is_debug(scope))
            )
            answer = head if isinstance(head, Answer) else beacon.take(head, await _body(receive))
        headers = [(name.encode(), value.encode()) for name, value in answer.headers]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.body})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = self._admit(scope)
        if request is None:
            REQUEST_ID.set(None)
            await self.app(scope, receive, send)
            return
        visit = _Visit(request, self._log, send)
        if self._asks_who:
            self._equip(visit, scope, scope.get("scheme", ""))
        REQUEST_ID.set(visit.event_id)
        try:
            await self.app(scope, receive, visit.send)
        except BaseException as error:
            visit.fail(CLIENT_CLOSED if isinstance(error, asyncio.CancelledError) else 500)
            raise
        finally:
            visit.finish()

    def _read(self, source: Scope) -> Request:
        return self._capture.request(source)

    def _is_debug(self, source: Scope) -> bool:
        """Starlette's and FastAPI's own development switch."""
        return bool(getattr(source.get("app"), "debug", False))

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The application's lifespan; ours alone when it does not even ask what there is.

        Its end is when to send what waits, so the server must not take it for unsupported.
        """
        takes_part = False

        async def asked() -> Message:
            nonlocal takes_part
            takes_part = True
            return await receive()

        async def told(message: Message) -> None:
            nonlocal takes_part
            takes_part = True
            with self.guard:
                self._follow_lifespan(message["type"])
            await send(message)

        try:
            await self.app(scope, asked, told)
        except Exception:
            if takes_part:
                raise
            log.debug("the application takes no part in the lifespan", exc_info=True)
        if not takes_part:
            await self._live_alone(receive, send)

    async def _live_alone(self, receive: Receive, send: Send) -> None:
        kind = ""
        while kind != "lifespan.shutdown":
            kind = (await receive())["type"]
            with self.guard:
                self._follow_lifespan(f"{kind}.complete")
            await send({"type": f"{kind}.complete"})

    def _follow_lifespan(self, kind: str) -> None:
        if kind == "lifespan.startup.complete":
            self.emitter.start()
        elif kind.startswith("lifespan.shutdown"):
            # Blocks the loop, by intent: every answer is out, and the deadline bounds it.
            self.emitter.close()


def _root(scope: Scope) -> str:
    root: str = scope.get("root_path", "")
    return root


def _headers(scope: Scope) -> dict[str, str]:
    """Those that the beacon reads."""
    pairs = ((name.decode("latin-1").lower(), value) for name, value in scope["headers"])
    return {name: value.decode("latin-1") for name, value in pairs if name in HEADERS}


async def _body(receive: Receive) -> bytes | None:
    """A report's body, as far as it comes; None as soon as it is too large."""
    body = bytearray()
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > LIMIT:
            return None
        more = message.get("more_body", False)
    return bytes(body)


class _Visit(Visit):
    """Sees an answer's messages pass."""

    __slots__ = ("_send",)

    def __init__(self, request: Request, report: Callable[[Visit], None], send: Send) -> None:
        super().__init__(request, report)
        self._send = send

    async def send(self, message: Message) -> None:
        """Pass a message on, unchanged but for a cookie; the last byte ends the duration."""
        kind = message["type"]
        if kind == "http.response.start":
            self.status = message.get("status")
            if self.offer is not None:
                message = self._with_cookie(message, self.offer)
        await self._send(message)
        # Not when the application returns: background tasks run after the visitor was served.
        if kind in LAST_MESSAGES and not message.get("more_body"):
            self.finish()

    @staticmethod
    def _with_cookie(message: Message, offer: Offer) -> Message:
        try:
            return offer.in_message(message)
        except (TypeError, ValueError, KeyError, AttributeError):
            # What the application says is no answer; the server is to be the one to say so.
            return message
