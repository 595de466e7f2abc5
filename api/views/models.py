"""The table of saved views. Times are ms since 1970 UTC."""

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from api.history.models import Base


class ViewRow(Base):
    """A saved view. ``view_id`` grows with time (UUIDv7)."""

    __tablename__ = "saved_views"
    __table_args__ = (Index("saved_views_by_page", "page", "name"),)

    view_id: Mapped[str] = mapped_column(primary_key=True)
    page: Mapped[str]
    name: Mapped[str]
    parameters: Mapped[str]
    author: Mapped[str]
    created: Mapped[int]
