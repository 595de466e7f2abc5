"""The tables of keys, log-ins and the audit log. Times are ms since 1970 UTC."""

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from api.history.models import Base


class ApiKeyRow(Base):
    """An API key, of which only the digest is kept. Revoked ones stay, for the audit log."""

    __tablename__ = "api_keys"

    key_id: Mapped[str] = mapped_column(primary_key=True)
    digest: Mapped[str]
    name: Mapped[str]
    scopes: Mapped[str]
    site_id: Mapped[str | None]
    created: Mapped[int]
    expires: Mapped[int | None]
    last_used: Mapped[int | None]
    revoked: Mapped[int | None]


class LoginRow(Base):
    """A browser that logged in with a key, by the digest of its cookie."""

    __tablename__ = "logins"

    digest: Mapped[str] = mapped_column(primary_key=True)
    key_id: Mapped[str]
    created: Mapped[int]
    expires: Mapped[int]


class AuditRow(Base):
    """Something that was changed or tried. ``entry_id`` grows with time (UUIDv7)."""

    __tablename__ = "audit_log"
    __table_args__ = (Index("audit_log_by_time", "time"),)

    entry_id: Mapped[str] = mapped_column(primary_key=True)
    time: Mapped[int]
    action: Mapped[str]
    actor: Mapped[str]
    subject: Mapped[str]
    network: Mapped[str | None]
    detail: Mapped[str]
