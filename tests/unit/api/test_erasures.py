"""Erasing a visitor from the history: asked for, watched, done; and nobody comes back."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from api.erasures import store
from api.erasures.known import Known
from api.erasures.worker import Eraser
from contracts import Erasure
from tests.support.api import client_of
from tests.support.erasing import ADA, ADA_LATER, ADA_TODAY, BOB, UNTIL, Stage
from tests.support.history import new_history
from tests.support.messages import an_event


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(new_history(tmp_path))


@pytest.fixture
def client(stage: Stage, tmp_path: Path) -> Iterator[httpx.Client]:
    with client_of(tmp_path, clock=lambda: UNTIL) as client:
        yield client


def erase(client: httpx.Client, visitor: str = ADA) -> httpx.Response:
    return client.delete(f"/api/v1/visitors/{visitor}", params={"site": "shop"})


def asked(stage: Stage, client: httpx.Client) -> Erasure:
    assert erase(client).status_code == 202
    stage.eraser.carry_on()
    (erasure,) = stage.told
    stage.hear(erasure)
    return erasure


def test_a_request_is_accepted_once_and_says_where_to_watch(
    stage: Stage, client: httpx.Client
) -> None:
    first, again = erase(client), erase(client, ADA_TODAY)
    assert first.status_code == again.status_code == 202
    assert first.headers["Location"] == again.headers["Location"]
    state = client.get(first.headers["Location"]).json()
    assert (state["phase"], state["progress"], state["ids"]) == ("requested", 0.0, 3)
    assert [one["erasure_id"] for one in client.get("/api/v1/erasures").json()["items"]] == [
        state["erasure_id"]
    ]
    (entry,) = client.get("/api/v1/audit").json()["items"]
    assert entry["action"] == "visitor_erased"
    assert ADA not in str(entry)


def test_nothing_is_deleted_before_state_and_topics_are_clean(
    stage: Stage, client: httpx.Client
) -> None:
    erasure = asked(stage, client)
    stage.hear(erasure, phase="cleaning")
    stage.eraser.carry_on()
    assert stage.names() == {ADA, ADA_LATER, ADA_TODAY, BOB}
    assert len(stage.told) == 1, "what the topic knows is not told again"


def test_the_history_is_rid_of_all_ids_and_keeps_everybody_else(
    stage: Stage, client: httpx.Client
) -> None:
    erasure = asked(stage, client)
    stage.hear(erasure, phase="cleaned", until=UNTIL)
    stage.eraser.carry_on()
    assert stage.names() == {BOB}
    assert stage.rows() == 5
    assert stage.forgotten == {"s1", "s2"}
    assert stage.told[-1].phase == "done"
    state = client.get(f"/api/v1/erasures/{erasure.erasure_id}").json()
    assert (state["phase"], state["progress"], state["finished"]) == ("done", 1.0, UNTIL + 1)
    assert state["deleted"] == {
        "sessions": 2, "session_names": 2, "session_revisions": 1, "events": 2, "late_events": 2,
        "dead_letters": 1,
    }  # fmt: skip


def test_the_database_files_hold_no_id_afterwards(
    stage: Stage, client: httpx.Client, tmp_path: Path
) -> None:
    stage.hear(asked(stage, client), phase="cleaned", until=UNTIL)
    stage.eraser.carry_on()
    stage.engine.dispose()
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    for name in (ADA, ADA_LATER, ADA_TODAY):
        assert [file.name for file in files if name.encode() in file.read_bytes()] == []
    assert any(BOB.encode() in file.read_bytes() for file in files)


def test_what_is_left_elsewhere_keeps_it_from_being_done(
    stage: Stage, client: httpx.Client
) -> None:
    erasure = asked(stage, client)
    stage.hear(erasure, phase="cleaned", until=UNTIL, found={"requests": 2})
    stage.eraser.carry_on()
    state = client.get(f"/api/v1/erasures/{erasure.erasure_id}").json()
    assert state["phase"] == "cleaned"
    assert "2 in requests" in state["detail"]
    stage.hear(erasure, phase="cleaned", until=UNTIL, found={})
    stage.eraser.carry_on()
    assert stage.told[-1].phase == "done"


def test_nobody_comes_back_but_a_new_visit_is_taken(stage: Stage, client: httpx.Client) -> None:
    stage.hear(asked(stage, client), phase="cleaned", until=UNTIL)
    stage.eraser.carry_on()
    stage.fill()
    assert stage.names() == {BOB}
    new = an_event("new", visitor_id=ADA, event_time=UNTIL + 1, broker_time=UNTIL + 1)
    stage.write("events", new)
    assert stage.names() == {ADA, BOB}


def test_another_history_does_what_this_one_was_asked_for(
    stage: Stage, client: httpx.Client, tmp_path: Path
) -> None:
    erasure = asked(stage, client)
    (tmp_path / "other").mkdir()
    other = Stage(new_history(tmp_path / "other"))
    other.hear(erasure, phase="done", until=UNTIL)
    other.eraser.carry_on()
    assert other.names() == {BOB}
    assert other.told == []


def test_an_interrupted_erasure_goes_on(stage: Stage, client: httpx.Client) -> None:
    erasure = asked(stage, client)
    stage.hear(erasure, phase="cleaned", until=UNTIL)
    restarted = Eraser(stage.engine, Known(), stage.told.append, lambda gone: None, lambda: UNTIL)
    restarted.carry_on()
    assert stage.names() == {BOB}
    with stage.engine.connect() as connection:
        assert store.unfinished(connection) == []


@pytest.mark.parametrize("query", [{}, {"site": "no/site"}, {"site": "shop", "other": "x"}])
def test_a_wrong_parameter_is_a_422(client: httpx.Client, query: dict[str, str]) -> None:
    assert client.delete("/api/v1/visitors/ada", params=query).status_code == 422


def test_an_unknown_erasure_is_a_404(client: httpx.Client) -> None:
    missing = "01970000-0000-7000-8000-000000000001"
    assert client.get(f"/api/v1/erasures/{missing}").status_code == 404
