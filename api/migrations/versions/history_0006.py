"""Sessions and events get the columns that lists are filtered by."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0003"
branch_labels = None
depends_on = None

_UTM = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
_NEEDED = ("exit_page", "os")
_OPTIONAL = ("region", "city", "referrer_domain", *_UTM)
_ROWS = 1_000

Values = dict[str, Any]


def upgrade() -> None:
    """Add the columns, fill them from the messages, and index a visitor's sessions."""
    if op.get_bind().dialect.name == "postgresql":
        # Filling years of history takes longer than a question may.
        op.execute("SET LOCAL statement_timeout = 0")
    for name in _NEEDED:
        op.add_column("sessions", _needed(name))
    for name in _OPTIONAL:
        op.add_column("sessions", sa.Column(name, sa.Text(), nullable=True))
    op.add_column("events", _needed("path"))
    _fill("sessions", ("session_id",), _of_session)
    _fill("events", ("site_id", "visitor_id", "event_id"), _of_event)
    op.create_index(
        "sessions_of_visitor", "sessions", ["site_id", "visitor_id", "start", "session_id"]
    )


def downgrade() -> None:
    """Take the columns away; the messages still hold all of it."""
    op.drop_index("sessions_of_visitor", "sessions")
    with op.batch_alter_table("events") as table:
        table.drop_column("path")
    with op.batch_alter_table("sessions") as table:
        for name in (*_NEEDED, *_OPTIONAL):
            table.drop_column(name)


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
