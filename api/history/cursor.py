"""Where the next page begins: an opaque text that holds the last item's place in the order."""

import base64
import binascii
from typing import NamedTuple

import msgspec

from contracts.instants import LIMIT_MS

LATEST_MS = 253_000_000_000_000
"""No clock of this calendar says more: it is in the year 9987."""


class Cursor(NamedTuple):
    """The start and id of the last session of a page, and when its first page was asked for."""

    start: int
    session_id: str
    asked: int | None = None


_DECODER = msgspec.json.Decoder(Cursor)


def encode_cursor(cursor: Cursor) -> str:
    """The cursor as text that fits a URL."""
    return base64.urlsafe_b64encode(msgspec.json.encode(cursor)).decode().rstrip("=")


def decode_cursor(text: str) -> Cursor:
    """The cursor in a text made by ``encode_cursor``. ValueError when it is none."""
    try:
        cursor = _DECODER.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        raise ValueError("must be the next_cursor of an earlier answer") from None
    is_moment = cursor.asked is None or 0 <= cursor.asked < LATEST_MS
    if abs(cursor.start) > LIMIT_MS or "\0" in cursor.session_id or not is_moment:
        raise ValueError("must be the next_cursor of an earlier answer")
    return cursor
