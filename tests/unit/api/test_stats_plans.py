"""How SQLite finds what statistics count: from an index of final sessions, not from whole rows."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Select
from sqlalchemy.dialects import sqlite

from api.history.filters import SessionFilter
from api.history.stats.dimensions import Dimension
from api.history.stats.facts import facts_by
from tests.support.history import new_history

MONTH = SessionFilter(start_from=0, start_to=30 * 86_400_000, bots="exclude")


def plan(folder: Path, query: Select[Any]) -> list[str]:
    # With its parameters as the driver gets them: a plan must not need to know their values.
    compiled = query.compile(dialect=sqlite.dialect(), compile_kwargs={"render_postcompile": True})
    values = tuple(compiled.params[name] for name in compiled.positiontup or ())
    with new_history(folder).connect() as connection:
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", values)
        return [row[3] for row in rows]


@pytest.mark.parametrize("dimension", ["country", "channel", "device", "site"])
def test_final_sessions_are_counted_from_their_index(tmp_path: Path, dimension: Dimension) -> None:
    steps = plan(tmp_path, facts_by((dimension,), MONTH))
    index = "SEARCH sessions USING COVERING INDEX sessions_final (status=? AND start>? AND start<?)"
    assert index in steps
    assert not [step for step in steps if "SCAN sessions" in step and "apart" not in step]


def test_events_of_sessions_are_found_by_their_visitor(tmp_path: Path) -> None:
    steps = plan(tmp_path, facts_by(("path",), MONTH))
    assert sum("held USING INDEX events_of_visitor" in step for step in steps) == 2
    assert not [step for step in steps if step.startswith(("SCAN sessions", "SCAN held"))]
