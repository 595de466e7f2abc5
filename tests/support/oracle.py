"""The right sessions, found by sorting and cutting with nothing of the product but the numbers."""

from collections import defaultdict
from collections.abc import Callable, Iterable

import msgspec

from contracts import EnrichedEvent, SessionUpdate
from spark_jobs.rules import MINUTE_MS, Rules


class Expected(msgspec.Struct, frozen=True, order=True):
    """What there is to know of a session without the product."""

    site_id: str
    visitor_id: str
    start: int
    end: int
    events: int
    entry_page: str
    exit_page: str


def expected_sessions(
    events: Iterable[EnrichedEvent],
    rules: Rules,
    gap_of: Callable[[str, str], int],
    person_of: Callable[[str], str] = str,
) -> list[Expected]:
    """Sessions of accepted events. ``gap_of`` tells the gap of a site and path in ms,
    ``person_of`` who is behind a visitor id."""
    by_visitor: dict[tuple[str, str], dict[str, EnrichedEvent]] = defaultdict(dict)
    for event in events:
        by_visitor[event.site_id, person_of(event.visitor_id)].setdefault(event.event_id, event)
    found = []
    for own in by_visitor.values():
        ordered = sorted(own.values(), key=lambda e: (e.event_time, e.sequence, e.event_id))
        found += [_described(cut) for cut in _cut(_kept(ordered, rules), rules, gap_of)]
    return sorted(found)


def described(sessions: Iterable[SessionUpdate]) -> list[Expected]:
    """What the product found, to compare."""
    return sorted(
        Expected(s.site_id, s.visitor_id, s.start, s.end, s.events, s.entry_page, s.exit_page)
        for s in sessions
    )


def _kept(ordered: list[EnrichedEvent], rules: Rules) -> list[EnrichedEvent]:
    in_minute: dict[int, int] = defaultdict(int)
    kept = []
    for event in ordered:
        in_minute[event.event_time // MINUTE_MS] += 1
        if in_minute[event.event_time // MINUTE_MS] <= rules.max_per_minute:
            kept.append(event)
    return kept


def _cut(
    events: list[EnrichedEvent], rules: Rules, gap_of: Callable[[str, str], int]
) -> list[list[EnrichedEvent]]:
    sessions: list[list[EnrichedEvent]] = []
    for event in events:
        last = sessions[-1] if sessions else []
        if (
            not last
            or event.event_time > max(e.event_time + gap_of(e.site_id, e.path) for e in last)
            or event.event_time - last[0].event_time >= rules.max_length
            or len(last) == rules.max_events
        ):
            sessions.append([])
        sessions[-1].append(event)
    return sessions


def _described(session: list[EnrichedEvent]) -> Expected:
    first, last = session[0], session[-1]
    return Expected(
        first.site_id,
        first.visitor_id,
        first.event_time,
        last.event_time,
        len(session),
        first.path,
        last.path,
    )
