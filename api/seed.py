"""The live view's beginning, out of the history: one consistent state and its Kafka offsets."""

import logging

import msgspec
from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import SQLAlchemyError

from api.history.engine import reading
from api.history.listing import Listing, items_of
from api.history.models import SessionRow
from api.history.statistics import MINUTE_MS, MINUTES, per_minute
from api.history.store import stored_positions
from api.live.seed import Seed
from contracts import SessionUpdate

log = logging.getLogger(__name__)

_DECODER = msgspec.json.Decoder(SessionUpdate)


def read_seed(engine: Engine, now: int, capacity: int) -> Seed | None:
    """The open and the newest sessions, and the last hour's minutes; None without a history."""
    try:
        with reading(engine) as connection:
            return Seed(
                stored_positions(connection),
                [*_open(connection, now), *_newest(connection, capacity)],
                per_minute(connection, [], now - MINUTES * MINUTE_MS, now + 1),
            )
    except SQLAlchemyError as error:
        reason = str(error).partition("\n")[0]
        log.debug("the live view begins without the history: %s", reason)
        return None


def _newest(connection: Connection, capacity: int) -> list[SessionUpdate]:
    return [_DECODER.decode(item.message) for item in items_of(connection, Listing(), capacity)]


def _open(connection: Connection, now: int) -> list[SessionUpdate]:
    query = select(SessionRow.message).where(SessionRow.status == "open", SessionRow.expires > now)
    return [_DECODER.decode(text) for text in connection.execute(query).scalars()]
