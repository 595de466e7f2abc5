"""Which sessions a batch changes: their stored rows beside the new ones, before they are written.

The writer is alone in its transaction from its first statement on (see ``api.history.store``), so
what is read here is what the rows replace.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, cast

import msgspec
from sqlalchemy import ARRAY, Connection, Table, Text, any_, bindparam, func, select

from api.history.models import SessionRow
from api.history.rows import PLANS, Row

_SESSIONS = cast("Table", SessionRow.__table__)
_COLUMNS = [column for column in _SESSIONS.c if column.name != "message"]
_NAMES = [column.name for column in _COLUMNS]


class Change(NamedTuple):
    """A session's new row, and the one it replaces, without ``message``; None if there is none."""

    old: Row | None
    new: Row


def changes_by(connection: Connection, rows: Sequence[Row]) -> list[Change]:
    """What the rows change, in their order. A row that is no news changes nothing."""
    stored = _stored(connection, [row["session_id"] for row in rows])
    version_of = PLANS["sessions"].version_of
    pairs = (Change(stored.get(row["session_id"]), row) for row in rows)
    return [one for one in pairs if one.old is None or version_of(one.new) > version_of(one.old)]


def _stored(connection: Connection, ids: list[str]) -> dict[str, Row]:
    dialect = connection.dialect.name
    given: Any = ids if dialect == "postgresql" else msgspec.json.encode(ids).decode()
    found = connection.execute(_by_ids(dialect), {"ids": given})
    rows = (dict(zip(_NAMES, values, strict=True)) for values in found)
    return {row["session_id"]: row for row in rows}


@cache
def _by_ids(dialect: str) -> Any:
    """One parameter, however many ids: the statement stays the same."""
    if dialect == "postgresql":
        return select(*_COLUMNS).where(
            _SESSIONS.c.session_id == any_(bindparam("ids", type_=ARRAY(Text)))
        )
    ids = func.json_each(bindparam("ids", type_=Text)).table_valued("value")
    return select(*_COLUMNS).where(_SESSIONS.c.session_id.in_(select(ids.c.value)))
