"""The history's query parameters: read, checked, and described for the documentation."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator
from pydantic.json_schema import WithJsonSchema

from api.history.cursor import Cursor, decode_cursor
from api.history.filters import UNKNOWN_COUNTRY, Bots, SessionFilter
from contracts.instants import parse_instant

STATUSES = frozenset({"open", "closed", "final"})
PAGE_LIMIT = 1_000


def _listed(given: Any) -> frozenset[str]:
    """``a,b`` and a parameter given twice mean the same."""
    texts = given if isinstance(given, list) else [given]
    return frozenset(part.strip() for text in texts for part in str(text).split(","))


def _list_of_countries(given: Any) -> frozenset[str]:
    codes = frozenset(_country(part) for part in _listed(given))
    if any(code != UNKNOWN_COUNTRY and not _is_country(code) for code in codes):
        raise ValueError("must be ISO 3166-1 alpha-2 codes such as DE,FR, or unknown")
    return codes


def _country(part: str) -> str:
    return UNKNOWN_COUNTRY if part.lower() == UNKNOWN_COUNTRY else part.upper()


def _is_country(code: str) -> bool:
    return len(code) == 2 and code.isascii() and code.isalpha()


def _list_of_statuses(given: Any) -> frozenset[str]:
    statuses = _listed(given)
    if not statuses <= STATUSES:
        raise ValueError("must be one or more of open, closed, final, separated by commas")
    return statuses


def _text(value: Any) -> Any:
    if "\0" in str(value):
        raise ValueError("must not hold a null character")
    return value


Instant = Annotated[
    int,
    BeforeValidator(lambda value: parse_instant(str(value))),
    WithJsonSchema({"type": "string", "examples": ["2026-03-01T12:00:00Z", "1772366400000"]}),
]
Countries = Annotated[
    frozenset[str],
    BeforeValidator(_list_of_countries),
    WithJsonSchema({"type": "string", "examples": ["DE,FR", UNKNOWN_COUNTRY]}),
]
Statuses = Annotated[
    frozenset[str],
    BeforeValidator(_list_of_statuses),
    WithJsonSchema({"type": "string", "examples": ["open", "closed,final"]}),
]
After = Annotated[
    Cursor,
    BeforeValidator(lambda text: decode_cursor(str(text))),
    WithJsonSchema({"type": "string"}),
]
Site = Annotated[str, BeforeValidator(_text), Field(min_length=1, max_length=128)]


class RangeParameters(BaseModel):
    """What every question to the history takes."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    from_: Instant | None = Field(
        None, alias="from", description="Sessions that started at this time or later."
    )
    to: Instant | None = Field(None, description="Sessions that started before this time.")
    site: Site | None = Field(None, description="Sessions of this site_id only.")

    @field_validator("to")
    @classmethod
    def _to_is_later(cls, to: int | None, info: ValidationInfo) -> int | None:
        from_ = info.data.get("from_")
        if to is not None and from_ is not None and to < from_:
            raise ValueError("must not be before from")
        return to


class SessionParameters(RangeParameters):
    """The parameters of a list of sessions."""

    country: Countries | None = Field(None, description="Sessions from these countries.")
    status: Statuses | None = Field(None, description="Sessions with one of these statuses.")
    bots: Bots = Field("include", description="Whether to list the sessions of bots.")
    limit: int = Field(50, ge=1, le=PAGE_LIMIT, description="Sessions on a page.")
    cursor: After | None = Field(None, description="The next_cursor of the page before.")

    def filter(self) -> SessionFilter:
        """The sessions that are asked for."""
        return SessionFilter(
            start_from=self.from_,
            start_to=self.to,
            countries=self.country or frozenset(),
            statuses=self.status or frozenset(),
            site_id=self.site,
            bots=self.bots,
        )


class StatsParameters(RangeParameters):
    """The parameters of the statistics."""

    bots: Bots = Field("exclude", description="Whether to count the sessions of bots.")
