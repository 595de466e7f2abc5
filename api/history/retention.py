"""What is too old to keep, deleted a little at a time: the writer must never wait long."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Engine, delete, exists, select, tuple_

from api.access.models import AuditRow
from api.history.engine import changing
from api.history.facts import keep_moment, moment
from api.history.models import (
    Base,
    DeadLetterRow,
    EventRow,
    LateEventRow,
    RevisionRow,
    SessionNameRow,
    SessionRow,
    SetAsideRow,
)

CHUNK = 500
_LONGEST_SESSION_MS = 24 * 60 * 60 * 1000
"""By default. The events of a session are kept until it is gone itself."""


class Limits(Struct, frozen=True, kw_only=True):
    """How long what is in the database is kept, in ms: past states of sessions, entries of the
    audit log, and all else."""

    revisions: int
    history: int
    audit: int = 2**62


def forget(engine: Engine, limits: Limits, now: int) -> Iterator[int]:
    """Delete what is too old; after each transaction, how many rows it deleted.

    An open session stays however old it is: the job will still close it.
    """
    old = now - limits.history
    _move_revisions_from(engine, now - limits.revisions)
    yield from _in_chunks(engine, SessionNameRow, _is_nameless(old))
    for model, condition in (
        (RevisionRow, RevisionRow.superseded <= now - limits.revisions),
        (SessionRow, (SessionRow.end < old) & (SessionRow.status != "open")),
        (EventRow, EventRow.event_time < old - _LONGEST_SESSION_MS),
        (LateEventRow, LateEventRow.broker_time < old),
        (DeadLetterRow, DeadLetterRow.broker_time < old),
        (SetAsideRow, SetAsideRow.noticed < old),
        (AuditRow, AuditRow.time < now - limits.audit),
    ):
        yield from _in_chunks(engine, model, condition)


def _is_nameless(old: int) -> ColumnElement[bool]:
    """Whether the session of a further id is deleted now, or is no more."""
    its = exists().where(SessionRow.session_id == SessionNameRow.session_id)
    return ~its.where((SessionRow.end >= old) | (SessionRow.status == "open"))


def _move_revisions_from(engine: Engine, instant: int) -> None:
    """Say that it cannot be told any more, before it is deleted."""
    with changing(engine) as connection:
        # Later than the last change nothing was lost by deleting: that state is the present.
        since = min(instant, moment(connection, "known_at"))
        if since > moment(connection, "revisions_from"):
            keep_moment(connection, "revisions_from", since)


def _in_chunks(engine: Engine, model: type[Base], condition: ColumnElement[bool]) -> Iterator[int]:
    deleted = CHUNK
    while deleted == CHUNK:
        with changing(engine) as connection:
            deleted = _delete_some(connection, model, condition)
        yield deleted


def _delete_some(connection: Connection, model: type[Base], condition: ColumnElement[bool]) -> int:
    keys: list[Any] = [model.__table__.c[key.name] for key in model.__table__.primary_key]
    some = select(*keys).where(condition).limit(CHUNK)
    return connection.execute(delete(model).where(tuple_(*keys).in_(some))).rowcount
