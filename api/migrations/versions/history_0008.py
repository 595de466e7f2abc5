"""Erasures of visitors, and the key that hides the ids of who was erased."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table, and draw the key."""
    op.create_table(
        "erasures",
        sa.Column("erasure_id", sa.Text(), primary_key=True),
        sa.Column("site_id", sa.Text(), nullable=False),
        sa.Column("requested", sa.BigInteger(), nullable=False),
        sa.Column("finished", sa.BigInteger(), nullable=True),
        sa.Column("names", sa.Text(), nullable=True),
        sa.Column("deleted", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
    )
    facts = sa.table("history_facts", sa.column("name", sa.Text()), sa.column("value", sa.Text()))
    op.execute(facts.insert().values(name="erasure_key", value=secrets.token_hex(32)))


def downgrade() -> None:
    """Drop both; the topic still says who was erased."""
    op.execute("DELETE FROM history_facts WHERE name = 'erasure_key'")
    op.drop_table("erasures")
