"""The history's query parameters: read, checked, and described for the documentation."""

from datetime import date
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
)
from pydantic.json_schema import WithJsonSchema

from api import calendar
from api.history.cursor import Cursor, decode_cursor
from api.history.filters import UNKNOWN_COUNTRY, Bots, SessionFilter
from contracts.instants import parse_instant

STATUSES = frozenset({"open", "closed", "final"})
PAGE_LIMIT = 1_000
DAY_MS = 24 * 60 * 60 * 1000


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
Day = Annotated[
    date,
    BeforeValidator(lambda text: calendar.parse_day(str(text))),
    WithJsonSchema({"type": "string", "examples": ["2026-03-01"]}),
]
TimeZone = Annotated[
    str,
    AfterValidator(lambda name: calendar.time_zone(name).key),
    WithJsonSchema({"type": "string", "examples": ["Europe/Berlin"]}),
]
Site = Annotated[str, BeforeValidator(_text), Field(min_length=1, max_length=128)]


class RangeParameters(BaseModel):
    """What every question to the history takes."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    from_: Instant | None = Field(
        None, alias="from", description="Sessions that started at this time or later."
    )
    to: Instant | None = Field(None, description="Sessions that started before this time.")
    period: calendar.Period | None = Field(
        None,
        description="Sessions that started in this calendar period, instead of from and to.",
    )
    day: Day | None = Field(
        None, description="Sessions that started on this day, instead of from, to and period."
    )
    time_zone: TimeZone = Field(
        "UTC", description="The IANA time zone whose days, weeks (from Monday) and months count."
    )
    site: Site | None = Field(None, description="Sessions of this site_id only.")

    @field_validator("to")
    @classmethod
    def _to_is_later(cls, to: int | None, info: ValidationInfo) -> int | None:
        from_ = info.data.get("from_")
        if to is not None and from_ is not None and to < from_:
            raise ValueError("must not be before from")
        return to

    @field_validator("period", "day")
    @classmethod
    def _is_the_only_range(cls, value: Any, info: ValidationInfo) -> Any:
        others = [name for name in ("from_", "to", "period") if info.data.get(name) is not None]
        if value is not None and others:
            names = " and ".join(name.rstrip("_") for name in others)
            raise ValueError(f"does not go together with {names}: give one of them")
        return value

    @property
    def zone(self) -> ZoneInfo:
        """The time zone, which is known to exist."""
        return calendar.time_zone(self.time_zone)

    def bounds(self, now: int) -> tuple[int | None, int | None]:
        """From when and before when, where they are given; ``now`` decides what today is."""
        if self.period is not None:
            return calendar.period_range(self.period, now, self.zone)
        if self.day is not None:
            return calendar.day_range(self.day, self.zone)
        return self.from_, self.to


class SessionParameters(RangeParameters):
    """The parameters of a list of sessions."""

    country: Countries | None = Field(None, description="Sessions from these countries.")
    status: Statuses | None = Field(None, description="Sessions with one of these statuses.")
    bots: Bots = Field("include", description="Whether to list the sessions of bots.")
    limit: int = Field(50, ge=1, le=PAGE_LIMIT, description="Sessions on a page.")
    cursor: After | None = Field(None, description="The next_cursor of the page before.")

    def asked(self, now: int) -> int:
        """When the question was first asked: on later pages, today is what it was on the first."""
        began = self.cursor.asked if self.cursor else None
        return now if began is None else began

    def filter(self, now: int) -> SessionFilter:
        """The sessions that are asked for."""
        start_from, start_to = self.bounds(self.asked(now))
        return SessionFilter(
            start_from=start_from,
            start_to=start_to,
            countries=self.country or frozenset(),
            statuses=self.status or frozenset(),
            site_id=self.site,
            bots=self.bots,
        )


class StatsParameters(RangeParameters):
    """The parameters of the statistics."""

    bots: Bots = Field("exclude", description="Whether to count the sessions of bots.")

    def instants(self, now: int) -> calendar.Range:
        """The range: the last 24 hours, as far as nothing else is said."""
        start, end = self.bounds(now)
        end = max(now, start or now) if end is None else end
        return calendar.Range(end - DAY_MS if start is None else start, end)
