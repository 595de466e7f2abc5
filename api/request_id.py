"""One id for a request: in its log lines, in its answer's header, in its problem details."""

import logging
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contracts.logs import REQUEST_ID, request_id_of

log = logging.getLogger(__name__)

HEADER = "X-Request-Id"


class RequestId:
    """ASGI middleware that takes the caller's ``X-Request-Id`` or makes one, and answers with it.

    The id stays set when the answer is out: the server serves each request in a context of its
    own, and what fails last is logged outside of this.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Name the request, and serve it."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        request_id = request_id_of(Headers(scope=scope).get(HEADER))
        REQUEST_ID.set(request_id)
        began = time.perf_counter()

        async def send_with_id(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                MutableHeaders(scope=message)[HEADER] = request_id
                _note(scope, message["status"], began)
            await send(message)

        await self._app(scope, receive, send_with_id)


def _note(scope: Scope, status: int, began: float) -> None:
    """Without the query and the caller's address, which may say who somebody is."""
    took = (time.perf_counter() - began) * 1000
    method = scope.get("method", "WEBSOCKET")
    log.debug("%s %s %d after %.1f ms", method, scope["path"], status, took)
