"""Whom a record names: the visitors that its key and its value tell of. Pure.

What the job cannot read may still hold an id, so of such records every word counts as one.
"""

import binascii
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

REQUEST_ROLES = frozenset({"requests", "replay"})
NAMING_ROLES = REQUEST_ROLES | {"events", "sessions", "late-events", "dead-letters"}
"""The topics whose records may name a visitor."""

_WORD = re.compile(r'"((?:[^"\\]|\\.){1,512})"|([^\s"\'/\\,;?&=<>()\[\]{}]{1,512})')


class Named(NamedTuple):
    """Ids of one visitor of a site. ``site_id`` is None when that cannot be told.

    ``time`` is when it happened, in ms since 1970 UTC, where the record says so in that form.
    """

    site_id: str | None
    visitor_ids: tuple[str, ...]
    time: int | None = None


class _Owner(msgspec.Struct):
    site_id: str
    visitor_id: str
    previous_visitor_id: str | None = None
    other_visitor_ids: list[str] = []
    event_time: Any = None
    start: Any = None


class _Late(msgspec.Struct):
    event: _Owner


class _Dead(msgspec.Struct):
    raw: str


_owner = msgspec.json.Decoder(_Owner)
_late = msgspec.json.Decoder(_Late)
_dead = msgspec.json.Decoder(_Dead)


def named_in(role: str, key: bytes | None, value: bytes | None) -> Iterator[Named]:
    """Whom a record of the topic with that role names; of each, ids that mean one visitor."""
    if key is not None and role in REQUEST_ROLES:
        yield from _in_key(key)
    if value is not None:
        yield from _in_value(role, value)


def words(text: str) -> Iterator[str]:
    """Everything in a text that may be an id: what stands in quotes, and every word."""
    for found in _WORD.finditer(text):
        quoted, word = found.groups()
        yield quoted or word
        if quoted:
            yield from (inner[0] for inner in _WORD.finditer(quoted) if inner[0] != quoted)


def words_in_message(text: str) -> Iterator[str]:
    """The same for a dead letter's JSON, and for the record that it keeps."""
    yield from words(text)
    try:
        yield from words_in_raw(_dead.decode(text).raw)
    except msgspec.MsgspecError:
        return


def words_in_raw(raw: str) -> Iterator[str]:
    """The same for the record that a dead letter keeps in base64."""
    return words(_plain(raw))


def _in_key(key: bytes) -> Iterator[Named]:
    site, slash, visitor = key.decode(errors="replace").partition("/")
    if slash:
        yield Named(site, (visitor,))


def _in_value(role: str, value: bytes) -> Iterator[Named]:
    try:
        if role == "dead-letters":
            yield from _in_text(_plain(_dead.decode(value).raw))
        else:
            yield _named(_late.decode(value).event if role == "late-events" else _read(value))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        yield from _in_text(value.decode(errors="replace"))


def _read(value: bytes) -> _Owner:
    return _owner.decode(value)


def _named(owner: _Owner) -> Named:
    names: list[Any] = [owner.visitor_id, owner.previous_visitor_id, *owner.other_visitor_ids]
    times = (time for time in (owner.event_time, owner.start) if isinstance(time, int))
    return Named(owner.site_id, tuple(name for name in names if name), next(times, None))


def _plain(raw: str) -> str:
    try:
        return binascii.a2b_base64(raw).decode(errors="replace")
    except binascii.Error:
        return raw


def _in_text(text: str) -> Iterator[Named]:
    return (Named(None, (word,)) for word in words(text))
