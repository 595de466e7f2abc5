"""The statistics' query parameters."""

from typing import Annotated, Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

from msgspec import structs
from pydantic import BeforeValidator, Field
from pydantic.json_schema import WithJsonSchema

from api.calendar import Range
from api.history import values
from api.history.filters import Bots, SessionFilter
from api.history.parameters import DAY_MS, FilterParameters
from api.history.stats.buckets import (
    FIRST_INSTANT,
    LAST_INSTANT,
    Bucket,
    Interval,
    buckets_of,
    fitting_interval,
)
from api.history.stats.dimensions import DIMENSIONS, Dimension
from api.history.stats.funnel import EVENT_STEP, Rules, Step, Subject
from api.history.stats.metrics import Order
from api.history.stats.paths import Direction, Walk
from api.history.stats.previous import previous_range
from api.problems import wrong_parameter
from contracts.events import EventKind

COHORT_LIMIT = 60
STEPS = (2, 8)
_KINDS: tuple[EventKind, ...] = ("page", "api")
_COHORTS = {"day": 14, "week": 12}
"""Cohorts, if no range says how many."""


class Question(NamedTuple):
    """Which sessions of which range; and those of the range before, to compare with."""

    instants: Range
    zone: ZoneInfo
    wanted: SessionFilter
    before: SessionFilter | None

    @property
    def previous(self) -> Range | None:
        """The range before."""
        if self.before is None:
            return None
        start, end = self.before.start_from, self.before.start_to
        return Range(start or 0, end or 0)


class QuestionParameters(FilterParameters):
    """What every statistic takes: a range, by default the last 24 hours, and the filters."""

    bots: Bots = Field("exclude", description="Whether the sessions of bots count.")

    def instants(self, now: int) -> Range:
        """The range. Raises a 422 when no calendar goes so far."""
        start, end = self.bounds(now)
        end = _placed("to", max(now, start or now) if end is None else end)
        return Range(_placed("from", self.default_start(end) if start is None else start), end)

    def default_start(self, end: int) -> int:
        """Where a range begins of which only the end is known."""
        return end - DAY_MS

    def question(self, now: int) -> Question:
        """What is asked."""
        instants = self.instants(now)
        return Question(instants, self.zone, self.filter_of(instants), None)


def _placed(name: str, instant: int) -> int:
    if not FIRST_INSTANT <= instant <= LAST_INSTANT:
        raise wrong_parameter(name, "must be between March 1900 and December 9997")
    return instant


class ComparedParameters(QuestionParameters):
    """Those of a statistic that can be compared with the period before."""

    compare: Literal["previous"] | None = Field(
        None,
        description="previous: give the numbers of the period before, too: of as many days or "
        "months, if the range is of whole ones, else of as much time.",
    )

    def question(self, now: int) -> Question:
        """What is asked, with the range before if it is to be compared with."""
        asked = super().question(now)
        if self.compare is None:
            return asked
        start, end = asked.instants
        if 2 * start - end < FIRST_INSTANT:
            raise wrong_parameter("compare", "finds no period before that is as long: drop it")
        before = previous_range(asked.instants, asked.zone, now)
        changed = structs.replace(asked.wanted, start_from=before.start, start_to=before.end)
        return asked._replace(before=changed)


class TimeseriesParameters(ComparedParameters):
    """The parameters of sessions over time."""

    interval: Interval | None = Field(
        None, description="The length of the buckets; without it one that suits the range."
    )
    dimension: Dimension | None = Field(
        None, description="Give a series for each of the largest values of this."
    )
    limit: int = Field(5, ge=1, le=20, description="Series, if there is a dimension.")

    def chosen_interval(self, instants: Range) -> Interval:
        """The interval that is asked for, or suits."""
        return self.interval or fitting_interval(instants)


class RankingParameters(ComparedParameters):
    """How far a ranking goes."""

    sort: Literal["visitors", "sessions", "views", "events"] = Field(
        "visitors", description="The number that the largest are largest in."
    )
    limit: int = Field(50, ge=1, le=1_000, description="Items in the answer.")
    offset: int = Field(0, ge=0, le=100_000, description="Items to leave out before the first.")

    @property
    def order(self) -> Order:
        """The part of the ranking that is asked for."""
        return Order(self.sort, self.limit, self.offset)


