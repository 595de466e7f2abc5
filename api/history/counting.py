"""How many sessions a list has: counted, or estimated where counting would take long."""

from random import Random
from typing import Any

from sqlalchemy import ClauseElement, Connection, Executable, Select, func, literal_column, select
from sqlalchemy.ext.compiler import compiles

from api.history.answers import SessionCount
from api.history.listing import Listing, sources

FEW = 10_000
"""PostgreSQL's planner expects less than this: then counting is quick."""

SAMPLE = 2_000
LEAST_HITS = 100
"""Of a sample with fewer hits than this the estimate would be off by more than a fifth."""


def exact_count(connection: Connection, listing: Listing) -> SessionCount:
    """The sessions of the list, counted."""
    number = sum(
        connection.execute(select(func.count()).where(*conditions)).scalar_one()
        for _, conditions in sources(listing)
    )
    return SessionCount(sessions=number, is_exact=True)


def estimated_count(connection: Connection, listing: Listing) -> SessionCount:
    """The sessions of the list, about: as PostgreSQL's statistics say, or by a sample in SQLite.

    Few are counted, as that is quick and an estimate would be poor.
    """
    # States of the past are few, and left out of estimates.
    row, conditions = sources(listing)[0]
    number = (
        _planned(connection, select(row.session_id).where(*conditions))
        if connection.dialect.name == "postgresql"
        else _sampled(connection, conditions)
    )
    if number is None or number < FEW:
        return exact_count(connection, listing)
    return SessionCount(sessions=number, is_exact=False)


class _Explained(Executable, ClauseElement):
    """A query that is planned and not run."""

    inherit_cache = False

    def __init__(self, query: Select[Any]) -> None:
        self.query = query


@compiles(_Explained, "postgresql")
def _explained(element: Any, compiler: Any, **options: Any) -> str:
    return f"EXPLAIN (FORMAT JSON) {compiler.process(element.query, **options)}"


def _planned(connection: Connection, query: Select[Any]) -> int:
    plan: Any = connection.execute(_Explained(query)).scalar_one()
    return int(plan[0]["Plan"]["Plan Rows"])


def _sampled(connection: Connection, conditions: list[Any]) -> int | None:
    """Look at some rows all over the table, found by their number; None when too few are hits."""
    rowid: Any = literal_column("sessions.rowid")
    least, most = connection.exec_driver_sql("SELECT min(rowid), max(rowid) FROM sessions").one()
    if least is None or most - least < SAMPLE:
        return None
    # The same rows each time, so that the number does not jump about between two questions.
    numbers = Random(0).sample(range(least, most + 1), SAMPLE)
    hits = connection.execute(
        select(func.count()).where(rowid.in_(numbers), *conditions)
    ).scalar_one()
    return None if hits < LEAST_HITS else round(hits / SAMPLE * (most - least + 1))
