"""Where records that became no row are, and PostgreSQL's vacuum for tables that are so large.

By default it waits until a fifth of a table is dead: with millions of sessions, each written four
times, that is gigabytes.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_OFTEN = {
    "autovacuum_vacuum_scale_factor": "0.02",
    "autovacuum_vacuum_threshold": "1000",
    "autovacuum_vacuum_insert_scale_factor": "0.05",
    "autovacuum_analyze_scale_factor": "0.02",
}
_TABLES = ("sessions", "session_revisions", "events")


def upgrade() -> None:
    """Create the table, and set what autovacuum waits for."""
    op.create_table(
        "set_aside",
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("partition", sa.BigInteger(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("noticed", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("topic", "partition", "offset"),
    )
    op.create_index("set_aside_by_time", "set_aside", ["noticed"])
    settings = ", ".join(f"{name} = {value}" for name, value in _OFTEN.items())
    _alter_each(f"SET ({settings})")


def downgrade() -> None:
    """Drop the table and the settings."""
    _alter_each(f"RESET ({', '.join(_OFTEN)})")
    op.drop_table("set_aside")


def _alter_each(how: str) -> None:
    if op.get_bind().dialect.name == "postgresql":
        for name in _TABLES:
            op.execute(f"ALTER TABLE {name} {how}")
