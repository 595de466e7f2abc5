"""Statistics read final sessions from an index that has all they count, not from whole rows.

A session is put into it once, with its last update: those before are not final.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_COLUMNS = (
    *("status", "start", "site_id", "visitor_id", "is_bot"),
    *("events", "pages", "api_calls", "custom_events", "duration_ms"),
    *("country", "channel", "device"),
)


def upgrade() -> None:
    """Create the index."""
    if op.get_bind().dialect.name == "postgresql":
        # Years of history take longer than a question may.
        op.execute("SET LOCAL statement_timeout = 0")
    final = sa.text("status = 'final'")
    op.create_index(
        "sessions_final", "sessions", _COLUMNS, postgresql_where=final, sqlite_where=final
    )


def downgrade() -> None:
    """Drop the index."""
    op.drop_index("sessions_final", "sessions")
