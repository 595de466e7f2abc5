"""The first schema of the history.

A migration is a record of what was done, so it states columns and does not import the models.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table."""
    _create_sessions()
    _create_events()
    _create_rejects()
    _create_latest()


def downgrade() -> None:
    """Drop every table."""
    for table in (
        "consumer_offsets",
        "job_status",
        "interceptor_stats",
        "bucket_stats",
        "late_events",
        "dead_letters",
        "events",
        "sessions",
    ):
        op.drop_table(table)


def _text(name: str, *, key: bool = False, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), primary_key=key, nullable=nullable)


def _number(name: str, *, key: bool = False) -> sa.Column[int]:
    # Not autoincrementing: the numbers are Kafka's.
    return sa.Column(name, sa.BigInteger(), primary_key=key, nullable=False, autoincrement=False)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), nullable=False)


def _create_sessions() -> None:
    op.create_table(
        "sessions",
        _text("session_id", key=True),
        _number("epoch"),
        _number("revision"),
        _text("status"),
        _text("merged_into", nullable=True),
        _text("site_id"),
        _text("visitor_id"),
        _number("start"),
        _number("end"),
        _number("expires"),
        _number("duration_ms"),
        _number("events"),
        _number("pages"),
        _number("api_calls"),
        _text("country", nullable=True),
        _flag("is_bot"),
        _text("channel"),
        _text("browser"),
        _text("device"),
        _text("entry_page"),
        _text("message"),
    )
    op.create_index("sessions_newest", "sessions", ["start", "session_id"])
    op.create_index("sessions_by_status", "sessions", ["status", "start", "session_id"])
    op.create_index("sessions_by_country", "sessions", ["country", "start", "session_id"])


def _create_events() -> None:
    op.create_table(
        "events",
        _text("site_id", key=True),
        _text("visitor_id", key=True),
        _text("event_id", key=True),
        _number("event_time"),
        _number("sequence"),
        _text("kind"),
        _flag("is_bot"),
        _number("processed_time"),
        _number("offset"),
        _text("message"),
    )
    op.create_index("events_of_visitor", "events", ["site_id", "visitor_id", "event_time"])
    op.create_index("events_by_time", "events", ["event_time", "kind", "is_bot", "site_id"])


def _create_rejects() -> None:
    op.create_table(
        "dead_letters",
        _text("topic", key=True),
        _number("partition", key=True),
        _number("offset", key=True),
        _text("reason"),
        _number("broker_time"),
        _number("processed_time"),
        _text("message"),
    )
    op.create_index("dead_letters_by_time", "dead_letters", ["broker_time"])
    op.create_table(
        "late_events",
        _text("topic", key=True),
        _number("partition", key=True),
        _number("offset", key=True),
        _text("site_id"),
        _text("visitor_id"),
        _number("broker_time"),
        _number("processed_time"),
        _text("message"),
    )
    op.create_index("late_events_by_time", "late_events", ["broker_time"])


def _create_latest() -> None:
    op.create_table(
        "bucket_stats",
        _text("topic", key=True),
        _number("partition", key=True),
        _number("bucket", key=True),
        _number("epoch"),
        _number("processed_time"),
        _text("message"),
    )
    op.create_table(
        "interceptor_stats",
        _text("instance", key=True),
        _text("site_id"),
        _number("started"),
        _number("observed"),
        _text("message"),
    )
    op.create_table(
        "job_status", _text("instance", key=True), _number("processed_time"), _text("message")
    )
    op.create_table(
        "consumer_offsets",
        _text("topic", key=True),
        _number("partition", key=True),
        _number("next_offset"),
    )
