"""Whether the history database can be written right now."""

from sqlalchemy import Engine, update
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from api.history.engine import changing
from api.history.models import ConsumerOffsetRow


def write_failure(engine: Engine) -> str | None:
    """Why a write fails; None when it works.

    The update matches no row, yet takes the write lock and fails on a read-only database.
    """
    nothing = update(ConsumerOffsetRow).where(ConsumerOffsetRow.topic == "").values(next_offset=0)
    try:
        with changing(engine) as connection:
            connection.execute(nothing)
    except SQLAlchemyError as error:
        return str(error.orig if isinstance(error, DBAPIError) else error).partition("\n")[0]
    return None
