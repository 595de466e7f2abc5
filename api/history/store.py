"""Writing a batch: rows by latest-wins upserts, with Kafka's offsets in the same transaction."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from sqlalchemy import Connection, Engine, Table, select

from api.history.copying import put_all
from api.history.engine import writing
from api.history.facts import keep_moment, moment
from api.history.models import ConsumerOffsetRow
from api.history.names import keep_names
from api.history.rows import PLANS, Row, newest
from api.history.sessions import store_sessions
from api.history.setaside import Poison, is_unstorable, keep_aside, reason_of
from api.history.statements import latest_wins
from api.progress import Place

log = logging.getLogger(__name__)

_OFFSETS = cast("Table", ConsumerOffsetRow.__table__)


class Origin(NamedTuple):
    """The record that a row was made of."""

    place: Place
    offset: int


class Batch(NamedTuple):
    """Rows by topic role with the records they are of, and where each partition continues.

    ``unreadable`` are the records that became no row.
    """

    rows: Mapping[str, Sequence[Row]]
    positions: Mapping[Place, int]
    origins: Mapping[str, Sequence[Origin]]
    unreadable: Sequence[Poison] = ()


def stored_positions(connection: Connection) -> dict[Place, int]:
    """Where reading continues, by partition."""
    found = connection.execute(select(_OFFSETS))
    return {Place(topic, partition): offset for topic, partition, offset in found}


class Learning(NamedTuple):
    """When a batch is learnt, and whether what it replaces is kept."""

    now: int
    keeps_revisions: bool = True


def store(engine: Engine, batch: Batch, learning: Learning) -> int:
    """Write all of the batch or nothing of it; the number of rows no database could hold."""
    try:
        with writing(engine) as connection:
            learnt = _begin(connection, batch, learning)
            for role, rows in batch.rows.items():
                _put(connection, role, newest(PLANS[role], rows), learnt)
            return 0
    except Exception as error:
        if not is_unstorable(error):
            raise
    return _store_apart(engine, batch, learning)


def _store_apart(engine: Engine, batch: Batch, learning: Learning) -> int:
    """Find the rows that made the batch fail, and leave only those out."""
    poison: list[Poison] = []
    with writing(engine) as connection:
        learnt = _begin(connection, batch, learning)
        for role, rows in batch.rows.items():
            for row, reason in _unfit(connection, role, newest(PLANS[role], rows), learnt):
                place, offset = _origin(batch, role, row)
                poison.append(Poison(place, offset, reason))
        keep_aside(connection, poison, learnt.now)
    for place, offset, reason in poison:
        log.warning("set aside %s/%d/%d, which cannot be stored: %s", *place, offset, reason)
    return len(poison)


def _begin(connection: Connection, batch: Batch, learning: Learning) -> Learning:
    """Keep the positions, and settle when this batch is learnt: after everything before it.

    The first statement takes SQLite's write lock, or the positions' rows in PostgreSQL. So the
    moments of two batches are in the order of their commits, whatever the clock does.
    """
    _keep_positions(connection, batch.positions)
    learnt = learning._replace(now=max(learning.now, moment(connection, "known_at") + 1))
    keep_moment(connection, "known_at", learnt.now)
    if not learnt.keeps_revisions:
        keep_moment(connection, "revisions_from", learnt.now)
    keep_aside(connection, batch.unreadable, learnt.now)
    return learnt


def _unfit(
    connection: Connection, role: str, rows: list[Row], learnt: Learning
) -> Iterator[tuple[Row, str]]:
    """Store what can be stored of the rows; what cannot, and why. Halves, and halves of those."""
    reason = _refusal(connection, role, rows, learnt)
    if reason is None:
        return
    if len(rows) == 1:
        yield rows[0], reason
        return
    middle = len(rows) // 2
    yield from _unfit(connection, role, rows[:middle], learnt)
    yield from _unfit(connection, role, rows[middle:], learnt)


def _refusal(connection: Connection, role: str, rows: list[Row], learnt: Learning) -> str | None:
    try:
        with connection.begin_nested():
            _put(connection, role, rows, learnt)
    except Exception as error:
        if not is_unstorable(error):
            raise
        return reason_of(error)
    return None


def _origin(batch: Batch, role: str, row: Row) -> Origin:
    return next(
        origin
        for one, origin in zip(batch.rows[role], batch.origins[role], strict=True)
        if one is row
    )


def _put(connection: Connection, role: str, rows: list[Row], learnt: Learning) -> None:
    if role == "sessions":
        store_sessions(connection, rows, learnt.now, keeps_revisions=learnt.keeps_revisions)
        keep_names(connection, rows)
    else:
        put_all(connection, PLANS[role], rows)


def _keep_positions(connection: Connection, positions: Mapping[Place, int]) -> None:
    rows = [
        {"topic": place.topic, "partition": place.partition, "next_offset": offset}
        for place, offset in sorted(positions.items())
    ]
    if rows:
        connection.execute(latest_wins(_OFFSETS, (), connection.dialect.name), rows)
