"""Annotations: notes that people pin to a day."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "annotations",
        sa.Column("annotation_id", sa.Text(), primary_key=True, nullable=False),
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("day", "site_id", "text", "author")
        ),
        sa.Column("created", sa.BigInteger(), nullable=False),
    )
    op.create_index("annotations_by_day", "annotations", ["day"])


def downgrade() -> None:
    """Drop it; every note is gone."""
    op.drop_table("annotations")
