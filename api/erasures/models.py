"""The table of erasures. Times are ms since 1970 UTC."""

from sqlalchemy.orm import Mapped, mapped_column

from api.history.models import Base


class ErasureRow(Base):
    """An erasure. ``names`` are the visitor's ids as JSON, only until the history is rid of
    them.

    ``message`` is the newest word of it, ``deleted`` how many rows went, by table, as JSON.
    """

    __tablename__ = "erasures"

    erasure_id: Mapped[str] = mapped_column(primary_key=True)
    site_id: Mapped[str]
    requested: Mapped[int]
    finished: Mapped[int | None]
    names: Mapped[str | None]
    deleted: Mapped[str]
    message: Mapped[str]
