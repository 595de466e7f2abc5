"""Saved views: pages of the dashboard as people set and named them."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "saved_views",
        sa.Column("view_id", sa.Text(), primary_key=True),
        sa.Column("page", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("parameters", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
    )
    op.create_index("saved_views_by_page", "saved_views", ["page", "name"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("saved_views")
