"""The columns of a block, how they come from sessions' rows, and how they are kept. Pure."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, get_args

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

HOUR_MS = 3_600_000
ENDED, BOUNCED, BOT = 1, 2, 4
"""Bits of ``flags``."""

NumberName = Literal[
    "start",
    "visitor",
    "duration",
    "events",
    "pages",
    "api_calls",
    "custom_events",
    "engaged_ms",
    "flags",
]
TextName = Literal[
    "site",
    "status",
    "country",
    "region",
    "city",
    "browser",
    "os",
    "device",
    "channel",
    "referrer_domain",
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
    "entry",
    "exit",
]
Name = NumberName | TextName
NUMBERS: tuple[NumberName, ...] = get_args(NumberName)
TEXTS: tuple[TextName, ...] = get_args(TextName)
NAMES: tuple[Name, ...] = (*NUMBERS, *TEXTS)

Array = NDArray[Any]
Row = Mapping[str, Any]

_COLUMNS: dict[str, str] = {
    "duration": "duration_ms",
    "site": "site_id",
    "entry": "entry_page",
    "exit": "exit_page",
}
_WHOLE = (np.uint8, np.int32, np.int64)
"""Of the widths for whole numbers, the first that is wide enough is taken."""


class Column(NamedTuple):
    """A value for each session; of texts, the number of its place among ``texts``.

    ``start`` is the time since the hour began, in ms.
    """

    array: Array
    texts: Sequence[str | None] = ()


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    """What is compressed."""

    type: str
    data: bytes
    texts: list[str | None]


def sources(names: Sequence[Name]) -> list[str]:
    """The columns of the sessions' table that these come from."""
    found = [source for name in names for source in _SOURCES.get(name, (_source(name),))]
    return list(dict.fromkeys(found))


def columns_of(rows: Sequence[Row], names: Sequence[Name], hour: int) -> dict[Name, Column]:
    """The columns of an hour's sessions, given as rows in the order of their starts."""
    return {name: _column(rows, name, hour) for name in names}


def encoded(column: Column) -> bytes:
    """As it is kept in the database."""
    kept = _Kept(column.array.dtype.str, column.array.tobytes(), list(column.texts))
    return zstandard.ZstdCompressor(level=3).compress(msgspec.msgpack.encode(kept))


def decoded(data: bytes) -> Column:
    """What ``encoded`` was given."""
    plain = zstandard.ZstdDecompressor().decompress(data)
    kept = msgspec.msgpack.decode(plain, type=_Kept)
    return Column(np.frombuffer(kept.data, kept.type), kept.texts)


def visitor_number(site_id: str, visitor_id: str) -> int:
    """64 bits that stand for a visitor of a site.

    Of five million visitors two have the same with a probability of one in a million.
    """
    whole = f"{len(site_id)}:{site_id}{visitor_id}".encode()
    return int.from_bytes(blake2b(whole, digest_size=8).digest(), "little")


def _column(rows: Sequence[Row], name: Name, hour: int) -> Column:
    if name in _SOURCES:
        return Column(_computed(rows, name, hour))
    source = _source(name)
    values = [row[source] for row in rows]
    return Column(_narrow(values)) if name in NUMBERS else _texts(values)


def _computed(rows: Sequence[Row], name: Name, hour: int) -> Array:
    if name == "visitor":
        numbers = [visitor_number(row["site_id"], row["visitor_id"]) for row in rows]
        return np.array(numbers, np.uint64)
    if name == "start":
        return _narrow([row["start"] - hour * HOUR_MS for row in rows])
    return np.array([_flags(row) for row in rows], np.uint8)


def _flags(row: Row) -> int:
    is_ended: bool = row["status"] != "open"
    # As ``api.history.filters.is_bounced`` says.
    has_one_page: bool = (row["pages"], row["api_calls"], row["custom_events"]) == (1, 0, 0)
    is_bot = bool(row["is_bot"])
    return ENDED * is_ended | BOUNCED * (is_ended and has_one_page) | BOT * is_bot


def _texts(values: Sequence[str | None]) -> Column:
    numbers: dict[str | None, int] = {}
    array = _narrow([numbers.setdefault(value, len(numbers)) for value in values])
    return Column(array, tuple(numbers))


def _narrow(values: Sequence[int]) -> Array:
    array = np.array(values, np.int64)
    fits: Callable[[Any], bool] = lambda kind: (  # noqa: E731
        array.min() >= np.iinfo(kind).min and array.max() <= np.iinfo(kind).max
    )
    return array.astype(next(kind for kind in _WHOLE if fits(kind))) if len(array) else array


def _source(name: Name) -> str:
    return _COLUMNS.get(name, name)


_SOURCES: dict[str, tuple[str, ...]] = {
    "start": ("start",),
    "visitor": ("site_id", "visitor_id"),
    "flags": ("status", "pages", "api_calls", "custom_events", "is_bot"),
}
"""Those that are computed, and from what."""
