"""Rows for a bulk load, a text line each: what the writer would make of a message. Pure.

Sessions repeat after ``VARIANTS`` numbers but for their ids and times. So each variant is made
once, by the product's own code, as a template that ids and times are put into: a row in
microseconds. A line has tabs between its cells and ``\\N`` for null, as PostgreSQL's COPY takes it.
"""

import re
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from api.history.rows import PLANS, row_of
from benchmarks.history import records
from contracts.sessions import SessionStatus

VARIANTS = 2_800
"""After so many numbers, countries, browsers, pages and so on are the same again."""

_START = 7_777_700_000_000
"""Stands for a session's start; nothing else in a message looks like it."""

_VALUE = re.compile(r"77777\d{8}|SESSION|VISITOR|EVENT")
NULL = r"\N"


class Size(NamedTuple):
    """How many sessions of how many visitors, and each session's events times ``factor``.

    Sessions before the ``first`` have no events in the history, as if these had been deleted.
    """

    sessions: int
    visitors: int
    factor: int
    first: int


def size_of(sessions: int, events: int) -> Size:
    """Sizes for about so many events. A visitor comes twice at the mean, at any two times.

    Those are two events a session at least, as a session has; fewer are those of the newest.
    """
    factor = max(1, round(events / (2 * sessions)))
    first = sessions - min(sessions, events // (2 * factor))
    return Size(sessions, max(1, sessions // 2), factor, first)


class Template(NamedTuple):
    """A line with a place for each value; ``values`` are names of ids, or ms after the start."""

    text: str
    values: tuple[str | int, ...]

    def line(self, ids: dict[str, str], start: int) -> str:
        """The line of a session, or of one of its events."""
        return self.text % tuple(
            ids[value] if isinstance(value, str) else start + value for value in self.values
        )


class Names(NamedTuple):
    """A session's ids: of itself and of its visitor."""

    session: str
    visitor: str


def names(number: int, size: Size) -> Names:
    """The ids of the ``number``-th session."""
    session = records.session_id(number)
    return Names(session, records.visitor_id(2 * (int(session[:12], 16) % size.visitors)))


def columns(role: str) -> list[str]:
    """The cells of that role's lines, in order."""
    return [column.name for column in PLANS[role].table.columns]


def session_line(number: int, start: int, size: Size, *, is_open: bool) -> str:
    """The ``number``-th session in its latest state."""
    template = _session(number % VARIANTS, size.factor, "open" if is_open else "final")
    session, visitor = names(number, size)
    return template.line({"SESSION": session, "VISITOR": visitor}, start)


def event_lines(number: int, start: int, size: Size) -> Iterator[str]:
    """The events of the ``number``-th session."""
    visitor = names(number, size).visitor
    for step, template in enumerate(_events(number % VARIANTS, size.factor)):
        event = blake2b(b"event %d %d" % (number, step), digest_size=16).hexdigest()
        yield template.line({"VISITOR": visitor, "EVENT": event}, start)


@cache
def _session(variant: int, factor: int, status: SessionStatus) -> Template:
    made = records.session(variant, _START, status, len(records.LIFE), factor)
    return _template("sessions", msgspec.structs.replace(made, **_SESSION_IDS))


@cache
def _events(variant: int, factor: int) -> list[Template]:
    made = records.events(variant, _START, factor)
    return [_template("events", msgspec.structs.replace(one, **_EVENT_IDS)) for one in made]


_SESSION_IDS = {"session_id": "SESSION", "visitor_id": "VISITOR"}
_EVENT_IDS = {"event_id": "EVENT", "visitor_id": "VISITOR"}


def _template(role: str, message: msgspec.Struct) -> Template:
    row = row_of(role, message, msgspec.json.encode(message).decode())
    text = "\t".join(_cell(row[name]) for name in columns(role)).replace("%", "%%")
    values = tuple(_value(found) for found in _VALUE.findall(text))
    return Template(_VALUE.sub("%s", text), values)


def _value(found: str) -> str | int:
    return int(found) - _START if found.isdigit() else found


def _cell(value: Any) -> str:
    if value is None:
        return NULL
    if isinstance(value, bool):
        return str(int(value))
    return str(value).replace("\\", "\\\\")
