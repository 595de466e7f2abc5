"""The documentation: complete, in step with the contracts, and without a foreign origin."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from contracts import SessionUpdate
from tests.support.api import client_of

HISTORY = (
    "/api/v1/sessions",
    "/api/v1/sessions/{session_id}",
    "/api/v1/stats",
    *(
        f"/api/v1/stats/{name}"
        for name in ("timeseries", "top", "breakdown", "funnel", "retention", "paths")
    ),
)


@pytest.fixture
def document(tmp_path: Path) -> dict[str, Any]:
    with client_of(tmp_path) as client:
        found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def test_every_reference_resolves(document: dict[str, Any]) -> None:
    text = json.dumps(document)
    names = {part.partition('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert names <= set(document["components"]["schemas"])


def test_sessions_are_described_by_the_contract(document: dict[str, Any]) -> None:
    described = document["components"]["schemas"]["SessionUpdate"]
    assert set(described["properties"]) == {
        field.encode_name for field in msgspec.structs.fields(SessionUpdate)
    }


def test_with_fields_only_some_of_a_session_are_there(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    whole, some = schemas["SessionPage"]["properties"]["items"]["items"]["anyOf"]
    assert whole == {"$ref": "#/components/schemas/SessionUpdate"}
    described = {**some, "components": document["components"]}
    jsonschema.validate({"session_id": "s1", "agent": {"browser": "Firefox"}}, described)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"session_id": 1}, described)


def test_every_address_says_its_errors(document: dict[str, Any]) -> None:
    for path in (*HISTORY, "/api/v1/ledger"):
        errors = document["paths"][path]["get"]["responses"]["422"]["content"]
        assert list(errors) == ["application/problem+json"]


def test_every_address_of_the_api_says_what_the_gate_may_answer(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        for operation in methods.values():
            has_gate = {"401", "403", "429"} <= set(operation["responses"])
            assert has_gate is path.startswith("/api/"), path


def test_answers_match_their_schema(tmp_path: Path, document: dict[str, Any]) -> None:
    with client_of(tmp_path) as client:
        answer = client.get("/readyz").json()
    schema = {"$ref": "#/components/schemas/Readiness", "components": document["components"]}
    jsonschema.validate(answer, schema)


def test_the_page_shows_every_address_without_script_or_foreign_origin(tmp_path: Path) -> None:
    with client_of(tmp_path) as client:
        page = client.get("/docs").text
        style = client.get("/docs/style.css")
    for path in (*HISTORY, "/api/v1/ledger", "/readyz"):
        assert f"GET {path}<" in page
    assert "<script" not in page
    assert "http:" not in page
    assert "https:" not in page
    assert style.headers["content-type"].startswith("text/css")


def test_the_page_reads_as_people_write(tmp_path: Path) -> None:
    with client_of(tmp_path) as client:
        page = client.get("/docs").text
    parameters = page.partition("<table>")[2].partition("</table>")[0]
    assert "or null" not in parameters
    assert "<code>open</code> or <code>closed,final</code>" in parameters
    assert "integer, 1 to 1000" in parameters
    assert "`" not in page
