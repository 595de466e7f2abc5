"""The history's query parameters."""

from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from api import calendar
from api.history import values
from api.history.filters import Bots, SessionFilter
from api.history.formats import FormatName
from api.history.moments import at
from api.history.sorting import Sort, SortName, sort_of
from api.problems import wrong_parameter

PAGE_LIMIT = 1_000
DAY_MS = 24 * 60 * 60 * 1000


class RangeParameters(BaseModel):
    """What every question to the history takes."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    from_: values.Moment | None = Field(
        None, alias="from", description="Sessions that started at this time or later."
    )
    to: values.Moment | None = Field(None, description="Sessions that started before this time.")
    period: calendar.Period | None = Field(
        None,
        description="Sessions that started in this calendar period, instead of from and to.",
    )
    day: values.Day | None = Field(
        None, description="Sessions that started on this day, instead of from, to and period."
    )
    time_zone: values.TimeZone = Field(
        "UTC", description="The IANA time zone whose days, weeks (from Monday) and months count."
    )
    tz: values.TimeZone | None = Field(None, description="The same as time_zone.")
    site: values.Identity | None = Field(None, description="Sessions of this site_id only.")

    @field_validator("period", "day")
    @classmethod
    def _is_the_only_range(cls, value: Any, info: ValidationInfo) -> Any:
        others = [name for name in ("from_", "to", "period") if info.data.get(name) is not None]
        if value is not None and others:
            names = " and ".join(name.rstrip("_") for name in others)
            raise ValueError(f"does not go together with {names}: give one of them")
        return value

    @field_validator("tz")
    @classmethod
    def _is_the_only_zone(cls, tz: str | None, info: ValidationInfo) -> str | None:
        if tz is not None and info.data.get("time_zone", tz) not in {"UTC", tz}:
            raise ValueError("does not go together with time_zone: give one of them")
        return tz

    @property
    def zone(self) -> ZoneInfo:
        """The time zone, which is known to exist."""
        return calendar.time_zone(self.tz or self.time_zone)

    def bounds(self, now: int) -> tuple[int | None, int | None]:
        """From when and before when, where they are given; ``now`` decides what today is.

        Raises a 422 when the range ends before it begins.
        """
        if self.period is not None:
            return calendar.period_range(self.period, now, self.zone)
        if self.day is not None:
            return calendar.day_range(self.day, self.zone)
        start, end = (None if one is None else at(one, now) for one in (self.from_, self.to))
        if start is not None and end is not None and end < start:
            raise wrong_parameter("to", "must not be before from")
        return start, end


class FilterParameters(RangeParameters):
    """The properties that sessions are chosen by."""

    visitor: values.Identity | None = Field(None, description="Sessions of this visitor_id.")
    status: values.Statuses | None = Field(None, description="Sessions with one of these statuses.")
    bots: Bots = Field("include", description="Whether the sessions of bots are among them.")
    country: values.Countries | None = Field(None, description="Sessions from these countries.")
    region: values.Values | None = Field(None, description="Sessions from this region.")
    city: values.Values | None = Field(None, description="Sessions from this city.")
    referrer_domain: values.Values | None = Field(
        None, description="Sessions that a page of this domain led to."
    )
    channel: values.Names | None = Field(
        None, description="Sessions that one of these channels brought."
    )
    utm_source: values.Values | None = Field(None, description="Sessions with this UTM source.")
    utm_medium: values.Values | None = Field(None, description="Sessions with this UTM medium.")
    utm_campaign: values.Values | None = Field(None, description="Sessions with this UTM campaign.")
    utm_term: values.Values | None = Field(None, description="Sessions with this UTM term.")
    utm_content: values.Values | None = Field(None, description="Sessions with this UTM content.")
    device: values.Names | None = Field(None, description="Sessions on these kinds of device.")
    browser: values.Names | None = Field(None, description="Sessions with these browsers.")
    os: values.Names | None = Field(None, description="Sessions on these operating systems.")
    entry: values.Patterns | None = Field(
        None, description="Sessions whose first page is this path; * is any text, ? a character."
    )
    exit: values.Patterns | None = Field(
        None, description="Sessions whose last page is this path; * is any text, ? a character."
    )
    path: values.Patterns | None = Field(
        None, description="Sessions with a request of this path; * is any text, ? a character."
    )
    q: values.Words | None = Field(
        None, description="Sessions with a request whose path holds all of these words."
    )
    duration_min: values.Duration | None = Field(
        None, description="Sessions that last at least so long."
    )
    duration_max: values.Duration | None = Field(
        None, description="Sessions that last at most so long."
    )
    events_min: int | None = Field(
        None, ge=0, le=2**53, description="Sessions with at least so many events."
    )
    events_max: int | None = Field(
        None, ge=0, le=2**53, description="Sessions with at most so many events."
    )
    bounce: bool | None = Field(
        None,
        description="Sessions that ended with one page, no API call or custom event, or others.",
    )

    def filter_of(self, bounds: tuple[int | None, int | None]) -> SessionFilter:
        """The sessions that are asked for and started in these bounds."""
        given = {
            field: value
            for field, name in _FIELDS.items()
            if (value := getattr(self, name)) is not None
        }
        return SessionFilter(start_from=bounds[0], start_to=bounds[1], **given)


_FIELDS = {
    "site_id": "site",
    "visitor_id": "visitor",
    "statuses": "status",
    "bots": "bots",
    "countries": "country",
    "regions": "region",
    "cities": "city",
    "referrer_domains": "referrer_domain",
    "channels": "channel",
    "utm_sources": "utm_source",
    "utm_mediums": "utm_medium",
    "utm_campaigns": "utm_campaign",
    "utm_terms": "utm_term",
    "utm_contents": "utm_content",
    "devices": "device",
    "browsers": "browser",
    "systems": "os",
    "entry": "entry",
    "exit": "exit",
    "path": "path",
    "words": "q",
    "duration_min": "duration_min",
    "duration_max": "duration_max",
    "events_min": "events_min",
    "events_max": "events_max",
    "bounced": "bounce",
}
"""The filter's fields by the parameters that fill them."""


