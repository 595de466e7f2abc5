"""Erasures in the database: asked for, told further, finished."""

from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, select, update
from sqlalchemy.orm import Session
from uuid_utils import uuid7

from api.erasures.models import ErasureRow
from api.erasures.names import all_names
from api.history.facts import erasure_key
from contracts import Erasure
from contracts.erasures import ErasurePhase, mark_of

ORDER: tuple[ErasurePhase, ...] = ("requested", "cleaning", "cleaned", "done")
_read = msgspec.json.Decoder(Erasure).decode


class Found(NamedTuple):
    """An erasure, and whether this request was the first to ask for it."""

    row: ErasureRow
    is_new: bool


def ask_for(connection: Connection, site_id: str, visitor_id: str, now: int) -> Found:
    """The visitor's unfinished erasure, or a new one of all ids that the history knows."""
    key = erasure_key(connection)
    mark = mark_of(key, site_id, visitor_id)
    _lock(connection)
    with Session(connection) as session:
        for row in _unfinished(session):
            if mark in erasure_of(row).marks and not is_cleaned(row):
                return Found(_loose(session, row), is_new=False)
        names = all_names(connection, site_id, visitor_id)
        row = _row(site_id, names, key, now)
        session.add(row)
        session.flush()
        return Found(_loose(session, row), is_new=True)


def erasure_of(row: ErasureRow) -> Erasure:
    """What was last told of it."""
    return _read(row.message)


def is_cleaned(row: ErasureRow) -> bool:
    """Whether only the history is left to do."""
    return erasure_of(row).phase in {"cleaned", "done"}


def unfinished(connection: Connection) -> list[ErasureRow]:
    """Those that are not done with."""
    with Session(connection) as session:
        return [_loose(session, row) for row in _unfinished(session)]


def listed(connection: Connection) -> list[ErasureRow]:
    """All, the newest first."""
    with Session(connection) as session:
        query = select(ErasureRow).order_by(ErasureRow.erasure_id.desc())
        return [_loose(session, row) for row in session.scalars(query).all()]


def one(connection: Connection, erasure_id: str) -> ErasureRow | None:
    """The erasure of that id."""
    with Session(connection) as session:
        row = session.get(ErasureRow, erasure_id)
        return None if row is None else _loose(session, row)


def take_in(connection: Connection, erasure: Erasure) -> None:
    """Keep what the topic says, unless more is known. One that this history does not know was
    asked for over another: it has to be done here, too."""
    _lock(connection)
    with Session(connection) as session:
        row = session.get(ErasureRow, erasure.erasure_id)
        if row is None:
            session.add(_foreign(erasure))
        elif row.finished is None and _is_further(erasure, erasure_of(row)):
            row.message = _json(erasure)
        session.flush()


def finish(connection: Connection, erasure: Erasure, now: int) -> None:
    """It is done."""
    _lock(connection)
    with Session(connection) as session:
        row = session.get_one(ErasureRow, erasure.erasure_id)
        row.message, row.finished = _json(erasure), now
        session.flush()


def note_deleted(connection: Connection, erasure_id: str, deleted: dict[str, int]) -> None:
    """Rows are gone, and with them the need to know the ids."""
    _lock(connection)
    with Session(connection) as session:
        row = session.get_one(ErasureRow, erasure_id)
        row.names = None
        row.deleted = _json(_summed(row, deleted))
        session.flush()


def _lock(connection: Connection) -> None:
    """Take SQLite's write lock first: a transaction that has read gets none beside the writer's."""
    nothing = update(ErasureRow).where(ErasureRow.erasure_id == "").values(deleted="{}")
    connection.execute(nothing)


def _summed(row: ErasureRow, deleted: dict[str, int]) -> dict[str, int]:
    before = msgspec.json.decode(row.deleted, type=dict[str, int])
    return {name: before.get(name, 0) + deleted.get(name, 0) for name in {*before, *deleted}}


def _is_further(new: Erasure, known: Erasure) -> bool:
    return ORDER.index(new.phase) >= ORDER.index(known.phase)


def _row(site_id: str, names: list[str], key: str, now: int) -> ErasureRow:
    erasure = Erasure(
        erasure_id=str(uuid7()),
        site_id=site_id,
        phase="requested",
        key=key,
        marks=[mark_of(key, site_id, name) for name in names],
        requested=now,
    )
    row = _foreign(erasure)
    row.names = _json(names)
    return row


def _foreign(erasure: Erasure) -> ErasureRow:
    return ErasureRow(
        erasure_id=erasure.erasure_id,
        site_id=erasure.site_id,
        requested=erasure.requested,
        finished=None,
        names=None,
        deleted="{}",
        message=_json(erasure),
    )


def _unfinished(session: Session) -> list[ErasureRow]:
    query = select(ErasureRow).where(ErasureRow.finished.is_(None))
    return list(session.scalars(query.order_by(ErasureRow.erasure_id)))


def _loose(session: Session, row: ErasureRow) -> ErasureRow:
    """The row, to be read without its session."""
    session.expunge(row)
    return row


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
