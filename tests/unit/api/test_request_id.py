"""One id for a call: in the answer, in problem details, in the log."""

import logging
from pathlib import Path

import pytest

from tests.support.api import client_of


def test_the_callers_id_comes_back(tmp_path: Path) -> None:
    with client_of(tmp_path) as client:
        answer = client.get("/healthz", headers={"X-Request-Id": "call-7"})
    assert answer.headers["x-request-id"] == "call-7"


def test_an_id_that_could_harm_a_log_is_replaced(tmp_path: Path) -> None:
    with client_of(tmp_path) as client:
        answers = [client.get("/healthz", headers={"X-Request-Id": '"},{"'}) for _ in range(2)]
    first, second = (answer.headers.get_list("x-request-id") for answer in answers)
    assert len(first) == len(second) == 1
    assert len(first[0]) == 32
    assert first != second


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [
        ("/api/v1/sessions?limit=0", "localhost", 422),
        ("/api/v1/nothing", "localhost", 404),
        ("/api/v1/sessions", "localhost", 503),
        ("/api/v1/sessions", "rebound.example", 421),
    ],
)
def test_problem_details_have_the_id(tmp_path: Path, path: str, host: str, status: int) -> None:
    with client_of(tmp_path) as client:
        answer = client.get(path, headers={"X-Request-Id": "call-7", "Host": host})
    assert (answer.status_code, answer.json()["request_id"]) == (status, "call-7")
    assert answer.headers.get_list("x-request-id") == ["call-7"]


def test_what_nobody_caught_has_the_id_as_its_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("api.history.repository.session", fail)
    with client_of(tmp_path) as client:
        answer = client.get("/api/v1/sessions/x", headers={"X-Request-Id": "call-7"})
    assert (answer.status_code, answer.json()["request_id"]) == (500, "call-7")
    assert answer.headers["x-request-id"] == "call-7"
    assert "reference call-7" in caplog.text


def test_a_call_is_a_line_at_debug_without_its_query(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "api.request_id"), client_of(tmp_path) as client:
        client.get("/api/v1/nothing?visitor=canary")
    (line,) = (one.getMessage() for one in caplog.records if one.name == "api.request_id")
    assert line.startswith("GET /api/v1/nothing 404 after ")
    assert "canary" not in line
