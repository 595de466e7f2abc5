"""States that sessions had: what a batch replaces is kept, and found again as of a moment."""

from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Connection,
    Table,
    Text,
    bindparam,
    func,
    select,
    tuple_,
)
from sqlalchemy.dialects import postgresql, sqlite

from api.history.changes import Change
from api.history.models import RevisionRow, SessionRow
from api.history.statements import Prepared, prepared, put

_SESSIONS = cast("Table", SessionRow.__table__)
_REVISIONS = cast("Table", RevisionRow.__table__)


def keep_replaced(connection: Connection, changes: Sequence[Change], now: int) -> None:
    """Keep the states that the changes are about to replace, as superseded ``now``.

    That is when the new rows are ``recorded``.
    """
    new = [change.new for change in changes if change.old]
    if not new:
        return
    if connection.dialect.name == "postgresql":
        # One statement for the batch: there, each costs a message to the server.
        arrays: Any = {f"new_{name}": [row[name] for row in new] for name in _VERSION}
        connection.execute(_keep_replaced("postgresql"), arrays | {"new_recorded": now})
    else:
        put(connection, _keeping_one(), new)


_VERSION = ("session_id", "epoch", "revision")


@cache
def _keeping_one() -> Prepared:
    return prepared(_keep_replaced("sqlite"))


@cache
def _keep_replaced(dialect: str) -> Any:
    new = _batch().c if dialect == "postgresql" else _One
    is_replaced = tuple_(_SESSIONS.c.epoch, _SESSIONS.c.revision) < tuple_(new.epoch, new.revision)
    old = select(*_SESSIONS.c, bindparam("new_recorded", type_=BigInteger)).where(
        _SESSIONS.c.session_id == new.session_id, is_replaced
    )
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    columns = [*(column.name for column in _SESSIONS.c), "superseded"]
    # A session that retention deleted may be told again, and replaced again.
    return insert(_REVISIONS).from_select(columns, old).on_conflict_do_nothing()


def _batch() -> Any:
    """The versions of a whole batch as a table, from one array a column."""
    ids = bindparam("new_session_id", type_=ARRAY(Text))
    numbers = [bindparam(f"new_{name}", type_=ARRAY(BigInteger)) for name in _VERSION[1:]]
    return func.unnest(ids, *numbers).table_valued(*_VERSION).render_derived()


class _One:
    """One row's version: the statement is run for each."""

    session_id: Any = bindparam("new_session_id", type_=Text)
    epoch: Any = bindparam("new_epoch", type_=BigInteger)
    revision: Any = bindparam("new_revision", type_=BigInteger)
