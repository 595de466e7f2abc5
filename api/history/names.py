"""Under which further ids a session's visitor was seen: ids rotate (docs/decisions/0010).

Most sessions have one id, which stands in their own row. Each further one has a row here, with
the first version of the session that named it, so that a list as of a moment knows it from then
on.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, cast

from msgspec import Struct
from msgspec.json import Decoder
from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    and_,
    exists,
    func,
    or_,
    select,
    tuple_,
    union,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import aliased

from api.history.models import EventRow, RevisionRow, SessionNameRow, SessionRow
from api.history.rows import Row

SessionTable = type[SessionRow] | type[RevisionRow]

_NAMES = cast("Table", SessionNameRow.__table__)
_NONE = '"other_visitor_ids":[]'


class Names(Struct):
    """What a session's message says of further ids."""

    other_visitor_ids: list[str] = []


read_names = Decoder(Names).decode


def keep_names(connection: Connection, rows: Sequence[Row]) -> None:
    """Keep the further ids of the sessions in these rows."""
    named = sorted(_named(rows), key=lambda one: (one["session_id"], one["visitor_id"]))
    if named:
        connection.execute(_first_wins(connection.dialect.name), named)


def _named(rows: Sequence[Row]) -> Iterator[Row]:
    for row in rows:
        if _NONE in row["message"]:
            continue
        for name in set(read_names(row["message"]).other_visitor_ids):
            if "\0" not in name:  # PostgreSQL keeps none, and no visitor can be asked for by it
                yield {column: row[column] for column in _SAME} | {"visitor_id": name}


_SAME = ("session_id", "site_id", "epoch", "revision")


@cache
def _first_wins(dialect: str) -> Any:
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    statement: Any = insert(_NAMES)
    new = statement.excluded
    is_earlier = tuple_(new.epoch, new.revision) < tuple_(_NAMES.c.epoch, _NAMES.c.revision)
    return statement.on_conflict_do_update(
        index_elements=["session_id", "visitor_id"],
        set_={"epoch": new.epoch, "revision": new.revision},
        where=is_earlier,
    )


def is_of_visitor(row: SessionTable, visitor_id: str, site_id: str | None) -> ColumnElement[bool]:
    """Whether a session is one of a visitor, whichever of its ids that is.

    By the ids of sessions that two indexes find; an OR of the two would use neither.
    """
    row_of_first = aliased(row)
    first = select(row_of_first.session_id).where(row_of_first.visitor_id == visitor_id)
    further = select(SessionNameRow.session_id).where(SessionNameRow.visitor_id == visitor_id)
    if site_id is None:
        first = first.where(row_of_first.site_id.in_(_sites()))
    else:
        first = first.where(row_of_first.site_id == site_id)
        further = further.where(SessionNameRow.site_id == site_id)
    ids = union(first, further).subquery("of_visitor")
    return row.session_id.in_(select(ids.c.session_id)) & _has_name(row, visitor_id)


def _sites() -> Any:
    """The few sites that there are, by one step in the index for each: it begins with them."""
    row = SessionRow
    sites = select(func.min(row.site_id).label("site_id")).cte(recursive=True)
    following = select(func.min(row.site_id)).where(row.site_id > sites.c.site_id)
    sites = sites.union_all(select(following.scalar_subquery()).where(sites.c.site_id.is_not(None)))
    return select(sites.c.site_id).where(sites.c.site_id.is_not(None))


def _has_name(row: SessionTable, visitor_id: str) -> ColumnElement[bool]:
    """Whether the state of the session in this row has the id."""
    name = SessionNameRow
    return (row.visitor_id == visitor_id) | exists().where(
        name.session_id == row.session_id,
        name.visitor_id == visitor_id,
        tuple_(name.epoch, name.revision) <= tuple_(row.epoch, row.revision),
    )


def has_event(row: SessionTable, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether one of a session's events is like that, under any of its visitor's ids."""
    event, name = EventRow, SessionNameRow
    during = event.event_time.between(row.start, row.end)
    first = exists().where(
        event.site_id == row.site_id, event.visitor_id == row.visitor_id, during, condition
    )
    further = exists().where(
        name.session_id == row.session_id,
        and_(event.site_id == row.site_id, event.visitor_id == name.visitor_id),
        during,
        condition,
    )
    return or_(first, further)
