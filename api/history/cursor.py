"""Where the next page begins: an opaque text that holds the last item's place in the order."""

import base64
import binascii
from typing import NamedTuple

import msgspec

from contracts.instants import LIMIT_MS


class Cursor(NamedTuple):
    """The start and id of the last session of a page."""

    start: int
    session_id: str


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
    if abs(cursor.start) > LIMIT_MS or "\0" in cursor.session_id:
        raise ValueError("must be the next_cursor of an earlier answer")
    return cursor
