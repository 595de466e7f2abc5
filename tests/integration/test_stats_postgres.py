"""Statistics of random histories on a real PostgreSQL are those that loops in Python find."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from api.history.engine import migrate, open_engine
from contracts.settings import Secret
from tests.support.api import client_of
from tests.support.block_checks import ASKED, STEPS, Asked, Steps, check_blocks
from tests.support.postgres import private_postgres
from tests.support.stats_checks import CHECKS, NOW
from tests.support.stats_histories import histories, keep
from tests.support.stats_oracle import Visit

pytestmark = pytest.mark.slow


class History(NamedTuple):
    """A database and the API that answers from it."""

    engine: Engine
    api: httpx.Client


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    folder: Path = tmp_path_factory.mktemp("stats")
    with private_postgres() as postgres:
        engine = open_engine(postgres.url)
        migrate(engine)
        url = Secret(postgres.url)
        with client_of(folder, clock=lambda: NOW, database_url=url) as api:
            yield History(engine, api)
        engine.dispose()


@given(visits=histories(), check=st.sampled_from(sorted(CHECKS)))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_statistics_are_what_loops_find(history: History, visits: list[Visit], check: str) -> None:
    keep(history.engine, visits)
    CHECKS[check](history.api, visits)


@given(steps=STEPS, asked=ASKED)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_blocks_count_as_the_database_does(history: History, steps: Steps, asked: Asked) -> None:
    check_blocks(history.engine, steps, asked)


def test_a_question_that_takes_too_long_is_ended(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "/api/v1/stats/top?dimension=path"
    with history.engine.begin() as connection:
        connection.execute(text("LOCK TABLE sessions"))
        monkeypatch.setattr("api.history.stats.scanning.LONGEST_S", 0.1)
        answer = history.api.get(question)
        assert answer.json()["detail"] == "This takes longer than 0.1 s: ask for a shorter range."
    monkeypatch.undo()
    assert history.api.get(question).status_code == 200
