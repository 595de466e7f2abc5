"""The history's tables.

Columns are what queries filter, sort and group by; the message itself is kept whole as JSON, so
the contract's fields are not written a second time. Times are ms since 1970 UTC.
"""

from sqlalchemy import BigInteger, Boolean, Index, LargeBinary, Text, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """The tables' registry."""

    type_annotation_map = {int: BigInteger, str: Text, bool: Boolean, bytes: LargeBinary}


class SessionColumns:
    """A session's state, and ``recorded``: when the history learnt of it, by its own clock."""

    session_id: Mapped[str] = mapped_column(primary_key=True)
    epoch: Mapped[int]
    revision: Mapped[int]
    status: Mapped[str]
    merged_into: Mapped[str | None]
    site_id: Mapped[str]
    visitor_id: Mapped[str]
    start: Mapped[int]
    end: Mapped[int]
    expires: Mapped[int]
    duration_ms: Mapped[int]
    events: Mapped[int]
    pages: Mapped[int]
    api_calls: Mapped[int]
    custom_events: Mapped[int]
    engaged_ms: Mapped[int]
    country: Mapped[str | None]
    is_bot: Mapped[bool]
    channel: Mapped[str]
    browser: Mapped[str]
    device: Mapped[str]
    entry_page: Mapped[str]
    exit_page: Mapped[str]
    region: Mapped[str | None]
    city: Mapped[str | None]
    os: Mapped[str]
    referrer_domain: Mapped[str | None]
    utm_source: Mapped[str | None]
    utm_medium: Mapped[str | None]
    utm_campaign: Mapped[str | None]
    utm_term: Mapped[str | None]
    utm_content: Mapped[str | None]
    recorded: Mapped[int]
    message: Mapped[str]


_NAMED = text("name IS NOT NULL")


class SessionRow(SessionColumns, Base):
    """The latest state of a session. A merged one stays, to redirect and to outrank old news."""

    __tablename__ = "sessions"
    __table_args__ = (
        Index("sessions_newest", "start", "session_id"),
        Index("sessions_by_end", "end", "session_id"),
        Index("sessions_by_duration", "duration_ms", "session_id"),
        Index("sessions_by_events", "events", "session_id"),
        Index("sessions_by_status", "status", "start", "session_id"),
        Index("sessions_by_country", "country", "start", "session_id"),
        Index("sessions_of_visitor", "site_id", "visitor_id", "start", "session_id"),
        # What statistics count, without the wide rows; a final session is written once. No text
        # that a visitor chooses: PostgreSQL refuses a row whose columns are too long for an index.
        Index(
            "sessions_final",
            *("status", "start", "site_id", "visitor_id", "is_bot"),
            *("events", "pages", "api_calls", "custom_events", "duration_ms"),
            *("country", "channel", "device"),
            postgresql_where=text("status = 'final'"),
            sqlite_where=text("status = 'final'"),
        ),
    )


class RevisionRow(SessionColumns, Base):
    """A state that a session had from ``recorded`` until ``superseded``, which is past."""

    __tablename__ = "session_revisions"
    __table_args__ = (Index("revisions_by_age", "superseded"),)

    session_id: Mapped[str] = mapped_column(primary_key=True)
    epoch: Mapped[int] = mapped_column(primary_key=True)
    revision: Mapped[int] = mapped_column(primary_key=True)
    superseded: Mapped[int]


class SessionNameRow(Base):
    """A further id of a session's visitor, and the first version of the session that had it."""

    __tablename__ = "session_names"
    __table_args__ = (Index("names_of_visitor", "visitor_id", "site_id", "session_id"),)

    session_id: Mapped[str] = mapped_column(primary_key=True)
    visitor_id: Mapped[str] = mapped_column(primary_key=True)
    site_id: Mapped[str]
    epoch: Mapped[int]
    revision: Mapped[int]


class StaleHourRow(Base):
    """An hour (start of session / 3,600,000 ms) with a change that no block tells of yet.

    The database's own triggers on ``sessions`` write it, in the transaction of the change. So an
    hour with neither this nor blocks has no sessions. ``mark`` is the transaction in PostgreSQL,
    so that two writers never wait for each other here, and 0 in SQLite.
    """

    __tablename__ = "stale_hours"

    hour: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    mark: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class BlockRow(Base):
    """One column of the sessions that started in an hour (see ``api.history.blocks``).

    ``built`` is another number each time that the hour is built.
    """

    __tablename__ = "session_blocks"
    __table_args__ = (Index("blocks_by_hour", "hour"),)

    name: Mapped[str] = mapped_column(primary_key=True)
    hour: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    built: Mapped[int]
    sessions: Mapped[int]
    data: Mapped[bytes]


