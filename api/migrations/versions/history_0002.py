"""Late events get their event_id as a column, to be found among the events of a backfill."""

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_LATE = sa.table(
    "late_events",
    sa.column("topic", sa.Text()),
    sa.column("partition", sa.BigInteger()),
    sa.column("offset", sa.BigInteger()),
    sa.column("event_id", sa.Text()),
    sa.column("message", sa.Text()),
)
_KEY = (_LATE.c.topic, _LATE.c.partition, _LATE.c.offset)
_ROWS = 1_000


def upgrade() -> None:
    """Add the column and fill it from the messages."""
    op.add_column("late_events", sa.Column("event_id", sa.Text(), nullable=True))
    connection = op.get_bind()
    for rows in _pages(connection):
        connection.execute(_fill(), [_filled(row) for row in rows])
    with op.batch_alter_table("late_events") as table:
        table.alter_column("event_id", existing_type=sa.Text(), nullable=False)


def downgrade() -> None:
    """Take the column away; the messages still hold it."""
    with op.batch_alter_table("late_events") as table:
        table.drop_column("event_id")


def _pages(connection: sa.Connection) -> Iterator[list[Any]]:
    """All rows by key, a bounded number at a time, however many there are."""
    query = sa.select(*_KEY, _LATE.c.message).order_by(*_KEY).limit(_ROWS)
    rows = connection.execute(query).all()
    while rows:
        yield list(rows)
        rows = connection.execute(query.where(sa.tuple_(*_KEY) > tuple(rows[-1][:3]))).all()


def _fill() -> Any:
    is_row = sa.and_(*(column == sa.bindparam(f"its_{column.name}") for column in _KEY))
    return sa.update(_LATE).where(is_row).values(event_id=sa.bindparam("its_event_id"))


def _filled(row: Any) -> dict[str, Any]:
    # PostgreSQL keeps no null character.
    event_id = json.loads(row.message)["event"]["event_id"].replace("\0", "\ufffd")
    key = {f"its_{name}": row._mapping[name] for name in ("topic", "partition", "offset")}
    return key | {"its_event_id": event_id}
