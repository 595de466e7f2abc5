"""Interceptors' counts get their revision as a column: the newest may have observed no more."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; what is there has none."""
    column = sa.Column("revision", sa.BigInteger(), nullable=False, server_default="0")
    op.add_column("interceptor_stats", column)


def downgrade() -> None:
    """Take the column away; the messages still hold it."""
    with op.batch_alter_table("interceptor_stats") as table:
        table.drop_column("revision")
