"""Lists get their filters and sorts, and the history remembers what it knew at a time."""

import json
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_UTM = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
_NEEDED = ("exit_page", "os")
_OPTIONAL = ("region", "city", "referrer_domain", *_UTM)
_ROWS = 1_000

_INDEXES = {
    "sessions_of_visitor": ("site_id", "visitor_id", "start"),
    "sessions_by_end": ("end",),
    "sessions_by_duration": ("duration_ms",),
    "sessions_by_events": ("events",),
}

Values = dict[str, Any]


def upgrade() -> None:
    """Add the columns, fill them from the messages; add indexes, revisions and facts."""
    if op.get_bind().dialect.name == "postgresql":
        # Filling years of history takes longer than a question may.
        op.execute("SET LOCAL statement_timeout = 0")
    for name in _NEEDED:
        op.add_column("sessions", _needed(name))
    for name in _OPTIONAL:
        op.add_column("sessions", sa.Column(name, sa.Text(), nullable=True))
    # What was there before counts as known from the beginning.
    recorded = sa.Column("recorded", sa.BigInteger(), nullable=False, server_default="0")
    op.add_column("sessions", recorded)
    op.add_column("events", _needed("path"))
    _fill("sessions", ("session_id",), _of_session)
    _fill("events", ("site_id", "visitor_id", "event_id"), _of_event)
    for name, column in _INDEXES.items():
        op.create_index(name, "sessions", [*column, "session_id"])
    op.create_index("late_events_of_visitor", "late_events", ["site_id", "visitor_id"])
    _create_revisions()
    _create_facts()


def downgrade() -> None:
    """Take all of it away; the messages still hold what the columns did."""
    op.drop_table("history_facts")
    op.drop_table("session_revisions")
    op.drop_index("late_events_of_visitor", "late_events")
    for name in _INDEXES:
        op.drop_index(name, "sessions")
    with op.batch_alter_table("events") as table:
        table.drop_column("path")
    with op.batch_alter_table("sessions") as table:
        for name in (*_NEEDED, *_OPTIONAL, "recorded"):
            table.drop_column(name)


def _create_revisions() -> None:
    texts = ("status", "site_id", "visitor_id", "channel", "browser", "device", "entry_page")
    counts = ("events", "pages", "api_calls", "custom_events", "engaged_ms")
    numbers = ("start", "end", "expires", "duration_ms", *counts)
    op.create_table(
        "session_revisions",
        sa.Column("session_id", sa.Text(), primary_key=True, nullable=False),
        *(sa.Column(name, sa.BigInteger(), primary_key=True) for name in ("epoch", "revision")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in (*texts, *_NEEDED)),
        *(sa.Column(name, sa.Text()) for name in ("merged_into", "country", *_OPTIONAL)),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in numbers),
        sa.Column("is_bot", sa.Boolean(), nullable=False),
        sa.Column("recorded", sa.BigInteger(), nullable=False),
        sa.Column("superseded", sa.BigInteger(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
    )
    op.create_index("revisions_by_age", "session_revisions", ["superseded"])


def _create_facts() -> None:
    facts = op.create_table(
        "history_facts",
        sa.Column("name", sa.Text(), primary_key=True, nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
    )
    now = str(time.time_ns() // 1_000_000)
    first = {"cursor_key": secrets.token_hex(32), "known_at": now, "revisions_from": now}
    op.bulk_insert(facts, [{"name": name, "value": value} for name, value in first.items()])


def _needed(name: str) -> sa.Column[str]:
    # With a default, neither database rewrites the table.
    return sa.Column(name, sa.Text(), nullable=False, server_default="")


def _of_session(message: Values) -> Values:
    attribution, geo = message["attribution"], message["geo"] or {}
    return {
        "exit_page": message["exit_page"],
        "os": message["agent"].get("os", "unknown"),
        "region": geo.get("region"),
        "city": geo.get("city"),
        "referrer_domain": attribution.get("domain"),
        **{name: attribution.get(name) for name in _UTM},
    }


def _of_event(message: Values) -> Values:
    return {"path": message["path"]}


def _fill(table: str, keys: Sequence[str], values_of: Callable[[Values], Values]) -> None:
    connection = op.get_bind()
    names = tuple(values_of(_EMPTY))
    rows = sa.table(table, *(sa.column(name, sa.Text()) for name in (*keys, *names, "message")))
    is_row = sa.and_(*(rows.c[key] == sa.bindparam(f"its_{key}") for key in keys))
    fill = sa.update(rows).where(is_row).values({n: sa.bindparam(f"its_{n}") for n in names})
    for page in _pages(connection, rows, keys):
        connection.execute(fill, [_filled(row, keys, values_of) for row in page])


_EMPTY: Values = {"path": "", "exit_page": "", "agent": {}, "attribution": {}, "geo": None}


def _pages(connection: sa.Connection, rows: Any, keys: Sequence[str]) -> Iterator[Sequence[Any]]:
    """All rows by key, a bounded number at a time, however many there are."""
    key = [rows.c[name] for name in keys]
    query = sa.select(*key, rows.c.message).order_by(*key).limit(_ROWS)
    page = connection.execute(query).all()
    while page:
        yield page
        after = sa.tuple_(*key) > sa.tuple_(*map(sa.literal, page[-1][: len(keys)]))
        page = connection.execute(query.where(after)).all()


def _filled(row: Any, keys: Sequence[str], values_of: Callable[[Values], Values]) -> Values:
    found = values_of(json.loads(row.message)) | {name: row._mapping[name] for name in keys}
    return {f"its_{name}": _storable(value) for name, value in found.items()}


def _storable(value: str | None) -> str | None:
    # PostgreSQL keeps no null character.
    return value.replace("\0", "\ufffd") if value else value
