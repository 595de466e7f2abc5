"""JSON answers: compressed for who can read that, and tagged so that who has one is told so.

Streams are left as they are: an export is cut into pieces, and live events must not wait.
"""

import gzip
import re
from hashlib import blake2b

from starlette.requests import Request
from starlette.responses import Response

LARGE_BYTES = 1_500
"""Smaller answers fit into a packet as they are."""

_LEVEL = 4
_ZIPPED = "-gzip"


def json_answer(request: Request, body: bytes, cache_control: str = "no-store") -> Response:
    """An answer with this JSON."""
    headers = {"Cache-Control": cache_control, "Vary": "Accept-Encoding"}
    if len(body) >= LARGE_BYTES and takes_gzip(request.headers.get("accept-encoding", "")):
        body = gzip.compress(body, _LEVEL, mtime=0)
        headers["Content-Encoding"] = "gzip"
    return Response(body, headers=headers, media_type="application/json")


def tagged_answer(request: Request, body: bytes, cache_control: str) -> Response:
    """The same with an entity tag (RFC 9110), or 304 (Not Modified) to who has just this one."""
    tag = blake2b(body, digest_size=16).hexdigest()
    if tag in _known(request.headers.get("if-none-match", "")):
        headers = {"Cache-Control": cache_control, "Vary": "Accept-Encoding", "ETag": f'"{tag}"'}
        return Response(status_code=304, headers=headers)
    answer = json_answer(request, body, cache_control)
    is_zipped = "content-encoding" in answer.headers
    answer.headers["ETag"] = f'"{tag}{_ZIPPED}"' if is_zipped else f'"{tag}"'
    return answer


def takes_gzip(header: str) -> bool:
    """Whether an Accept-Encoding allows it (RFC 9110, 12.5.3)."""
    allowed: dict[str, bool] = {}
    for part in header.lower().split(","):
        name, *rest = (piece.strip() for piece in part.split(";"))
        allowed[name] = not any(_is_zero(piece) for piece in rest)
    return allowed.get("gzip", allowed.get("*", False))


def _is_zero(weight: str) -> bool:
    return re.fullmatch(r"q\s*=\s*0(\.0*)?", weight) is not None


def _known(header: str) -> set[str]:
    """The tags of a list, of either form of an answer."""
    tags = (tag.strip().removeprefix("W/").strip('"') for tag in header.split(","))
    return {tag.removesuffix(_ZIPPED) for tag in tags}
