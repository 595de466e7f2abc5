"""What is counted from blocks is what the database counts, however the history came about."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from sqlalchemy import Engine, select

from api.history.models import BlockRow, SessionRow, StaleHourRow
from tests.support.block_checks import ASKED, STEPS, Asked, Steps, check_blocks, live_through
from tests.support.history import new_history
from tests.support.stats_histories import HOUR


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    engine = new_history(tmp_path_factory.mktemp("blocks"))
    yield engine
    engine.dispose()


@given(steps=STEPS, asked=ASKED)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_blocks_count_as_the_database_does(engine: Engine, steps: Steps, asked: Asked) -> None:
    check_blocks(engine, steps, asked)


@given(steps=STEPS)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_an_hour_without_blocks_or_a_note_has_no_sessions(engine: Engine, steps: Steps) -> None:
    live_through(engine, steps)
    is_counted = SessionRow.status != "merged"
    with engine.connect() as connection:
        starts = connection.execute(select(SessionRow.start).where(is_counted)).scalars().all()
        built = connection.execute(select(BlockRow.hour)).scalars().all()
        noted = connection.execute(select(StaleHourRow.hour)).scalars().all()
    assert {start // HOUR for start in starts} <= {*built, *noted}
