"""Opening the history database, SQLite or PostgreSQL, and bringing its schema up to date."""

from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from contracts import ContractError

MIGRATIONS = Path(__file__).parent.parent / "migrations"
_BUSY_MS = 5_000


class SchemaError(Exception):
    """The database's schema is not one this version knows. Upgrade Clickwake, or restore."""


def open_engine(database_url: str) -> Engine:
    """An engine for the URL; nothing is connected yet. ContractError when the URL is no use."""
    url = _parsed(database_url)
    if url.get_backend_name() == "postgresql":
        options = "-c statement_timeout=30000 -c lock_timeout=10000"
        arguments: dict[str, Any] = {"connect_timeout": 5, "options": options}
        return create_engine(
            url.set(drivername="postgresql+psycopg"), connect_args=arguments, pool_pre_ping=True
        )
    if url.database and url.database != ":memory:":
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": _BUSY_MS / 1000})
    event.listen(engine, "connect", _on_sqlite_connect)
    event.listen(engine, "begin", _on_sqlite_begin)
    return engine


def _parsed(database_url: str) -> URL:
    try:
        url = make_url(str(database_url))
    except (ArgumentError, ValueError):
        raise ContractError(_WANTED) from None
    if url.get_backend_name() not in {"sqlite", "postgresql"}:
        raise ContractError(_WANTED)
    return url


_WANTED = (
    "CLICKWAKE_API_DATABASE_URL is no database this can use: write "
    "sqlite:///path/to/history.db or postgresql://user:password@host/database"
)


def _on_sqlite_connect(connection: Any, _record: Any) -> None:
    # Transactions are begun by us (below): sqlite3's own habit would leave reads outside of them.
    connection.isolation_level = None
    # Kafka's offsets are in the data's transaction, so a power cut that takes the last commits
    # with it only means reading them again: NORMAL is safe and saves a sync per commit.
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", f"busy_timeout={_BUSY_MS}"):
        connection.execute(f"PRAGMA {pragma}")


def _on_sqlite_begin(connection: Any) -> None:
    connection.exec_driver_sql("BEGIN")


def reading(engine: Engine) -> Connection:
    """A connection whose queries all see the same state of the database."""
    if engine.dialect.name == "postgresql":
        return engine.connect().execution_options(isolation_level="REPEATABLE READ")
    return engine.connect()


def migrate(engine: Engine) -> None:
    """Create the schema or bring it up to date. SchemaError when it is of a later version."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise SchemaError(
                f"the history database has a schema this version does not know ({error}): "
                "upgrade Clickwake, or restore the backup made before the later version"
            ) from error
