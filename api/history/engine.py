"""Opening the history database, SQLite or PostgreSQL, and bringing its schema up to date."""

from collections.abc import Iterator
from contextlib import contextmanager
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
    connection.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
    if connection.execute("PRAGMA page_count").fetchone() == (0,):
        # Only a file without a page takes it; then ``api.history.room`` can shrink it.
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
    # Kafka's offsets are in the data's transaction, so a power cut that takes the last commits
    # with it only means reading them again: NORMAL is safe and saves a sync per commit.
    # A checkpoint writes a page once, however often it was changed: so let it come seldom.
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "wal_autocheckpoint=8000"):
        connection.execute(f"PRAGMA {pragma}")


def _on_sqlite_begin(connection: Any) -> None:
    changes = connection.get_execution_options().get(_CHANGES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if changes else "BEGIN")


_CHANGES = "clickwake_changes"


@contextmanager
def changing(engine: Engine) -> Iterator[Connection]:
    """A transaction that changes something, whatever it reads before.

    SQLite refuses at once to let a transaction write that has read before another one's change
    ("database is locked"). One that begins with the lock waits for its turn instead.
    """
    connecting = engine.connect().execution_options(**{_CHANGES: True})
    with connecting as connection, connection.begin():
        yield connection


def reading(engine: Engine) -> Connection:
    """A connection whose queries all see the same state of the database."""
    if engine.dialect.name == "postgresql":
        return engine.connect().execution_options(isolation_level="REPEATABLE READ")
    return engine.connect()


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction for many rows."""
    with engine.connect() as connection:
        with connection.begin():
            for setting in _FOR_MANY_ROWS[engine.dialect.name]:
                connection.exec_driver_sql(setting)
            yield connection
        if engine.dialect.name == "sqlite":
            # Others use the connection next, and keep what they read in its cache.
            connection.exec_driver_sql("PRAGMA cache_size=-2000")


_FOR_MANY_ROWS = {
    # A batch touches more pages than fit into 2 MB, and would write and read them in turn.
    "sqlite": ["PRAGMA cache_size=-32768"],
    "postgresql": [
        # A question gives up sooner. A batch would only be sent again, and be as slow.
        "SET LOCAL statement_timeout = '300s'",
        # Compiling a batch's statement takes longer than running it.
        "SET LOCAL jit = off",
    ],
}


def migrate(engine: Engine) -> None:
    """Create the schema or bring it up to date. SchemaError when it is of a later version."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with changing(engine) as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise SchemaError(
                f"the history database has a schema this version does not know ({error}): "
                "upgrade Clickwake, or restore the backup made before the later version"
            ) from error
