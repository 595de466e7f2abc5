"""The live view's beginning, out of the history: one consistent state and its Kafka offsets."""

import logging

import msgspec
from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import SQLAlchemyError

from api.history.engine import reading
from api.history.listing import Listing, items_of
from api.history.models import EventRow, SessionRow
from api.history.statistics import MINUTE_MS, MINUTES, per_minute
from api.history.store import stored_positions
from api.live.minutes import MOST_KINDS
from api.live.seed import Seed
from contracts import EnrichedEvent, SessionUpdate

log = logging.getLogger(__name__)

_DECODER = msgspec.json.Decoder(SessionUpdate)
_EVENT_DECODER = msgspec.json.Decoder(EnrichedEvent)


def read_seed(engine: Engine, now: int, capacity: int) -> Seed | None:
    """The open and the newest sessions, and the last hour's minutes; None without a history."""
    try:
        with reading(engine) as connection:
            return Seed(
                stored_positions(connection),
                [*_open(connection, now), *_newest(connection, capacity)],
                per_minute(connection, [], now - MINUTES * MINUTE_MS, now + 1),
                _events(connection, now),
            )
    except SQLAlchemyError as error:
        reason = str(error).partition("\n")[0]
        log.debug("the live view begins without the history: %s", reason)
        return None


def _newest(connection: Connection, capacity: int) -> list[SessionUpdate]:
    return [_DECODER.decode(item.message) for item in items_of(connection, Listing(), capacity)]


def _events(connection: Connection, now: int) -> list[EnrichedEvent]:
    time = EventRow.event_time
    query = (
        select(EventRow.message)
        .where(time.between(now - MINUTES * MINUTE_MS, now), EventRow.kind.in_(("page", "api")))
        .order_by(time.desc())
        .limit(MOST_KINDS)
    )
    return [_EVENT_DECODER.decode(text) for text in connection.execute(query).scalars()]


def _open(connection: Connection, now: int) -> list[SessionUpdate]:
    query = select(SessionRow.message).where(SessionRow.status == "open", SessionRow.expires > now)
    return [_DECODER.decode(text) for text in connection.execute(query).scalars()]
