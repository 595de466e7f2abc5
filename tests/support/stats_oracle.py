"""What the statistics must answer, by loops over a few visits: slow, plain, and without SQL."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from itertools import groupby
from statistics import mean, quantiles
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from contracts import EnrichedEvent, SessionUpdate

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Answer = dict[str, Any]


class Visit(NamedTuple):
    """A session and its events, in order."""

    session: SessionUpdate
    events: list[EnrichedEvent]

    @property
    def visitor(self) -> tuple[str, str]:
        return self.session.site_id, self.session.visitor_id

    @property
    def pages(self) -> list[str]:
        return [event.path for event in self.events if event.kind == "page"]


def counted(visits: Iterable[Visit], start: int, end: int) -> list[Visit]:
    """The visits of people that began in the range, without merged ones."""
    return [
        visit
        for visit in visits
        if start <= visit.session.start < end
        and visit.session.status != "merged"
        and not visit.session.agent.is_bot
    ]


def metrics(visits: Sequence[Visit], path: str | None = None) -> Answer:
    """The metrics; with a path, views and events are those of it."""
    durations = sorted(visit.session.duration_ms for visit in visits)
    ended = [visit for visit in visits if visit.session.status != "open"]
    bounced = [v for v in ended if (v.session.events, v.session.pages) == (1, 1)]
    tenths = quantiles(durations, n=10, method="inclusive") if len(durations) > 1 else durations * 9
    views = sum(len([p for p in visit.pages if path in (None, p)]) for visit in visits)
    return {
        "visitors": len({visit.visitor for visit in visits}),
        "sessions": len(visits),
        "views": views,
        "events": views if path else sum(len(visit.events) for visit in visits),
        "bounce_rate": round(len(bounced) / len(ended), 4) if ended else None,
        "duration_mean_ms": round(mean(durations)) if visits else None,
        "duration_p50_ms": round(tenths[4]) if visits else None,
        "duration_p90_ms": round(tenths[8]) if visits else None,
    }


_PROPERTIES: dict[str, Callable[[SessionUpdate], str | None]] = {
    "entry": lambda session: session.entry_page,
    "exit": lambda session: session.exit_page,
    "country": lambda session: session.geo.country if session.geo else None,
    "device": lambda session: session.agent.device,
    "utm_source": lambda session: session.attribution.utm_source,
    "site": lambda session: session.site_id,
}


def grouped(visits: Sequence[Visit], *dimensions: str) -> dict[tuple[str | None, ...], Answer]:
    """The metrics of each combination of values."""
    groups: dict[tuple[str | None, ...], list[Visit]] = defaultdict(list)
    for visit in visits:
        for path in sorted(set(visit.pages)) if "path" in dimensions else [""]:
            key = tuple(
                path if name == "path" else _PROPERTIES[name](visit.session) for name in dimensions
            )
            groups[key].append(visit)
    where = dimensions.index("path") if "path" in dimensions else None
    return {
        key: metrics(found, key[where] if where is not None else None)
        for key, found in groups.items()
    }


def label(instant: int, interval: str, zone: ZoneInfo) -> str:
    """The bucket that an instant is in, by the clock on the wall."""
    moment = (EPOCH + timedelta(milliseconds=instant)).astimezone(zone)
    hour = moment.replace(minute=0, second=0, microsecond=0)
    return {
        "hour": hour.isoformat(),
        "day": f"{moment:%Y-%m-%d}",
        "week": f"{moment.date() - timedelta(days=moment.weekday())}",
        "month": f"{moment:%Y-%m}",
    }[interval]


def by_bucket(visits: Sequence[Visit], interval: str, zone: ZoneInfo) -> dict[str, Answer]:
    """The metrics of each bucket with sessions."""
    groups: dict[str, list[Visit]] = defaultdict(list)
    for visit in visits:
        groups[label(visit.session.start, interval, zone)].append(visit)
    return {name: metrics(found) for name, found in groups.items()}


class Reach(NamedTuple):
    """The first time that somebody came as far as a step, and since when."""

    time: int
    since_previous: int
    since_first: int


def funnel(
    visits: Sequence[Visit], steps: Sequence[str], by: str, within: int | None
) -> list[list[Reach]]:
    """For each step those who reached it, by trying every chain of events there is."""
    events: dict[Any, list[EnrichedEvent]] = defaultdict(list)
    for visit in visits:
        subject = visit.session.session_id if by == "session" else visit.visitor
        events[subject] += visit.events
    reached: list[list[Reach]] = [[] for _ in steps]
    for found in events.values():
        chains = [c for c in _chains(found, steps) if within is None or c[-1] - c[0] <= within]
        for number, reaches in enumerate(reached):
            ends = [(c[-1], -c[-2:][0], -c[0]) for c in chains if len(c) == number + 1]
            if ends:
                time, passed, _ = min(ends)
                begun = min(begun for end, _, begun in ends if end == time)
                reaches.append(Reach(time, time + passed, time + begun))
    return reached


def _chains(events: list[EnrichedEvent], steps: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """The times of every way through some first steps."""
    chains: list[tuple[int, ...]] = [()]
    for step in steps:
        times = {event.event_time for event in events if _is_step(event, step)}
        chains = [(*c, time) for c in chains for time in times if not c or time > c[-1]]
        yield from chains


def _is_step(event: EnrichedEvent, step: str) -> bool:
    kind, colon, path = step.rpartition(":")
    return fnmatchcase(event.path, path) and (not colon or event.kind == kind)


def cohorts(
    visits: Sequence[Visit], start: int, end: int, interval: str, zone: ZoneInfo
) -> dict[str, Counter[str]]:
    """By the bucket of the first visit ever: visitors by the buckets in which they came."""
    came: dict[Any, list[int]] = defaultdict(list)
    for visit in counted(visits, -(2**60), end):
        came[visit.visitor].append(visit.session.start)
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for starts in came.values():
        if min(starts) >= start:
            names = {label(one, interval, zone) for one in starts}
            found[label(min(starts), interval, zone)].update(names)
    return found


def walks(
    visits: Sequence[Visit], page: str | None, direction: str, depth: int
) -> list[list[str | None]]:
    """Each session's pages from the first view of the page on, then None if it ended there."""
    found: list[list[str | None]] = []
    for visit in visits:
        pages = [path for path, _ in groupby(visit.pages)]
        ordered = pages if direction == "next" else pages[::-1]
        starts = [n for n, path in enumerate(ordered) if page is None or fnmatchcase(path, page)]
        if starts:
            found.append([*ordered[starts[0] :], None][: depth + 2])
    return found
