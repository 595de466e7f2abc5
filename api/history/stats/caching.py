"""Answers that a browser may keep: entity tags (RFC 9110), and a minute for what is long over."""

from hashlib import blake2b

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from api.calendar import Range

SETTLED_MS = 48 * 60 * 60_000
"""After the longest session (24 h) and the lateness that is allowed, only a backfill, or somebody
who is erased, changes a range."""

_FRESH = "private, no-cache"
_SETTLED = "private, max-age=60"


def cachable(request: Request, answer: msgspec.Struct, instants: Range, now: int) -> Response:
    """The answer as JSON, or 304 (Not Modified) to who has just this one."""
    body = msgspec.json.encode(answer)
    tag = f'"{blake2b(body, digest_size=16).hexdigest()}"'
    is_settled = instants.end + SETTLED_MS <= now
    headers = {"ETag": tag, "Cache-Control": _SETTLED if is_settled else _FRESH}
    if tag in _known(request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/json")


def _known(header: str) -> set[str]:
    return {tag.strip().removeprefix("W/") for tag in header.split(",")}
