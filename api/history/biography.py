"""What is known of how a session came to be: its neighbours, revisions, merges and late events."""

from typing import Any

import msgspec
from sqlalchemy import Connection, select, union_all

from api.history import answers
from api.history.explaining import beginning, end
from api.history.filters import MERGED
from api.history.models import LateEventRow, RevisionRow, SessionRow
from api.history.sorting import Sort
from contracts import LateEvent, SessionUpdate

LIMIT = 100
"""The newest revisions, merges and late events of a session that are told."""

_SESSION = msgspec.json.Decoder(SessionUpdate)
_LATE = msgspec.json.Decoder(LateEvent)


def biography(connection: Connection, session: SessionUpdate) -> answers.Biography:
    """How the session came to be."""
    return answers.Biography(
        begins=beginning(session, _neighbour(connection, session, is_before=True)),
        ends=end(session, _neighbour(connection, session, is_before=False)),
        took_in=_took_in(connection, session),
        late=_late(connection, session),
        revisions=_revisions(connection, session.session_id),
    )


def _of_visitor(row: Any, session: SessionUpdate) -> list[Any]:
    return [row.site_id == session.site_id, row.visitor_id == session.visitor_id]


def _neighbour(
    connection: Connection, session: SessionUpdate, *, is_before: bool
) -> SessionUpdate | None:
    row, sort = SessionRow, Sort("start", is_descending=is_before)
    query = (
        select(row.message)
        .where(*_of_visitor(row, session), row.status != MERGED)
        .where(*sort.after(row, session.start, session.session_id))
        .order_by(*sort.order(row))
        .limit(1)
    )
    found = connection.execute(query).scalar_one_or_none()
    return None if found is None else _SESSION.decode(found)


def _took_in(connection: Connection, session: SessionUpdate) -> list[answers.TakenIn]:
    row = SessionRow
    query = (
        select(row.session_id, row.start, row.end, row.recorded)
        .where(*_of_visitor(row, session), row.merged_into == session.session_id)
        .order_by(row.start.desc(), row.session_id)
        .limit(LIMIT)
    )
    return [answers.TakenIn(**found._mapping) for found in connection.execute(query)]


def _late(connection: Connection, session: SessionUpdate) -> list[answers.TooLate]:
    """The visitor's late events that would have joined the session, or led up to it."""
    query = (
        select(LateEventRow.message)
        .where(*_of_visitor(LateEventRow, session))
        .order_by(LateEventRow.processed_time.desc())
        .limit(LIMIT)
    )
    found = [_LATE.decode(text) for text in connection.execute(query).scalars()]
    first = session.start - (session.expires - session.end)
    return [
        answers.TooLate(
            event_id=late.event.event_id,
            event_time=late.event.event_time,
            path=late.event.path,
            late_ms=late.late_ms,
            reason=late.reason,
        )
        for late in found
        if first <= late.event.event_time <= session.expires
    ]


def _revisions(connection: Connection, session_id: str) -> list[answers.Revision]:
    columns = ("epoch", "revision", "status", "start", "end", "events", "recorded")
    past, present = (
        select(*(getattr(row, name) for name in columns)).where(row.session_id == session_id)
        for row in (RevisionRow, SessionRow)
    )
    both = union_all(past, present).subquery().c
    query = select(*both).order_by(both.epoch.desc(), both.revision.desc()).limit(LIMIT)
    return [answers.Revision(**found._mapping) for found in connection.execute(query)]
