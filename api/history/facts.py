"""What the history knows of itself, kept in it so that it survives restarts and restores.

- ``cursor_key``: the key that cursors are signed with.
- ``erasure_key``: the key of the hashes by which erased visitors are known.
- ``known_at``: when the history last learnt something, in ms since 1970 UTC. Whatever it learns
  later is recorded under a later moment, so its state as of then never changes again.
- ``revisions_from``: the first moment whose state can still be told.
"""

from typing import Any, Literal, cast

from sqlalchemy import Connection, Table, select, update

from api.history.models import FactRow

Moment = Literal["known_at", "revisions_from"]
_FACTS = cast("Table", FactRow.__table__)


def cursor_key(connection: Connection) -> bytes:
    """The key that cursors are signed with."""
    return bytes.fromhex(_fact(connection, "cursor_key"))


def erasure_key(connection: Connection) -> str:
    """The key that hides the ids of erased visitors, in hexadecimal."""
    return str(_fact(connection, "erasure_key"))


def moment(connection: Connection, name: Moment) -> int:
    """One of the moments above."""
    return int(_fact(connection, name))


def keep_moment(connection: Connection, name: Moment, instant: int) -> None:
    """Remember a moment."""
    connection.execute(update(_FACTS).where(_FACTS.c.name == name).values(value=str(instant)))


def _fact(connection: Connection, name: str) -> Any:
    return connection.execute(select(_FACTS.c.value).where(_FACTS.c.name == name)).scalar_one()
