"""A private PostgreSQL cluster for a test."""

import contextlib
from collections.abc import Iterator

import pytest

from benchmarks import postgres
from benchmarks.postgres import Postgres, PostgresMissingError

__all__ = ["Postgres", "private_postgres"]


@contextlib.contextmanager
def private_postgres() -> Iterator[Postgres]:
    """A fresh cluster during the block; the test is skipped where there can be none."""
    with contextlib.ExitStack() as stack:
        try:
            # A test's cluster need not survive a power cut.
            running = stack.enter_context(postgres.private_postgres("-c fsync=off"))
        except PostgresMissingError as error:
            pytest.skip(str(error))
        yield running
