"""From messages to rows: what each topic's message becomes in its table.

A row wins over another of the same key when its version, a tuple of columns, is higher. So any
order and any repetition of messages ends in the same rows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast, overload

import msgspec
from sqlalchemy import Table

from api.history import models
from api.history.redaction import redacted
from contracts import (
    BucketStats,
    DeadLetter,
    EnrichedEvent,
    InterceptorStats,
    JobStatus,
    LateEvent,
    SessionUpdate,
)

Row = dict[str, Any]


class Plan(NamedTuple):
    """How one topic's messages are kept: where, by which version, and as which row."""

    table: Table
    version: tuple[str, ...]
    row: Callable[[Any], Row]

    def key_of(self, row: Row) -> tuple[Any, ...]:
        """The row's primary key."""
        return tuple(row[column.name] for column in self.table.primary_key)

    def version_of(self, row: Row) -> tuple[Any, ...]:
        """What decides between two rows of the same key."""
        return tuple(row[name] for name in self.version)


def row_of(role: str, message: object, text: str) -> Row:
    """The row for a message of the topic with that role; ``text`` is the message's JSON."""
    if isinstance(message, DeadLetter):
        text = msgspec.json.encode(redacted(message)).decode()
    return PLANS[role].row(message) | {"message": text}


def newest(plan: Plan, rows: Iterable[Row]) -> list[Row]:
    """The rows that win among themselves, one a key, in key order.

    The order is the same for every writer, so that two of them cannot deadlock.
    """
    best: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        key = plan.key_of(row)
        rival = best.get(key)
        if rival is None or plan.version_of(row) > plan.version_of(rival):
            best[key] = row
    return [best[key] for key in sorted(best)]


def _same(message: object, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    return ((name, getattr(message, name)) for name in names)


def _columns(model: type[models.Base], *besides: str) -> tuple[str, ...]:
    """The columns that are fields of the message under the same name."""
    return tuple(c.name for c in model.__table__.columns if c.name not in (*besides, "message"))


_AGENT = ("is_bot", "browser", "device", "os")
_PLACE = ("country", "region", "city")
_UTM = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
_SESSION = _columns(
    models.SessionRow,
    *_AGENT,
    *_PLACE,
    *_UTM,
    "channel",
    "referrer_domain",
    "exit_page",
    "recorded",
)
_EVENT = _columns(models.EventRow, "is_bot", "path", "name")
_DEAD_LETTER = _columns(models.DeadLetterRow)
_LATE_EVENT = _columns(models.LateEventRow)
_BUCKET_STATS = _columns(models.BucketStatsRow)
_INTERCEPTOR_STATS = _columns(models.InterceptorStatsRow)
_JOB_STATUS = _columns(models.JobStatusRow)


def _session(update: SessionUpdate) -> Row:
    row = dict(_same(update, _SESSION))
    row |= _same(update.agent, _AGENT)
    row["channel"] = update.attribution.channel
    row["recorded"] = 0  # until the transaction that stores it says when
    row["exit_page"] = _searchable(update.exit_page)
    row["referrer_domain"] = _searchable(update.attribution.domain)
    row |= ((name, _searchable(getattr(update.attribution, name))) for name in _UTM)
    row |= ((name, _searchable(getattr(update.geo, name, None))) for name in _PLACE)
    return row


def _event(event: EnrichedEvent) -> Row:
    row = dict(_same(event, _EVENT))
    row["path"] = _searchable(event.path)
    row["is_bot"] = event.agent.is_bot
    row["name"] = _searchable(event.name) if event.name else None
    return row


@overload
def _searchable(text: str) -> str: ...
@overload
def _searchable(text: str | None) -> str | None: ...
def _searchable(text: str | None) -> str | None:
    """The text for a column that is only searched: PostgreSQL keeps no null character."""
    return text.replace("\0", "\ufffd") if text and "\0" in text else text


def _dead_letter(letter: DeadLetter) -> Row:
    return dict(_same(letter, _DEAD_LETTER))


def _late_event(late: LateEvent) -> Row:
    row = dict(_same(late.event, _LATE_EVENT))
    # Only to be looked for among the events; the late event must be listed all the same.
    row["event_id"] = _searchable(late.event.event_id)
    return row


def _bucket_stats(stats: BucketStats) -> Row:
    return dict(_same(stats, _BUCKET_STATS))


def _interceptor_stats(stats: InterceptorStats) -> Row:
    return dict(_same(stats, _INTERCEPTOR_STATS))


def _job_status(status: JobStatus) -> Row:
    return dict(_same(status, _JOB_STATUS))


def _plan(model: type[models.Base], version: tuple[str, ...], row: Callable[[Any], Row]) -> Plan:
    return Plan(cast("Table", model.__table__), version, row)


PLANS: Mapping[str, Plan] = {
    "sessions": _plan(models.SessionRow, ("epoch", "revision"), _session),
    "events": _plan(models.EventRow, ("processed_time", "offset"), _event),
    "dead-letters": _plan(models.DeadLetterRow, ("processed_time",), _dead_letter),
    "late-events": _plan(models.LateEventRow, ("processed_time",), _late_event),
    "bucket-stats": _plan(models.BucketStatsRow, ("epoch", "processed_time"), _bucket_stats),
    "interceptor-stats": _plan(
        # Interceptors of before have no revision.
        models.InterceptorStatsRow,
        ("started", "revision", "observed"),
        _interceptor_stats,
    ),
    "job-status": _plan(models.JobStatusRow, ("processed_time",), _job_status),
}
