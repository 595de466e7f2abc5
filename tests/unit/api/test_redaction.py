"""What the history keeps of an unreadable record: everything but whole addresses."""

import base64
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import select

from api.history.models import DeadLetterRow
from api.history.redaction import redacted, without_addresses
from api.history.writer import HistoryWriter
from contracts import DeadLetter
from tests.support.history import a_slice, new_history
from tests.support.messages import a_dead_letter

KEPT = [
    b"",
    b"\xff\x00 not text",
    b'{"event_time":"2026-03-01T12:00:00Z","path":"/a/b"}',
    b"Chrome/120.0.6099.71 at 12:00:00",
    b"999.1.2.3",
    b"127.0.0.0, 2a02:8109:9440::",
]


@pytest.mark.parametrize("raw", KEPT)
def test_what_is_no_whole_address_is_kept(raw: bytes) -> None:
    assert without_addresses(raw) == raw


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        (b'{"client_ip":"81.2.69.142"', b'{"client_ip":"81.2.69.0"'),
        (b'81.2.69.142 - - "GET / HTTP/1.1" 200', b'81.2.69.0 - - "GET / HTTP/1.1" 200'),
        (b"81.2.69.142:8080, 10.0.0.7", b"81.2.69.0:8080, 10.0.0.0"),
        (b'"2A02:8109:9440:1:2:3:4:5"', b'"2a02:8109:9440::"'),
        (b"[2a02:8109:9440:1::7]:443", b"[2a02:8109:9440::]:443"),
        (b"::ffff:81.2.69.142", b"::ffff:81.2.69.0"),
    ],
)
def test_addresses_are_cut_as_events_have_them(raw: bytes, kept: bytes) -> None:
    assert without_addresses(raw) == kept


def test_a_stored_dead_letter_holds_no_address(tmp_path: Path) -> None:
    raw = base64.b64encode(b'{"client_ip":"81.2.69.142"').decode()
    letter = msgspec.structs.replace(a_dead_letter(), raw=raw, raw_size=26)
    engine = new_history(tmp_path)
    HistoryWriter(engine).take([a_slice("dead-letters", [letter])])
    with engine.connect() as connection:
        text = connection.execute(select(DeadLetterRow.message)).scalar_one()
    stored = msgspec.json.decode(text, type=DeadLetter)
    assert base64.b64decode(stored.raw) == b'{"client_ip":"81.2.69.0"'
    assert stored.raw_size == 26


def test_a_dead_letter_that_is_no_base64_is_kept_without_its_bytes() -> None:
    letter = msgspec.structs.replace(a_dead_letter(), raw="abcde")
    assert redacted(letter).raw == ""
