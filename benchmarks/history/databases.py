"""A fresh history in either database, and the API that answers from it."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine, text

from api.history.engine import open_engine
from benchmarks import choosing
from benchmarks.history.results import DATABASES
from benchmarks.postgres import private_postgres
from benchmarks.serving import served
from benchmarks.stack import ROOT
from infra.ports import HOST, free_ports, is_listening

BYTES_A_SESSION = 6_000
"""On disk, with two events, indexes and the log: rather too much than too little."""

NO_KAFKA = f"{HOST}:1"


class Database(NamedTuple):
    """Where it is, how large it has become (bytes), and how to leave it as it is in the long run.

    PostgreSQL's autovacuum looks at a table some minutes after it was filled; here it is asked to
    at once, so that every question finds the same statistics.
    """

    url: str
    size: Callable[[], int]
    settle: Callable[[], None]


def chosen(names: str) -> list[str]:
    """Those of a comma-separated list; all when it is empty."""
    return choosing.chosen(names, DATABASES, "database")


def require_room(sessions: int, wanted: int) -> None:
    """Say so now rather than when the disk is full. ``wanted`` are bytes."""
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    if free < wanted:
        raise SystemExit(
            f"{sessions:,} sessions with their events take about {wanted / 1e9:.0f} GB and "
            f"{folder} has {free / 1e9:.0f}: set TMPDIR to a larger disk, or give fewer "
            "--sessions or --events."
        )


@contextmanager
def database(name: str) -> Iterator[Database]:
    """An empty one, gone after the block. PostgreSQL is as its package configures it."""
    if name == "sqlite":
        with tempfile.TemporaryDirectory(prefix="clickwake-history-") as folder:
            file = Path(folder) / "history.db"
            yield Database(f"sqlite:///{file}", lambda: _files(Path(folder)), lambda: None)
        return
    with private_postgres() as postgres:
        engine = open_engine(postgres.url)
        try:
            yield Database(
                postgres.url, lambda: _postgres_size(engine), lambda: _postgres_settle(engine)
            )
        finally:
            engine.dispose()


def _files(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def _postgres_size(engine: Engine) -> int:
    with engine.connect() as connection:
        return int(
            connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()
        )


def _postgres_settle(engine: Engine) -> None:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("SET statement_timeout = 0"))
        connection.execute(text("VACUUM (ANALYZE)"))


@contextmanager
def serving(url: str) -> Iterator[int]:
    """The port of the product's own API process, which has no Kafka to read from."""
    (port,) = free_ports(1)
    with tempfile.TemporaryDirectory(prefix="clickwake-history-api-") as text_:
        folder = Path(text_)
        environ = os.environ | {
            "PYTHONPATH": str(ROOT),
            "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": NO_KAFKA,
            "CLICKWAKE_API_PORT": str(port),
            "CLICKWAKE_API_DATABASE_URL": url,
            "CLICKWAKE_API_DASHBOARD_DIR": str(folder / "dashboard"),
            "CLICKWAKE_API_LOG_LEVEL": "ERROR",
        }
        command = [sys.executable, "-m", "api"]
        with served(command, environ, folder / "api.log", lambda: is_listening(f"{HOST}:{port}")):
            yield port
