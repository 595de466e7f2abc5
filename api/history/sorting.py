"""In which order a list of sessions comes. Ids break ties, so that every order is a total one."""

from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, literal, tuple_

SortName = Literal["-start", "start", "-end", "end", "-duration", "duration", "-events", "events"]
_COLUMNS = {"start": "start", "end": "end", "duration": "duration_ms", "events": "events"}


class Sort(NamedTuple):
    """The column of a session's row that sorts, and which way."""

    column: str
    is_descending: bool

    def keys(self, row: Any) -> tuple[Any, Any]:
        """The columns that sort, of a table or a query with a session's columns."""
        return getattr(row, self.column), row.session_id

    def order(self, row: Any) -> list[Any]:
        """The ORDER BY clause."""
        return [key.desc() if self.is_descending else key.asc() for key in self.keys(row)]

    def after(self, row: Any, value: int, session_id: str) -> list[ColumnElement[bool]]:
        """The conditions for what comes after that place in the order."""
        keys, place = self.keys(row), (literal(value), literal(session_id))
        # The plain comparison lets the index jump to the page; the tuple then cuts exactly.
        if self.is_descending:
            return [keys[0] <= value, tuple_(*keys) < tuple_(*place)]
        return [keys[0] >= value, tuple_(*keys) > tuple_(*place)]


NEWEST = Sort("start", is_descending=True)


def sort_of(name: SortName) -> Sort:
    """``-start`` → by start, the largest first."""
    return Sort(_COLUMNS[name.removeprefix("-")], name.startswith("-"))
