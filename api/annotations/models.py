"""The table of annotations."""

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from api.history.models import Base


class AnnotationRow(Base):
    """A note on a calendar day. ``annotation_id`` grows with time (UUIDv7); ``site_id`` is empty
    for all sites, ``created`` ms since 1970 UTC."""

    __tablename__ = "annotations"
    __table_args__ = (Index("annotations_by_day", "day"),)

    annotation_id: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[str]
    site_id: Mapped[str]
    text: Mapped[str]
    author: Mapped[str]
    created: Mapped[int]
