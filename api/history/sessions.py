"""Sessions into the history: who else keeps something of them is told first.

In a batch's transaction, ``store_sessions`` is where the old and the new state of every session
that changes are known together, before the old one is gone.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

from sqlalchemy import BindParameter, Connection, Table, bindparam, insert, tuple_, update

from api.history.changes import Change, changes_by
from api.history.copying import put_all
from api.history.models import SessionRow
from api.history.revisions import keep_replaced
from api.history.rows import PLANS, Row
from api.history.statements import Prepared, prepared, put

_TABLE = cast("Table", SessionRow.__table__)
_INDEXED = sorted({column.name for index in _TABLE.indexes for column in index.columns})


def store_sessions(
    connection: Connection, rows: Sequence[Row], now: int, *, keeps_revisions: bool
) -> None:
    """Store the rows, one a session, that are later than what is there, as learnt ``now``."""
    changes = changes_by(connection, rows) if rows else []
    for change in changes:
        change.new["recorded"] = now
    if keeps_revisions:
        keep_replaced(connection, changes, now)
    _write(connection, changes)


def _write(connection: Connection, changes: Sequence[Change]) -> None:
    if connection.dialect.name == "sqlite":
        _write_least(connection, changes)
    else:
        put_all(connection, PLANS["sessions"], [change.new for change in changes])


def _write_least(connection: Connection, changes: Sequence[Change]) -> None:
    """SQLite writes every index anew that has a column in SET, also when the value is the same.

    So only those are told that change. Most updates change the same few.
    """
    alike: dict[frozenset[str] | None, list[Row]] = defaultdict(list)
    for old, new in changes:
        alike[_same(old, new) if old else None].append(new)
    for same, rows in alike.items():
        put(connection, _updating(same) if same is not None else _inserting(), rows)


def _same(old: Row, new: Row) -> frozenset[str]:
    return frozenset([name for name in _INDEXED if old[name] == new[name]])


@lru_cache(maxsize=1)
def _inserting() -> Prepared:
    return prepared(insert(_TABLE))


@lru_cache(maxsize=64)
def _updating(same: frozenset[str]) -> Prepared:
    others = [c.name for c in _TABLE.c if c.name not in same and c.name != "session_id"]
    row = _TABLE.c
    newer = tuple_(row.epoch, row.revision) < tuple_(*map(_new, ("epoch", "revision")))
    statement = update(_TABLE).where(row.session_id == _new("session_id"), newer)
    return prepared(statement.values({name: _new(name) for name in others}))


def _new(name: str) -> BindParameter[Any]:
    return bindparam(f"new_{name}", type_=_TABLE.c[name].type)
