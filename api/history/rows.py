"""From messages to rows: what each topic's message becomes in its table.

A row wins over another of the same key when its version, a tuple of columns, is higher. So any
order and any repetition of messages ends in the same rows.
"""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple, cast

import msgspec
from sqlalchemy import Table

from api.history import models
from api.history.redaction import redacted
from contracts import DeadLetter, EnrichedEvent, LateEvent, SessionUpdate

Row = dict[str, Any]


class Plan(NamedTuple):
    """How one topic's messages are kept: where, by which version, and as which row.

    ``key_of`` gives the row's primary key and ``version_of`` what decides between two rows of the
    same key, both as values that compare with their like. ``searchable`` columns hold text that
    is only looked for: PostgreSQL keeps no null character, so there it is replaced.
    """

    table: Table
    version: tuple[str, ...]
    row: Callable[[Any], Row]
    key_of: Callable[[Row], Any]
    version_of: Callable[[Row], Any]
    searchable: tuple[str, ...]


def row_of(role: str, message: object, text: str) -> Row:
    """The row for a message of the topic with that role; ``text`` is the message's JSON."""
    plan = PLANS[role]
    if isinstance(message, DeadLetter):
        text = msgspec.json.encode(redacted(message)).decode()
    row = plan.row(message)
    row["message"] = text
    # In JSON a null character can only stand escaped.
    if plan.searchable and "\\u0000" in text:
        row |= {name: _without_nulls(row[name]) for name in plan.searchable}
    return row


def newest(plan: Plan, rows: Iterable[Row]) -> list[Row]:
    """The rows that win among themselves, one a key, in key order.

    The order is the same for every writer, so that two of them cannot deadlock.
    """
    key_of, version_of = plan.key_of, plan.version_of
    best: dict[Any, Row] = {}
    for row in rows:
        key = key_of(row)
        rival = best.setdefault(key, row)
        if rival is not row and version_of(row) > version_of(rival):
            best[key] = row
    return [best[key] for key in sorted(best)]


def _without_nulls(text: str | None) -> str | None:
    return text.replace("\0", "\ufffd") if text else text


Read = Callable[[Any], Row]


def _reader(*names: str) -> Read:
    """The fields of those names as a row, read in one go: a batch has thousands of messages."""
    values = attrgetter(*names)
    return lambda message: dict(zip(names, values(message), strict=True))


def _columns(model: type[models.Base], *besides: str) -> tuple[str, ...]:
    """The columns that are fields of the message under the same name."""
    return tuple(c.name for c in model.__table__.columns if c.name not in (*besides, "message"))


_AGENT = ("is_bot", "browser", "device", "os")
_PLACE = ("country", "region", "city")
_UTM = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
_SOURCE = ("channel", "referrer_domain")
_NOT_A_SESSIONS = (*_AGENT, *_PLACE, *_UTM, *_SOURCE, "recorded")

_session_fields = _reader(*_columns(models.SessionRow, *_NOT_A_SESSIONS))
_event_fields = _reader(*_columns(models.EventRow, "is_bot"))
_late_fields = _reader(*_columns(models.LateEventRow))
_agent = _reader(*_AGENT)
_source = _reader("channel", *_UTM)
_place = _reader(*_PLACE)
_NOWHERE: Row = dict.fromkeys(_PLACE)


def _session(update: SessionUpdate) -> Row:
    row = _session_fields(update)
    row |= _agent(update.agent)
    row |= _source(update.attribution)
    row |= _place(update.geo) if update.geo else _NOWHERE
    row["referrer_domain"] = update.attribution.domain
    row["recorded"] = 0  # until the transaction that stores it says when
    return row


def _event(event: EnrichedEvent) -> Row:
    row = _event_fields(event)
    row["is_bot"] = event.agent.is_bot
    row["name"] = event.name or None
    return row


def _late_event(late: LateEvent) -> Row:
    return _late_fields(late.event)


def _plan(
    model: type[models.Base],
    version: tuple[str, ...],
    row: Read | None = None,
    searchable: tuple[str, ...] = (),
) -> Plan:
    table = cast("Table", model.__table__)
    keys = [column.name for column in table.primary_key]
    row = row or _reader(*_columns(model))
    return Plan(table, version, row, itemgetter(*keys), itemgetter(*version), searchable)


PLANS: Mapping[str, Plan] = {
    "sessions": _plan(
        models.SessionRow,
        ("epoch", "revision"),
        _session,
        ("exit_page", "referrer_domain", *_UTM, *_PLACE),
    ),
    "events": _plan(models.EventRow, ("processed_time", "offset"), _event, ("path", "name")),
    "dead-letters": _plan(models.DeadLetterRow, ("processed_time",)),
    # Its id is only looked for among the events; the late event must be listed all the same.
    "late-events": _plan(models.LateEventRow, ("processed_time",), _late_event, ("event_id",)),
    "bucket-stats": _plan(models.BucketStatsRow, ("epoch", "processed_time")),
    # Interceptors of before have no revision.
    "interceptor-stats": _plan(models.InterceptorStatsRow, ("started", "revision", "observed")),
    "job-status": _plan(models.JobStatusRow, ("processed_time",)),
}
