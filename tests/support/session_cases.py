"""The shared ``sessions/`` cases: arrival order in, expected sessions beside them."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from contracts import SessionUpdate, partition_key
from spark_jobs.files import FileOptions, read_line
from spark_jobs.parse import Record, Valid

FOLDER = Path("tests/fixtures/cases/sessions")
CASES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))
BROKER_TIME = round(datetime.fromisoformat("2026-01-16T12:00:00+00:00").timestamp() * 1000)


def options_of(name: str) -> FileOptions:
    """How the case files are read."""
    return FileOptions(
        format="jsonl", identity="column", count="all", site_id=name, source=f"{name}.jsonl"
    )


def records_of(name: str) -> list[Record]:
    """The case as records of a topic, with the bytes that the reader makes of each line."""
    records = []
    for number, line in enumerate((FOLDER / f"{name}.jsonl").read_bytes().splitlines(), 1):
        outcome, value = read_line(line, number, options_of(name))
        visitor = outcome.event.visitor_id if isinstance(outcome, Valid) else "u17"
        records.append(Record(partition_key(name, visitor), value, number, BROKER_TIME))
    return records


def assert_expected(name: str, sessions: list[SessionUpdate], dead: int) -> None:
    """Compare with the case's answer, whatever kinds of answer it has."""
    expected = json.loads((FOLDER / f"{name}.expected.json").read_text())
    assert dead == expected.get("bad", 0)
    for key, check in _CHECKS.items():
        if key in expected:
            check(expected, sorted(sessions, key=lambda session: session.start))


def _listed(expected: dict[str, Any], sessions: list[SessionUpdate]) -> None:
    if isinstance(expected["sessions"], int):
        assert len(sessions) == expected["sessions"]
        assert sum(session.events for session in sessions) == expected["events"]
        assert {session.events for session in sessions} == {expected["per_session"]}
        assert {session.duration_ms for session in sessions} == {expected["duration_s"] * 1000}
        return
    for wanted, found in zip(expected["sessions"], sessions, strict=True):
        assert (found.visitor_id, found.events) == (wanted["v"], wanted["n"])
        assert found.start == _ms(wanted["start"])
        assert found.end == _ms(wanted["end"])
        assert found.entry_page == wanted.get("entry", found.entry_page)
        assert found.exit_page == wanted.get("exit", found.exit_page)


def _pages(expected: dict[str, Any], sessions: list[SessionUpdate]) -> None:
    (session,) = sessions
    assert (session.entry_page, session.exit_page) == (expected["entry"], expected["exit"])


def _durations(expected: dict[str, Any], sessions: list[SessionUpdate]) -> None:
    found = {session.visitor_id: session.duration_ms // 1000 for session in sessions}
    assert found == expected["durations_s"]


def _good(expected: dict[str, Any], sessions: list[SessionUpdate]) -> None:
    assert len(sessions) == expected["good_sessions"]


def _too_late(expected: dict[str, Any], sessions: list[SessionUpdate]) -> None:
    """The visitor's 13:00 session starts at 13:00; 10:05 is in the 10:00 session or late."""
    own = [session for session in sessions if session.visitor_id == "u7"]
    assert [session.start for session in own] == [
        _ms("2026-01-15T10:00:00Z"),
        _ms("2026-01-15T13:00:00Z"),
    ]
    assert own[0].events in (1, 2)


_CHECKS = {
    "sessions": _listed,
    "entry": _pages,
    "durations_s": _durations,
    "good_sessions": _good,
    "rule": _too_late,
}


def _ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)
