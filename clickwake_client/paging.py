"""Pages of sessions: what to ask, and what an answer means. No I/O."""

from collections.abc import Iterable, Mapping
from datetime import datetime

import msgspec

from clickwake_client.errors import api_error
from contracts import SessionUpdate

PATH = "/api/v1/sessions"
PASSING = frozenset({429, 502, 503, 504})
"""Statuses after which the same question may be asked again."""

Filter = str | int | bool | datetime | Iterable[str] | None


class Page(msgspec.Struct, frozen=True):
    """Some sessions, and where the next page begins."""

    items: list[SessionUpdate]
    next_cursor: str | None


_decode = msgspec.json.Decoder(Page).decode


def query(filters: Mapping[str, Filter], page_size: int, cursor: str | None) -> dict[str, str]:
    """The parameters: ``from_`` is ``from``, lists get commas, and a datetime must know its zone.

    Raises ValueError for one that does not.
    """
    found = {name.rstrip("_"): _text(value) for name, value in filters.items() if value is not None}
    found["limit"] = str(page_size)
    return found if cursor is None else found | {"cursor": cursor}


def _text(value: Filter) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone: write datetime(…, tzinfo=UTC)")
        return value.isoformat()
    return str(value) if isinstance(value, str | int) else ",".join(value or ())


def read_page(status: int, body: bytes) -> Page:
    """The page of an answer. Raises ApiError when it is none."""
    if status != 200:
        raise api_error(status, body)
    try:
        return _decode(body)
    except msgspec.MsgspecError as error:
        raise api_error(status, b"") from error


def seconds_asked(retry_after: str | None) -> float | None:
    """How long the API asks to wait, if it does so in seconds."""
    return float(retry_after) if retry_after and retry_after.isdecimal() else None
