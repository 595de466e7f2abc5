"""API keys, log-ins and the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "api_keys",
        _text("key_id", key=True),
        *(_text(name) for name in ("digest", "name", "scopes")),
        _text("site_id", nullable=True),
        _time("created"),
        *(_time(name, nullable=True) for name in ("expires", "last_used", "revoked")),
    )
    op.create_table(
        "logins",
        _text("digest", key=True),
        _text("key_id"),
        _time("created"),
        _time("expires"),
    )
    op.create_table(
        "audit_log",
        _text("entry_id", key=True),
        _time("time"),
        *(_text(name) for name in ("action", "actor", "subject")),
        _text("network", nullable=True),
        _text("detail"),
    )
    op.create_index("audit_log_by_time", "audit_log", ["time"])


def downgrade() -> None:
    """Drop them; every key is gone."""
    for table in ("audit_log", "logins", "api_keys"):
        op.drop_table(table)


def _text(name: str, *, key: bool = False, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), primary_key=key, nullable=nullable)


def _time(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)
