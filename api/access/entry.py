"""Whether an API that others can reach may open its door."""

from sqlalchemy import Engine, inspect
from sqlalchemy.exc import SQLAlchemyError

from api.access import store
from api.access.models import ApiKeyRow
from api.history.engine import open_engine
from api.settings import ApiSettings
from contracts import ContractError


def require_a_key(settings: ApiSettings, now: int) -> None:
    """Raise ContractError, which says how to make one, when keys are needed and there is none.

    A database that does not answer is no reason to stay away: until it does, nobody gets in.
    """
    if not settings.needs_keys():
        return
    engine = open_engine(settings.database_url)
    try:
        is_known = _has_key(engine, now)
    except SQLAlchemyError:
        return
    finally:
        engine.dispose()
    if not is_known:
        raise ContractError(_NO_KEY.format(settings.host))


def _has_key(engine: Engine, now: int) -> bool:
    if not inspect(engine).has_table(ApiKeyRow.__tablename__):
        return False
    with engine.connect() as connection:
        return store.has_key(connection, now)


_NO_KEY = (
    "an API on {} needs API keys, and there is none yet: make one with `./clickwake keys create "
    "--scope read`, or set CLICKWAKE_API_HOST=127.0.0.1 and CLICKWAKE_API_REQUIRE_KEYS=false for "
    "this machine alone"
)
