"""What a page's script reports: custom events and reading time, and the custom events' names."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_COUNTS = ("custom_events", "engaged_ms")
_NAMED = sa.text("name IS NOT NULL")


def upgrade() -> None:
    """Add the columns; what is there was reported by no script."""
    for name in _COUNTS:
        count = sa.Column(name, sa.BigInteger(), nullable=False, server_default="0")
        op.add_column("sessions", count)
    op.add_column("events", sa.Column("name", sa.Text(), nullable=True))
    op.create_index(
        "events_by_name",
        "events",
        ["event_time", "name", "is_bot", "site_id"],
        sqlite_where=_NAMED,
        postgresql_where=_NAMED,
    )


def downgrade() -> None:
    """Take the columns away; the messages still hold them."""
    op.drop_index("events_by_name", "events")
    with op.batch_alter_table("events") as table:
        table.drop_column("name")
    with op.batch_alter_table("sessions") as table:
        for name in _COUNTS:
            table.drop_column(name)
