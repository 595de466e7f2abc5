"""Transactions on SQLite: those that change something wait for their turn."""

import threading
from pathlib import Path

from sqlalchemy import Connection

from api.history.engine import changing
from api.history.facts import keep_moment, moment
from tests.support.history import new_history
from tests.support.waiting import wait_until


def count(connection: Connection, name: str) -> None:
    keep_moment(connection, name, moment(connection, name) + 1)


def test_who_reads_first_and_writes_then_is_not_refused(tmp_path: Path) -> None:
    """Another change between the two would make the second impossible."""
    engine = new_history(tmp_path)
    begun = threading.Event()

    def another() -> None:
        begun.set()
        with changing(engine) as connection:
            count(connection, "known_at")

    with changing(engine) as connection:
        before = moment(connection, "known_at")
        other = threading.Thread(target=another)
        other.start()
        wait_until(begun.is_set, 10, "the other begins")
        other.join(0.2)  # long enough to be done, if it does not wait
        count(connection, "known_at")
    other.join(30)
    with engine.connect() as connection:
        assert moment(connection, "known_at") == before + 2
    engine.dispose()
