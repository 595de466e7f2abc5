"""``/corner/stream``: server-sent events (WHATWG HTML, 9.2) about the visitor who asks."""

from collections.abc import AsyncIterator

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from frontend.demo_site.corner.visitor import Visitor
from frontend.demo_site.corner.visitors import Visitors

MOST_STREAMS = 100
HEADERS = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}


async def stream(request: Request) -> Response:
    """The visitor's corner as it is, and after each change."""
    state = request.app.state
    if state.corner_streams >= MOST_STREAMS:
        return PlainTextResponse("Too many corners are open; try again later.", 503)
    visitors: Visitors = state.visitors
    visitor = visitors.of(state.address_of(request.scope), request.headers.get("user-agent", ""))
    return StreamingResponse(_events(request, visitor), 200, HEADERS, "text/event-stream")


async def _events(request: Request, visitor: Visitor) -> AsyncIterator[bytes]:
    state = request.app.state
    state.corner_streams += 1
    views = visitor.views()
    try:
        async for view in views:
            yield b"data: %b\n\n" % msgspec.json.encode(view)
    finally:
        state.corner_streams -= 1
        await views.aclose()


ROUTES = [Route("/corner/stream", stream)]
