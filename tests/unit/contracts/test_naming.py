"""Whom a record names."""

import base64
import json

import pytest

from contracts.naming import named_in, words, words_in_message


def names(role: str, value: object, key: bytes | None = None) -> set[tuple[str | None, str]]:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return {(one.site_id, name) for one in named_in(role, key, raw) for name in one.visitor_ids}


def test_an_event_names_its_visitor_under_both_ids() -> None:
    event = {"site_id": "shop", "visitor_id": "~3f7.b", "previous_visitor_id": "~3f7.a"}
    assert names("requests", event) == {("shop", "~3f7.b"), ("shop", "~3f7.a")}


def test_a_session_names_all_ids_and_a_late_event_that_of_its_event() -> None:
    session = {"site_id": "shop", "visitor_id": "a", "other_visitor_ids": ["b"]}
    assert names("sessions", session) == {("shop", "a"), ("shop", "b")}
    assert names("late-events", {"event": session}) == {("shop", "a"), ("shop", "b")}


def test_a_key_alone_names_somebody_on_a_request_topic_only() -> None:
    tombstone = [one.visitor_ids for one in named_in("requests", b"shop/ada", None)]
    assert tombstone == [("ada",)]
    assert not list(named_in("sessions", b"a/b", None))


@pytest.mark.parametrize(
    "broken",
    [
        b'{"site_id":"shop","visitor_id":"ada"',
        b'{"visitor_id":"ada","path":7}',
        b"visitor_id=ada&path=/",
        b'\xff"ada"\xff',
    ],
)
def test_of_what_cannot_be_read_every_word_may_be_an_id(broken: bytes) -> None:
    assert (None, "ada") in names("requests", broken)
    letter = {"reason": "not_json", "raw": base64.b64encode(broken).decode()}
    assert (None, "ada") in names("dead-letters", letter)
    assert "ada" in set(words_in_message(json.dumps(letter)))


def test_a_quoted_text_is_one_word_and_several() -> None:
    assert {"a b", "a", "b"} <= set(words('{"x":"a b"}'))
