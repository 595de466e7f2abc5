"""Where the next page begins: an opaque text, signed for the question that it belongs to."""

import base64
import binascii
import hmac
from typing import NamedTuple

import msgspec

from contracts.instants import LIMIT_MS

LATEST_MS = 253_000_000_000_000
"""No clock of this calendar says more: it is in the year 9987."""

_TAG_BYTES = 16
_WRONG = "must be the next_cursor of an earlier answer to the same question"


class Cursor(NamedTuple):
    """The last item of a page in the order of its list, and what the first page was told.

    ``value`` is what the list is sorted by. ``asked`` is when the first page was asked for, and
    ``as_of`` the moment whose knowledge is shown; ms since 1970 UTC.
    """

    value: int
    session_id: str
    asked: int
    as_of: int | None = None


class Sealed(NamedTuple):
    """A cursor and its signature. Nobody has compared them yet."""

    cursor: Cursor
    tag: bytes

    def require(self, key: bytes, question: bytes) -> Cursor:
        """The cursor. ValueError unless it was signed with this key for this question."""
        if not hmac.compare_digest(self.tag, _tag(self.cursor, key, question)):
            raise ValueError(_WRONG)
        return self.cursor


_DECODER = msgspec.json.Decoder(Cursor)


def seal(cursor: Cursor, key: bytes, question: bytes) -> str:
    """The cursor, signed, as text that fits a URL."""
    signed = _tag(cursor, key, question) + msgspec.json.encode(cursor)
    return base64.urlsafe_b64encode(signed).decode().rstrip("=")


def unseal(text: str) -> Sealed:
    """What ``seal`` made a text of, its signature unseen. ValueError when it is no such text."""
    try:
        signed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        cursor = _DECODER.decode(signed[_TAG_BYTES:])
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        raise ValueError(_WRONG) from None
    moments = [cursor.asked, cursor.as_of or 0]
    is_possible = all(0 <= moment < LATEST_MS for moment in moments)
    if abs(cursor.value) > LIMIT_MS or "\0" in cursor.session_id or not is_possible:
        raise ValueError(_WRONG)
    return Sealed(cursor, signed[:_TAG_BYTES])


def _tag(cursor: Cursor, key: bytes, question: bytes) -> bytes:
    # The question's length is fixed by its digest, so the two parts cannot run into each other.
    digest = hmac.digest(key, question, "sha256")
    return hmac.digest(key, digest + msgspec.json.encode(cursor), "sha256")[:_TAG_BYTES]
