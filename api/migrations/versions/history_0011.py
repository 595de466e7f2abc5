"""A session is found under every id that its visitor had, not only under its first event's."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_ROWS = 1_000
_SAME = ("session_id", "site_id", "epoch", "revision")


def upgrade() -> None:
    """Create the table, fill it from the messages, and index it by visitor."""
    if op.get_bind().dialect.name == "postgresql":
        # Years of history take longer than a question may.
        op.execute("SET LOCAL statement_timeout = 0")
    names = op.create_table(
        "session_names",
        sa.Column("session_id", sa.Text(), primary_key=True, nullable=False),
        sa.Column("visitor_id", sa.Text(), primary_key=True, nullable=False),
        sa.Column("site_id", sa.Text(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
    )
    for page in _pages(op.get_bind()):
        named = [one for row in page for one in _named(row)]
        if named:
            op.bulk_insert(names, named)
    op.create_index("names_of_visitor", "session_names", ["visitor_id", "site_id", "session_id"])


def downgrade() -> None:
    """Drop the table; the messages still hold the ids."""
    op.drop_table("session_names")


def _pages(connection: sa.Connection) -> Iterator[Sequence[Any]]:
    """The sessions with further ids, a bounded number at a time."""
    rows = sa.table("sessions", *(sa.column(name) for name in (*_SAME, "message")))
    query = (
        sa.select(*rows.c)
        .where(rows.c.message.like('%"other_visitor_ids":["%'))
        .order_by(rows.c.session_id)
        .limit(_ROWS)
    )
    page = connection.execute(query).all()
    while page:
        yield page
        page = connection.execute(query.where(rows.c.session_id > page[-1].session_id)).all()


def _named(row: Any) -> Iterator[dict[str, Any]]:
    same = {name: row._mapping[name] for name in _SAME}
    for name in sorted(set(json.loads(row.message)["other_visitor_ids"])):
        if "\0" not in name:
            yield same | {"visitor_id": name}
