"""Pages of sessions, as they are or as they were known at a moment."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, Select, select, union_all

from api.history.filters import SessionFilter, session_conditions
from api.history.models import RevisionRow, SessionRow
from api.history.sorting import NEWEST, Sort


class Listing(Struct, frozen=True, kw_only=True):
    """A list of sessions: which ones, in which order, and as of when (ms; None: as they are)."""

    wanted: SessionFilter = SessionFilter()
    sort: Sort = NEWEST
    as_of: int | None = None


class Place(NamedTuple):
    """Where a session stands in the order."""

    value: int
    session_id: str


class Item(NamedTuple):
    """A session's place in the order, and its message's JSON."""

    value: int
    session_id: str
    message: str


def items_of(
    connection: Connection, listing: Listing, limit: int, after: Place | None = None
) -> list[Item]:
    """The first ``limit`` sessions of the list, or of what comes after a place in it."""
    parts = [
        _part(row, conditions, listing, after).limit(limit) for row, conditions in sources(listing)
    ]
    query = parts[0] if len(parts) == 1 else _joined(parts, listing.sort).limit(limit)
    return [Item(*row) for row in connection.execute(query)]


def sources(listing: Listing) -> Sequence[tuple[Any, list[Any]]]:
    """The tables that the list's sessions stand in, with the conditions for each.

    As of a moment, a session's state is the present one if it is as old as that, or else the one
    that was superseded later than that.
    """
    at = listing.as_of
    present = session_conditions(listing.wanted)
    if at is None:
        return [(SessionRow, present)]
    past = session_conditions(listing.wanted, RevisionRow)
    return [
        (SessionRow, [*present, SessionRow.recorded <= at]),
        (RevisionRow, [*past, RevisionRow.recorded <= at, RevisionRow.superseded > at]),
    ]


def _joined(parts: Sequence[Select[Any]], sort: Sort) -> Select[Any]:
    # Each part is cut by itself, so that both come from an index and few rows are sorted.
    both = union_all(*(select(part.subquery()) for part in parts)).subquery()
    keys = both.c.value, both.c.session_id
    return select(both).order_by(*(key.desc() if sort.is_descending else key for key in keys))


def _part(row: Any, conditions: list[Any], listing: Listing, after: Place | None) -> Select[Any]:
    sort = listing.sort
    value, session_id = sort.keys(row)
    query = select(value.label("value"), session_id, row.message).where(*conditions)
    if after is not None:
        query = query.where(*sort.after(row, *after))
    return query.order_by(*sort.order(row))
