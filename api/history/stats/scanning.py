"""A connection for questions that look at many rows."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, text

from api.history.engine import reading

_POSTGRESQL = (
    # With the 4 MB of PostgreSQL's default, grouping a month of visitors sorts them on the disk.
    "SET LOCAL work_mem = '32MB'",
    # Compiling these queries takes longer than they do.
    "SET LOCAL jit = off",
)


@contextmanager
def scanning(engine: Engine) -> Iterator[Connection]:
    """One whose queries all see the same state, with the memory to group what they find."""
    with reading(engine) as connection:
        if engine.dialect.name == "postgresql":
            for setting in _POSTGRESQL:
                connection.execute(text(setting))
        yield connection
