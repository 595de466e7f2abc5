"""What is read out of a body, and what each wrong item is told."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.ingest.parsing import BodyError, MediaTypeError, Sites, parse
from tests.support.requests import NOON, a_request

ANY = Sites((), None)
JSON, LINES = "application/json", "application/x-ndjson"


def lines(*items: Any) -> bytes:
    return b"\n".join(json.dumps(item).encode() for item in items)


@pytest.mark.parametrize(
    ("body", "media_type", "ids"),
    [
        (json.dumps(a_request("a")).encode(), JSON, ["a"]),
        (json.dumps([a_request("a"), a_request("b")]).encode(), JSON, ["a", "b"]),
        (lines(a_request("a"), a_request("b")) + b"\n\r\n", LINES, ["a", "b"]),
        (lines(a_request("a")), "application/json; charset=UTF-8", ["a"]),
        (lines(a_request("a"), a_request("b")), "application/jsonl", ["a", "b"]),
    ],
)
def test_one_event_an_array_or_one_a_line(body: bytes, media_type: str, ids: list[str]) -> None:
    found = parse(body, media_type, ANY)
    assert ([event.event_id for event in found.events], found.errors) == (ids, [])


@pytest.mark.parametrize(
    ("wrong", "field", "words"),
    [
        ({"colour": "red"}, "colour", "unknown field `colour`"),
        ({"status": "200"}, "status", "Expected `int`, got `str`"),
        ({"status": 99}, "status", "Expected `int` >= 100"),
        ({"site_id": "a/b"}, "site_id", "matching regex"),
        ({"query": {"q": 1}}, "query[...]", "Expected `str`, got `int`"),
        ({"event_time": "soon"}, "event_time", "neither RFC 3339"),
        ({"event_time": 12}, "event_time", "2000"),
        ({"schema_version": 2}, "schema_version", "write 1"),
        ({"path": "/a?token=1"}, "path", "put query parameters into query"),
        ({"headers": {"Cookie": "a=b"}}, "headers.Cookie", "carries secrets"),
        ({"query": {"access_token": "x"}}, "query.access_token", "carries secrets"),
        ({"previous_visitor_id": "~3f7.a"}, "previous_visitor_id", "routing key"),
    ],
)
def test_a_wrong_item_is_told_its_field(wrong: dict[str, Any], field: str, words: str) -> None:
    found = parse(lines(a_request("a"), a_request("b", **wrong)), LINES, ANY)
    assert [event.event_id for event in found.events] == ["a"]
    (error,) = found.errors
    assert (error.index, error.event_id, error.field) == (1, "b", field)
    assert words in error.error


def test_a_missing_field_is_named() -> None:
    without = {name: value for name, value in a_request().items() if name != "visitor_id"}
    (error,) = parse(lines(without), JSON, ANY).errors
    assert error.field == "visitor_id"


@pytest.mark.parametrize("line", [b"no JSON", b"\xff", b"[1]", b"{" * 2000, b"null", b'"text"'])
def test_a_line_that_is_no_object_spoils_no_other(line: bytes) -> None:
    found = parse(line + b"\n" + lines(a_request("a")), LINES, ANY)
    assert [event.event_id for event in found.events] == ["a"]
    assert [(error.index, error.event_id) for error in found.errors] == [(0, None)]


@pytest.mark.parametrize("time", [NOON, NOON // 1000, "2026-03-01T12:00:00Z", NOON * 1000])
def test_times_become_milliseconds(time: int | str) -> None:
    (event,) = parse(lines(a_request(event_time=time)), JSON, ANY).events
    assert event.event_time == NOON


def test_only_the_apis_sites_and_the_keys_own_are_taken() -> None:
    body = lines(a_request("a"), a_request("b", site_id="blog"), a_request("c", site_id="x"))
    found = parse(body, LINES, Sites({"shop", "blog"}, "shop"))
    assert [event.event_id for event in found.events] == ["a"]
    assert [(error.event_id, error.field) for error in found.errors] == [
        ("b", "site_id"),
        ("c", "site_id"),
    ]


@pytest.mark.parametrize("body", [b"", b" \n ", b"[]", b"[{", b"[" * 2000, b"[\xff]"])
def test_a_body_without_an_event_is_refused_whole(body: bytes) -> None:
    with pytest.raises(BodyError):
        parse(body, JSON, ANY)


@given(st.binary(max_size=300), st.sampled_from([JSON, LINES]))
def test_any_bytes_are_events_errors_or_refused(body: bytes, media_type: str) -> None:
    try:
        found = parse(body, media_type, ANY)
    except BodyError:
        return
    assert found.events or found.errors


@given(st.dictionaries(st.sampled_from(sorted(a_request())), st.none() | st.integers() | st.text()))
def test_any_values_in_the_fields_are_judged(fields: dict[str, Any]) -> None:
    found = parse(lines(a_request(**fields)), JSON, ANY)
    assert len(found.events) + len(found.errors) == 1


@pytest.mark.parametrize(
    "media_type", ["", "text/plain", "text/plain;application/json", "application/json; charset=x"]
)
def test_other_types_are_not_taken(media_type: str) -> None:
    with pytest.raises(MediaTypeError):
        parse(lines(a_request()), media_type, ANY)
