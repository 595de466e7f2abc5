"""The forms of an export. Each turns pages of sessions into bytes, one page after the other."""

import csv
import io
from typing import Any, Literal, Protocol

from api.history.fields import picked
from api.history.flat import columns, rows
from api.history.listing import Item

FormatName = Literal["csv", "ndjson", "parquet"]

MEDIA_TYPES: dict[FormatName, str] = {
    "csv": "text/csv; charset=utf-8; header=present",
    "ndjson": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


class Form(Protocol):
    """One export in some form."""

    def begin(self) -> bytes:
        """What stands before the first session."""
        ...

    def page(self, items: list[Item]) -> bytes:
        """Some sessions; empty when they are kept back for a larger piece."""
        ...

    def finish(self) -> bytes:
        """What stands after the last one."""
        ...


class Ndjson:
    """A session's JSON on each line."""

    def __init__(self, fields: tuple[str, ...] | None) -> None:
        self._fields = fields

    def begin(self) -> bytes:
        """Nothing."""
        return b""

    def page(self, items: list[Item]) -> bytes:
        """A line each."""
        return b"".join(self._line(item.message) + b"\n" for item in items)

    def _line(self, message: str) -> bytes:
        return bytes(picked(message, self._fields)) if self._fields else message.encode()

    def finish(self) -> bytes:
        """Nothing."""
        return b""


class Csv:
    """RFC 4180, with names in the first line. No cell is a formula to a spreadsheet."""

    def __init__(self, fields: tuple[str, ...] | None) -> None:
        self._columns = columns(fields)

    def begin(self) -> bytes:
        """The names."""
        return _csv([[column.name for column in self._columns]])

    def page(self, items: list[Item]) -> bytes:
        """A line each."""
        values = rows([item.message for item in items], self._columns)
        return _csv([[cell(value) for value in row] for row in values])

    def finish(self) -> bytes:
        """Nothing."""
        return b""


def cell(value: Any) -> Any:
    """A value as a spreadsheet may read it: text that would be a formula gets an apostrophe."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        value = " ".join(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _csv(lines: list[list[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(lines)
    return text.getvalue().encode()


def form_of(name: FormatName, fields: tuple[str, ...] | None) -> Form:
    """A new export in that form."""
    if name == "parquet":
        # Arrow takes memory that an API which exports no Parquet need not spend.
        from api.history.parquet import Parquet  # noqa: PLC0415

        return Parquet(fields)
    return Csv(fields) if name == "csv" else Ndjson(fields)
