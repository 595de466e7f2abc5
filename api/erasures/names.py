"""All ids that one visitor has had, as far as the history knows."""

import msgspec
from sqlalchemy import Connection, select

from api.history.models import SessionRow
from contracts import SessionUpdate
from contracts.events import ROUTE_LENGTH, partition_key

_SESSION = msgspec.json.Decoder(SessionUpdate)
_ALONE = '%"other_visitor_ids":[]%'


def all_names(connection: Connection, site_id: str, visitor_id: str) -> list[str]:
    """The id, and every id that shares a session with one of them, directly or over others.

    Only ids that rotate have others, and those begin alike: nobody else's sessions are read.
    """
    visits = _shared_visits(connection, site_id, visitor_id)
    names, grown = {visitor_id}, True
    while grown:
        joined = {name for visit in visits if not names.isdisjoint(visit) for name in visit}
        grown = not joined <= names
        names |= joined
    return sorted(names)


def _shared_visits(connection: Connection, site_id: str, visitor_id: str) -> list[set[str]]:
    if partition_key(site_id, visitor_id) == f"{site_id}/{visitor_id}".encode():
        return []
    begin = visitor_id[: ROUTE_LENGTH + 1]
    # A session that an older version wrote says nothing of other ids, and has none.
    query = select(SessionRow.message).where(
        SessionRow.site_id == site_id,
        SessionRow.visitor_id >= begin,
        SessionRow.visitor_id < begin[:-1] + chr(ord(begin[-1]) + 1),
        SessionRow.message.not_like(_ALONE),
    )
    found = (_SESSION.decode(text) for text in connection.execute(query).scalars())
    return [{one.visitor_id, *one.other_visitor_ids} for one in found]