class ListParameters(FilterParameters):
    """The parameters of every list of sessions: which ones, in which order, as of when."""

    sort: SortName = Field(
        "-start", description="What the sessions are sorted by; with - the largest first."
    )
    fields: values.Fields | None = Field(
        None, description="Only these fields of the sessions; all without it."
    )
    as_of: values.Moment | None = Field(
        None, description="As the history was known at this time, which must not be too long ago."
    )

    @property
    def order(self) -> Sort:
        """The order of the list."""
        return sort_of(self.sort)


class SessionParameters(ListParameters):
    """The parameters of a page of sessions."""

    limit: int = Field(50, ge=1, le=PAGE_LIMIT, description="Sessions on a page.")
    cursor: values.After | None = Field(None, description="The next_cursor of the page before.")
    count: Literal["exact", "estimated"] | None = Field(
        None, description="Whether to say how many sessions the list has on all its pages."
    )


class VisitorParameters(SessionParameters):
    """The parameters of a visitor's sessions."""

    site: values.Identity | None = Field(..., description="The site_id that the visitor is of.")


class ExportParameters(ListParameters):
    """The parameters of an export."""

    format: FormatName = Field("ndjson", description="The form of the export.")
    limit: int | None = Field(
        None, ge=1, le=2**53, description="At most so many sessions; all without it."
    )
    after: values.SessionId | None = Field(
        None,
        description="Go on after this session_id, the last one of an export that broke off; "
        "give that one's as_of with it.",
    )


class StatsParameters(RangeParameters):
    """The parameters of the statistics."""

    bots: Bots = Field("exclude", description="Whether to count the sessions of bots.")

    def instants(self, now: int) -> calendar.Range:
        """The range: the last 24 hours, as far as nothing else is said."""
        start, end = self.bounds(now)
        end = max(now, start or now) if end is None else end
        return calendar.Range(end - DAY_MS if start is None else start, end)
