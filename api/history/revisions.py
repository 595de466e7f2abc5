"""States that sessions had: what a batch replaces is kept, and found again as of a moment."""

from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Connection,
    Table,
    Text,
    bindparam,
    func,
    literal,
    select,
    tuple_,
)
from sqlalchemy.dialects import postgresql, sqlite

from api.history.models import RevisionRow, SessionRow
from api.history.rows import Row

_SESSIONS = cast("Table", SessionRow.__table__)
_REVISIONS = cast("Table", RevisionRow.__table__)


def keep_replaced(connection: Connection, rows: Sequence[Row], now: int) -> None:
    """Keep the states that ``rows`` are about to replace, as superseded ``now``."""
    dialect = connection.dialect.name
    new: Any = [_new(row) for row in rows]
    if dialect == "postgresql":
        # One statement for the batch: there, each costs a message to the server.
        new = {name: [one[name] for one in new] for name in new[0]}
    connection.execute(_keep_replaced(dialect, now), new)


def _new(row: Row) -> Row:
    return {f"new_{name}": row[name] for name in _VERSION}


_VERSION = ("session_id", "epoch", "revision")


def _keep_replaced(dialect: str, now: int) -> Any:
    new = _batch().c if dialect == "postgresql" else _One
    is_replaced = tuple_(_SESSIONS.c.epoch, _SESSIONS.c.revision) < tuple_(new.epoch, new.revision)
    old = select(*_SESSIONS.c, literal(now, BigInteger)).where(
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
