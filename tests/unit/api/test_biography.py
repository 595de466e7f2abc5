"""Why a session begins and ends where it does, and what else is known of it and its visitor."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.history.explaining import beginning, end
from api.history.writer import HistoryWriter
from tests.support.api import client_of
from tests.support.history import a_slice, new_history
from tests.support.messages import MINUTE, NOON, a_late_event, a_session

VISITOR = "v/1"
BEFORE = a_session("before", start=NOON - 90 * MINUTE, end=NOON - 60 * MINUTE, status="final")


@pytest.mark.parametrize(
    ("flags", "start", "reason", "detail"),
    [
        ([], NOON, "silence", "would have taken events until 2026-03-01 11:30:00 UTC"),
        (["cut_count"], NOON, "cut_count", "had as many events as a session may have"),
        (["cut_length", "thinned"], NOON, "cut_length", "was as long as a session may be"),
        ([], NOON - 30 * MINUTE, "other_rules", "different runs of the job"),
    ],
)
def test_why_a_session_begins(flags: list[str], start: int, reason: str, detail: str) -> None:
    before = a_session("b", start=BEFORE.start, end=BEFORE.end, status="final", flags=flags)
    found = beginning(a_session(start=start), before)
    assert found.reason == reason
    assert detail in found.detail
    assert found.silence_ms == start - before.end


@pytest.mark.parametrize(
    ("status", "flags", "reason", "detail"),
    [
        ("open", [], "open", "It takes events until 2026-03-01 12:30:00 UTC."),
        ("closed", [], "silence", "No event came until 2026-03-01 12:30:00 UTC"),
        ("final", ["cut_count"], "cut_count", "It had as many events"),
        ("final", ["from_file", "cut_length"], "cut_length", "It was as long"),
    ],
)
def test_why_a_session_ends(status: str, flags: list[str], reason: str, detail: str) -> None:
    found = end(a_session(status=status, flags=flags), None)
    assert (found.reason, found.next, found.silence_ms) == (reason, None, None)
    assert detail in found.detail


@pytest.fixture(scope="module")
def get(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """GETs of a history that has three sessions of a visitor, and learnt of them in turn."""
    folder = tmp_path_factory.mktemp("history")
    engine = new_history(folder)
    mine: dict[str, Any] = {"visitor_id": VISITOR}
    told = [
        a_session("one", start=NOON, **mine),
        a_session("two", start=NOON + 60 * MINUTE, **mine),
        a_session("one", start=NOON, end=NOON + 5 * MINUTE, revision=2, events=2, **mine),
        a_session("piece", start=NOON + 3 * MINUTE, status="merged", merged_into="one", **mine),
        a_session("one", start=NOON, end=NOON + 5 * MINUTE, revision=3, status="final", **mine),
        a_session("zero", start=NOON - 60 * MINUTE, status="final", **mine),
        a_session("elsewhere", start=NOON - MINUTE, site_id="blog", **mine),
        a_session("another's", start=NOON + MINUTE),
    ]
    for second, session in enumerate(told):
        writer = HistoryWriter(engine, clock=lambda at=NOON + 1000 * second: at)  # type: ignore[misc]
        writer.take([a_slice("sessions", [session])])
    late = [
        a_late_event("late", event_time=NOON + 4 * MINUTE, offset=1, **mine),
        a_late_event("another", event_time=NOON + 4 * MINUTE, offset=2),
        a_late_event("of another day", event_time=NOON - 900 * MINUTE, offset=3, **mine),
    ]
    HistoryWriter(engine, clock=lambda: NOON).take([a_slice("late-events", late)])
    with client_of(folder, clock=lambda: NOON + 90 * MINUTE) as client:
        yield lambda path: ok(client.get(f"/api/v1{path}"))


def ok(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_session_says_how_it_came_to_be(get: Callable[[str], Any]) -> None:
    why = get("/sessions/one")["why"]
    assert why["begins"]["reason"] == "silence"
    assert why["begins"]["previous"]["session_id"] == "zero"
    assert why["begins"]["silence_ms"] == 60 * MINUTE
    assert why["ends"]["next"] == {
        "session_id": "two",
        "start": NOON + 60 * MINUTE,
        "end": NOON + 60 * MINUTE,
    }
    assert why["ends"]["silence_ms"] == 55 * MINUTE
    assert [one["session_id"] for one in why["took_in"]] == ["piece"]
    assert [one["event_id"] for one in why["late"]] == ["late"]
    assert [(one["revision"], one["status"], one["recorded"]) for one in why["revisions"]] == [
        (3, "final", NOON + 4000),
        (2, "open", NOON + 2000),
        (1, "open", NOON),
    ]


def test_a_visitors_first_and_last_session(get: Callable[[str], Any]) -> None:
    assert get("/sessions/zero")["why"]["begins"]["reason"] == "first"
    assert get("/sessions/two")["why"]["ends"]["reason"] == "open"
    assert get("/sessions/elsewhere")["why"]["begins"]["previous"] is None


def test_a_visitor_has_all_their_sessions_of_a_site(get: Callable[[str], Any]) -> None:
    first = get("/visitors/v/1?site=shop&limit=2")
    second = get(f"/visitors/v%2F1?site=shop&limit=2&cursor={first['next_cursor']}")
    ids = [item["session_id"] for page in (first, second) for item in page["items"]]
    assert ids == ["two", "one", "zero"]
    assert second["next_cursor"] is None
    assert (first["sessions"], first["site_id"], first["visitor_id"]) == (3, "shop", VISITOR)
    assert (first["first_start"], first["last_end"]) == (NOON - 60 * MINUTE, NOON + 60 * MINUTE)


def test_a_visitors_sessions_as_they_were_known(get: Callable[[str], Any]) -> None:
    found = get(f"/visitors/{VISITOR}?site=shop&as_of={NOON + 1500}&fields=session_id,events")
    assert found["items"] == [
        {"session_id": "two", "events": 1},
        {"session_id": "one", "events": 1},
    ]
    assert found["as_of"] == NOON + 1500


def test_a_visitor_that_nobody_knows(tmp_path: Path) -> None:
    new_history(tmp_path)
    with client_of(tmp_path) as client:
        assert client.get("/api/v1/visitors/nobody?site=shop").status_code == 404
        answer = client.get("/api/v1/visitors/nobody")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["parameter"] == "site"
