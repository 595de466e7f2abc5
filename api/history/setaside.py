"""Records that can never become rows: which they are, and where it is kept that they were left out.

A record that breaks its contract, or holds what a database refuses, would fail again for ever. So
the batch goes on without it, and its place and the reason are kept in the batch's transaction.
Its value is not: that stays on its topic alone, for as long as the topic keeps it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

from api.history.models import SetAsideRow
from api.progress import Place

REASON_LIMIT = 300
"""Characters. A message may repeat what it complains of."""

_TABLE = cast("Table", SetAsideRow.__table__)
_ERRORS = (DataError, IntegrityError, OverflowError, UnicodeError)
_STATES = {"22", "23", "54"}
"""Classes of PostgreSQL's SQLSTATE: data exception, integrity, a limit of the program (such as an
index entry that is too long). SQLAlchemy takes the last for a failure that may pass."""


class Poison(NamedTuple):
    """A record that is left out, and why."""

    place: Place
    offset: int
    reason: str


def is_unstorable(error: Exception) -> bool:
    """Whether a database said of a value that it cannot hold it; every other failure may pass."""
    state: str | None = getattr(getattr(error, "orig", None), "sqlstate", None)
    return isinstance(error, _ERRORS) or (state is not None and state[:2] in _STATES)


def reason_of(error: Exception) -> str:
    """What went wrong, in one line and without the row."""
    told: Any = error.orig if isinstance(error, DBAPIError) else error
    return str(told).partition("\n")[0][:REASON_LIMIT].replace("\0", "\ufffd")


def keep_aside(connection: Connection, poison: Sequence[Poison], now: int) -> None:
    """Keep where they are; a record that is read again is kept once."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    rows = [
        {**place._asdict(), "offset": offset, "reason": reason, "noticed": now}
        for place, offset, reason in poison
    ]
    if rows:
        connection.execute(insert(_TABLE).on_conflict_do_nothing(), rows)
