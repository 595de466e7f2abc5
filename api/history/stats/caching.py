"""Answers that a browser may keep: entity tags (RFC 9110), and a minute for what is long over."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from api.answering import tagged_answer
from api.calendar import Range

SETTLED_MS = 48 * 60 * 60_000
"""After the longest session (24 h) and the lateness that is allowed, only a backfill, or somebody
who is erased, changes a range."""

_FRESH = "private, no-cache"
_SETTLED = "private, max-age=60"


def cachable(request: Request, answer: msgspec.Struct, instants: Range, now: int) -> Response:
    """The answer as JSON, or 304 (Not Modified) to who has just this one."""
    is_settled = instants.end + SETTLED_MS <= now
    cache_control = _SETTLED if is_settled else _FRESH
    return tagged_answer(request, msgspec.json.encode(answer), cache_control)