class TopParameters(RankingParameters):
    """The parameters of the values of one dimension."""

    dimension: Dimension = Field(description="Whose values are counted.")


def _two(given: Any) -> tuple[str, ...]:
    texts = given if isinstance(given, list | tuple) else [given]
    names = tuple(part.strip() for text in texts for part in str(text).split(","))
    if len(set(names)) != 2 or len(names) != 2 or not set(names) <= set(DIMENSIONS):
        raise ValueError(f"must be two of {', '.join(DIMENSIONS)}, separated by a comma")
    return names


TwoDimensions = Annotated[
    tuple[Dimension, ...],
    BeforeValidator(_two),
    WithJsonSchema({"type": "string", "format": "two-dimensions", "examples": ["country,device"]}),
]


class BreakdownParameters(RankingParameters):
    """The parameters of the combinations of two dimensions' values."""

    dimensions: TwoDimensions = Field(description="Whose combinations are counted.")


def _steps(given: Any) -> tuple[Step, ...]:
    texts = [str(text) for text in (given if isinstance(given, list | tuple) else [given])]
    if not STEPS[0] <= len(texts) <= STEPS[1]:
        raise ValueError(f"must be given {STEPS[0]} to {STEPS[1]} times, once for each step")
    return tuple(_one_step(text) for text in texts)


def _one_step(text: str) -> Step:
    if text.startswith(EVENT_STEP):
        return Step(_path(text.removeprefix(EVENT_STEP)), "custom")
    for kind in _KINDS:
        if text.startswith(f"{kind}:"):
            return Step(_path(text.partition(":")[2]), kind)
    return Step(_path(text))


def _path(text: str) -> str:
    if not text or len(text) > values.TEXT_LIMIT or "\0" in text:
        raise ValueError(
            "must be paths such as /cart or /products/*, or api:/api/orders, or event:sign-up"
        )
    return text


Steps = Annotated[
    list[Any],
    BeforeValidator(_steps),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "string", "format": "path-pattern", "minLength": 1},
            "minItems": STEPS[0],
            "maxItems": STEPS[1],
            "examples": [["/products/*", "/cart"]],
        }
    ),
]


class FunnelParameters(ComparedParameters):
    """The parameters of a funnel."""

    step: Steps = Field(
        description="Once for each step, in their order: a path (* is any text, ? a character), "
        "with page: or api: before it if only such events count; or event: and the name of a "
        "custom event."
    )
    by: Subject = Field("session", description="Whether a session or a visitor takes the steps.")
    within: values.Duration | None = Field(
        None, description="The longest time from the first step to any other."
    )

    def rules(self) -> Rules:
        """The funnel that is asked for."""
        if self.within == 0:
            raise wrong_parameter("within", "must be longer than nothing, such as 30m")
        return Rules(tuple(self.step), self.by, self.within)


class RetentionParameters(QuestionParameters):
    """The parameters of cohorts."""

    interval: Literal["day", "week"] = Field("week", description="The length of a cohort.")

    def default_start(self, end: int) -> int:
        """Of the whole intervals that fill a screen."""
        length = DAY_MS * (7 if self.interval == "week" else 1)
        earliest = Range(max(FIRST_INSTANT, end - _COHORTS[self.interval] * length), end)
        some = buckets_of(earliest, self.interval, self.zone)
        return some[1].range.start if len(some) > 1 else earliest.start

    def buckets(self, instants: Range) -> list[Bucket]:
        """The cohorts' intervals. Raises a 422 when they are too many."""
        try:
            return buckets_of(instants, self.interval, self.zone, COHORT_LIMIT)
        except ValueError as error:
            raise wrong_parameter("interval", str(error)) from None


class PathsParameters(QuestionParameters):
    """The parameters of paths."""

    page: values.Pattern | None = Field(
        None,
        description="The page that the paths begin at, by the first view in a session; without "
        "it, a session's first page, or its last one for those before.",
    )
    direction: Direction = Field("next", description="Pages after it, or before it.")
    depth: int = Field(3, ge=1, le=10, description="Steps from the page.")
    limit: int = Field(10, ge=1, le=100, description="Pages listed at each step.")

    def walk(self) -> Walk:
        """The paths that are asked for."""
        return Walk(self.page, self.direction, self.depth, self.limit)
