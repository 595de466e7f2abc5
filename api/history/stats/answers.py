"""What the statistics' addresses answer. Times are ms since 1970 UTC, durations ms."""

from typing import Literal

from msgspec import Struct, field

from api.history.stats.buckets import Interval
from api.history.stats.dimensions import Dimension


class Metrics(Struct, frozen=True, kw_only=True):
    """The numbers of some sessions. Each counts where it started, with all that it holds.

    ``visitors`` are different visitors, ``views`` page views, ``events`` page views and API
    calls. A session bounced when it has ended with one page view, no API call and no custom event:
    ``bounce_rate`` is the bounced share of the ended ones, null when none has ended. Durations
    are null without sessions; an open session counts with its duration so far.
    """

    visitors: int = 0
    sessions: int = 0
    views: int = 0
    events: int = 0
    bounce_rate: float | None = None
    duration_mean_ms: int | None = None
    duration_p50_ms: int | None = None
    duration_p90_ms: int | None = None


class Point(Struct, frozen=True, kw_only=True):
    """One bucket: ``label`` is the local time at which the whole of it begins; ``from`` and
    ``to`` are the part of it that lies in the range."""

    label: str
    from_: int = field(name="from")
    to: int
    metrics: Metrics


class Series(Struct, frozen=True, kw_only=True):
    """The buckets of one value of the dimension; null: unknown."""

    value: str | None
    points: list[Point]


class SeriesOfRange(Struct, frozen=True, kw_only=True):
    """A range in buckets, those without sessions included. ``total`` counts a visitor once, in
    however many buckets it was; ``series`` are empty without a dimension."""

    from_: int = field(name="from")
    to: int
    total: Metrics
    points: list[Point]
    series: list[Series]


class Timeseries(Struct, frozen=True, kw_only=True):
    """Sessions over time. ``previous`` is the period before, null when it is not asked for; its
    n-th bucket is to be compared with the n-th one."""

    time_zone: str
    interval: Interval
    dimension: Dimension | None
    current: SeriesOfRange
    previous: SeriesOfRange | None


class Ranked(Struct, frozen=True, kw_only=True):
    """One value of the dimension and its sessions; null: unknown. ``previous`` are the same
    value's sessions in the period before, null when that is not asked for."""

    value: str | None
    metrics: Metrics
    previous: Metrics | None


class Top(Struct, frozen=True, kw_only=True):
    """Values of one dimension, largest first. ``more`` says that there are further ones."""

    from_: int = field(name="from")
    to: int
    dimension: Dimension
    items: list[Ranked]
    more: bool


class Combined(Struct, frozen=True, kw_only=True):
    """One combination of values, in the order of ``dimensions``; null: unknown."""

    values: list[str | None]
    metrics: Metrics
    previous: Metrics | None


class Breakdown(Struct, frozen=True, kw_only=True):
    """Combinations of two dimensions' values, largest first. ``more``: there are further ones."""

    from_: int = field(name="from")
    to: int
    dimensions: list[Dimension]
    items: list[Combined]
    more: bool


class FunnelStep(Struct, frozen=True, kw_only=True):
    """How many came as far as this step. ``rate`` is their share of those at the first step,
    ``rate_from_previous`` of those at the step before; null when nobody was there. The median is
    of the times from the step before to this one, null at the first and when nobody came."""

    step: str
    count: int
    rate: float | None
    rate_from_previous: float | None
    median_from_previous_ms: int | None


class FunnelOfRange(Struct, frozen=True, kw_only=True):
    """The steps in a range. ``entered`` are all sessions, or visitors, that were looked at, and
    ``median_ms`` is of the times from the first step to the last."""

    from_: int = field(name="from")
    to: int
    entered: int
    steps: list[FunnelStep]
    median_ms: int | None


class Funnel(Struct, frozen=True, kw_only=True):
    """How many went through the steps in their order, within ``within_ms`` if that is given."""

    by: Literal["session", "visitor"]
    within_ms: int | None
    current: FunnelOfRange
    previous: FunnelOfRange | None


class Returned(Struct, frozen=True, kw_only=True):
    """Those of a cohort that came in the ``number``-th interval after their first; 0 is the first
    itself. ``complete`` says that all of the interval is over, and in the range."""

    number: int
    visitors: int
    rate: float
    complete: bool


class Cohort(Struct, frozen=True, kw_only=True):
    """The visitors whose first visit was in the interval that ``label`` names."""

    label: str
    from_: int = field(name="from")
    to: int
    visitors: int
    returned: list[Returned]


class Retention(Struct, frozen=True, kw_only=True):
    """Who came back. A cohort has a number for each interval from its own to the last that has
    begun; a cohort without visitors has none."""

    from_: int = field(name="from")
    to: int
    time_zone: str
    interval: Interval
    cohorts: list[Cohort]


class PathPage(Struct, frozen=True, kw_only=True):
    """A page at a step, and the sessions that saw it there."""

    path: str
    sessions: int


class PathStep(Struct, frozen=True, kw_only=True):
    """The pages at one distance from the page in question (0), largest first. ``others`` are
    sessions that saw a page that is not listed, ``ended`` those that have no page so far on."""

    number: int
    pages: list[PathPage]
    others: int
    ended: int


class PathLink(Struct, frozen=True, kw_only=True):
    """Sessions that saw ``source`` at step ``number`` and ``target`` at the next. Both are
    listed pages; a null target is the end of the session on this side."""

    number: int
    source: str
    target: str | None
    sessions: int


class Paths(Struct, frozen=True, kw_only=True):
    """Where sessions went from a page, or came from. Without ``page`` from where they began."""

    from_: int = field(name="from")
    to: int
    page: str | None
    direction: Literal["next", "previous"]
    sessions: int
    steps: list[PathStep]
    links: list[PathLink]
