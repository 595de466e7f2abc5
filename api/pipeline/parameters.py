"""The pipeline's parameters and bodies."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from api.pipeline.places import ID_PATTERN, Position, RecordPlace, place_of, position_of
from contracts.outcomes import DeadReason

MOST_AT_ONCE = 500
"""Letters in one replay: each is read from Kafka by itself."""


LetterId = Annotated[str, Field(pattern=ID_PATTERN)]


class PageParameters(BaseModel):
    """Which page of a list."""

    model_config = ConfigDict(extra="forbid")

    limit: int = Field(50, ge=1, le=500, description="Items on the page.")
    cursor: str | None = Field(
        None, max_length=600, description="The next_cursor of the page before."
    )

    @field_validator("cursor")
    @classmethod
    def _is_one(cls, cursor: str | None) -> str | None:
        if cursor is not None:
            position_of(cursor)
        return cursor

    @property
    def after(self) -> Position | None:
        """Where the page begins."""
        return None if self.cursor is None else position_of(self.cursor)


class LetterParameters(PageParameters):
    """Which dead letters."""

    reason: DeadReason | None = Field(None, description="Only those with this reason.")


class ReplayWish(BaseModel):
    """The body of a replay: some letters by their ids, or the newest with a reason, or of all."""

    model_config = ConfigDict(extra="forbid")

    ids: list[LetterId] | None = Field(
        None, max_length=MOST_AT_ONCE, description="These letters; without it, by the filter."
    )
    reason: DeadReason | None = Field(None, description="The newest 500 with this reason.")

    @field_validator("reason")
    @classmethod
    def _is_alone(cls, reason: DeadReason | None, info: Any) -> DeadReason | None:
        if reason is not None and info.data.get("ids") is not None:
            raise ValueError("does not go together with ids: give one of them")
        return reason

    @property
    def places(self) -> list[RecordPlace] | None:
        """The letters that are named, each once; None when the filter says which."""
        return None if self.ids is None else list(dict.fromkeys(map(place_of, self.ids)))
