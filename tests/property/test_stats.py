"""Statistics of random histories on SQLite are those that loops in Python find."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from tests.support.api import client_of
from tests.support.history import new_history
from tests.support.stats_checks import CHECKS, NOW
from tests.support.stats_histories import histories, keep
from tests.support.stats_oracle import Visit


class History(NamedTuple):
    """A database and the API that answers from it."""

    engine: Engine
    api: httpx.Client


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    folder: Path = tmp_path_factory.mktemp("stats")
    with client_of(folder, clock=lambda: NOW) as api:
        yield History(new_history(folder), api)


@given(visits=histories(), check=st.sampled_from(sorted(CHECKS)))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_statistics_are_what_loops_find(history: History, visits: list[Visit], check: str) -> None:
    keep(history.engine, visits)
    CHECKS[check](history.api, visits)
