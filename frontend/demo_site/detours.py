"""Two pages that take their time: one that streams, and one that is slow."""

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from frontend.demo_site.shop import page

PARAGRAPH_S = 0.7
SLOW_S = 3.0
MARK = "<!-- here -->"
LETTER = (
    "Dear friend, the kettle arrived on the morning boat, wrapped in an issue of the Harbour News.",
    "It does sing in a low voice. My neighbour, who tunes pianos, says it is an E flat, a little "
    "tired.",
    "The children have hung the lantern on the porch. Every moth of the island came to look.",
    "You asked whether it is quiet here. There is the rope that knocks on the mast, and the gulls, "
    "who have opinions.",
    "We lit the tea lights in a row, one for each of you, and drank to slow things.",
    "I write this line by line, and the shop sends it to you line by line. The page is not "
    "finished until I am.",
    "Here is the last line. Only now does the interceptor know how long I took, and only now is "
    "your visit to this page logged.",
)


async def story(request: Request) -> Response:
    """A letter, a paragraph at a time, on a page that is whole only at its end."""
    whole = bytes(page(request, "story.html", mark=MARK).body).decode()
    return StreamingResponse(_told(whole), media_type="text/html")


async def _told(whole: str) -> AsyncIterator[str]:
    head, _, tail = whole.partition(MARK)
    yield head
    for paragraph in LETTER:
        yield f"<p>{paragraph}</p>\n"
        await asyncio.sleep(PARAGRAPH_S)
    yield tail


async def slow(request: Request) -> Response:
    """Three seconds during which nobody else waits."""
    await asyncio.sleep(SLOW_S)
    return page(request, "slow.html", seconds=SLOW_S)


ROUTES = [Route("/story", story), Route("/slow", slow)]
