"""Blocks: what statistics count of an hour's sessions, by column; and which hours lack them.

Triggers note each hour in which a session changed, whoever changed it and for what reason: the
writer, retention, the erasure of a visitor, or somebody by hand. A migration that makes the
sessions' table anew (a batch of ``alter_table`` in SQLite) must create them again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_EVENTS = ("insert", "update", "delete")

_POSTGRESQL_FUNCTION = """
CREATE FUNCTION note_stale_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO stale_hours SELECT DISTINCT start / 3600000, txid_current() FROM new_rows
        ON CONFLICT DO NOTHING;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO stale_hours
        SELECT start / 3600000, txid_current() FROM new_rows
        UNION SELECT start / 3600000, txid_current() FROM old_rows
        ON CONFLICT DO NOTHING;
    ELSE
        INSERT INTO stale_hours SELECT DISTINCT start / 3600000, txid_current() FROM old_rows
        ON CONFLICT DO NOTHING;
        -- Not only when the block is built anew: what is deleted, or erased, is gone at once.
        DELETE FROM session_blocks
        WHERE hour IN (SELECT DISTINCT start / 3600000 FROM old_rows);
    END IF;
    RETURN NULL;
END $$
"""
_TRANSITION = {
    "insert": "NEW TABLE AS new_rows",
    "update": "NEW TABLE AS new_rows OLD TABLE AS old_rows",
    "delete": "OLD TABLE AS old_rows",
}
_NOTE_NEW = """
INSERT INTO stale_hours SELECT NEW.start / 3600000, 0
WHERE NOT EXISTS (SELECT 1 FROM stale_hours WHERE hour = NEW.start / 3600000);
"""
_NOTE_OLD = """
INSERT INTO stale_hours SELECT OLD.start / 3600000, 0
WHERE NOT EXISTS (SELECT 1 FROM stale_hours WHERE hour = OLD.start / 3600000);
"""
_FORGET = "DELETE FROM session_blocks WHERE hour = OLD.start / 3600000;"
_IN_SQLITE = {
    "insert": _NOTE_NEW,
    "update": _NOTE_NEW + _NOTE_OLD,
    "delete": _NOTE_OLD + _FORGET,
}


def upgrade() -> None:
    """Create the tables and triggers; every hour that there is lacks its blocks."""
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    op.create_table("stale_hours", _number("hour", key=True), _number("mark", key=True))
    op.create_table(
        "session_blocks",
        sa.Column("name", sa.Text(), primary_key=True, nullable=False),
        _number("hour", key=True),
        _number("built"),
        _number("sessions"),
        sa.Column("data", sa.LargeBinary(), nullable=False),
    )
    op.create_index("blocks_by_hour", "session_blocks", ["hour"])
    if is_postgresql:
        # Years of history take longer than a question may.
        op.execute("SET LOCAL statement_timeout = 0")
        # It is compressed when it comes.
        op.execute("ALTER TABLE session_blocks ALTER COLUMN data SET STORAGE EXTERNAL")
        op.execute(_POSTGRESQL_FUNCTION)
    for event in _EVENTS:
        op.execute(_trigger(event) if is_postgresql else _sqlite_trigger(event))
    op.execute("INSERT INTO stale_hours SELECT DISTINCT start / 3600000, 0 FROM sessions")


def downgrade() -> None:
    """Drop them; the sessions have it all."""
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    for event in _EVENTS:
        op.execute(f"DROP TRIGGER stale_on_{event}" + (" ON sessions" if is_postgresql else ""))
    if is_postgresql:
        op.execute("DROP FUNCTION note_stale_hours()")
    op.drop_table("session_blocks")
    op.drop_table("stale_hours")


def _number(name: str, *, key: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), primary_key=key, nullable=False, autoincrement=False)


def _trigger(event: str) -> str:
    return (
        f"CREATE TRIGGER stale_on_{event} AFTER {event} ON sessions "
        f"REFERENCING {_TRANSITION[event]} FOR EACH STATEMENT EXECUTE FUNCTION note_stale_hours()"
    )


def _sqlite_trigger(event: str) -> str:
    return (
        f"CREATE TRIGGER stale_on_{event} AFTER {event} ON sessions FOR EACH ROW "
        f"BEGIN {_IN_SQLITE[event]} END"
    )