class FactRow(Base):
    """What the history knows of itself (see ``api.history.facts``)."""

    __tablename__ = "history_facts"

    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class EventRow(Base):
    """One event. It is the same event when site, visitor and event_id are the same.

    ``name`` is a custom event's.
    """

    __tablename__ = "events"
    __table_args__ = (
        Index("events_of_visitor", "site_id", "visitor_id", "event_time"),
        Index("events_by_time", "event_time", "kind", "is_bot", "site_id"),
        Index(
            "events_by_name",
            *("event_time", "name", "is_bot", "site_id"),
            sqlite_where=_NAMED,
            postgresql_where=_NAMED,
        ),
    )

    site_id: Mapped[str] = mapped_column(primary_key=True)
    visitor_id: Mapped[str] = mapped_column(primary_key=True)
    event_id: Mapped[str] = mapped_column(primary_key=True)
    event_time: Mapped[int]
    sequence: Mapped[int]
    kind: Mapped[str]
    name: Mapped[str | None]
    path: Mapped[str]
    is_bot: Mapped[bool]
    processed_time: Mapped[int]
    offset: Mapped[int]
    message: Mapped[str]


class DeadLetterRow(Base):
    """A record that could not become an event, by its place on the request topic."""

    __tablename__ = "dead_letters"
    __table_args__ = (Index("dead_letters_by_time", "broker_time"),)

    topic: Mapped[str] = mapped_column(primary_key=True)
    partition: Mapped[int] = mapped_column(primary_key=True)
    offset: Mapped[int] = mapped_column(primary_key=True)
    reason: Mapped[str]
    broker_time: Mapped[int]
    processed_time: Mapped[int]
    message: Mapped[str]


class LateEventRow(Base):
    """An event that came after its session was final, by its place on the request topic."""

    __tablename__ = "late_events"
    __table_args__ = (
        Index("late_events_by_time", "broker_time"),
        Index("late_events_of_visitor", "site_id", "visitor_id"),
    )

    topic: Mapped[str] = mapped_column(primary_key=True)
    partition: Mapped[int] = mapped_column(primary_key=True)
    offset: Mapped[int] = mapped_column(primary_key=True)
    site_id: Mapped[str]
    visitor_id: Mapped[str]
    event_id: Mapped[str]
    broker_time: Mapped[int]
    processed_time: Mapped[int]
    message: Mapped[str]


class BucketStatsRow(Base):
    """The newest ledger of a bucket."""

    __tablename__ = "bucket_stats"

    topic: Mapped[str] = mapped_column(primary_key=True)
    partition: Mapped[int] = mapped_column(primary_key=True)
    bucket: Mapped[int] = mapped_column(primary_key=True)
    epoch: Mapped[int]
    processed_time: Mapped[int]
    message: Mapped[str]


class InterceptorStatsRow(Base):
    """The newest counts of an interceptor process."""

    __tablename__ = "interceptor_stats"

    instance: Mapped[str] = mapped_column(primary_key=True)
    site_id: Mapped[str]
    started: Mapped[int]
    observed: Mapped[int]
    revision: Mapped[int]
    message: Mapped[str]


class JobStatusRow(Base):
    """The newest word of a job process."""

    __tablename__ = "job_status"

    instance: Mapped[str] = mapped_column(primary_key=True)
    processed_time: Mapped[int]
    message: Mapped[str]


class SetAsideRow(Base):
    """A record that became no row, and why. The record itself is where its place says."""

    __tablename__ = "set_aside"
    __table_args__ = (Index("set_aside_by_time", "noticed"),)

    topic: Mapped[str] = mapped_column(primary_key=True)
    partition: Mapped[int] = mapped_column(primary_key=True)
    offset: Mapped[int] = mapped_column(primary_key=True)
    noticed: Mapped[int]
    reason: Mapped[str]


class ConsumerOffsetRow(Base):
    """Where reading a partition continues, written in the transaction of what was read."""

    __tablename__ = "consumer_offsets"

    topic: Mapped[str] = mapped_column(primary_key=True)
    partition: Mapped[int] = mapped_column(primary_key=True)
    next_offset: Mapped[int]
