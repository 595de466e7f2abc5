"""Funnels: who went through some steps in their order.

A step is reached by an event that matches it and is later than one that reached the step before,
and not later than the limit after the first step's. Whoever may begin more than once is judged
by the best of the beginnings: for each event, SQL carries along the *latest* first step from
which it can be reached, by one window a step. If even that is too long ago, no other will do.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    Select,
    and_,
    case,
    func,
    literal,
    or_,
    select,
    union_all,
)

from api.calendar import Range
from api.history.filters import SessionFilter, session_conditions
from api.history.models import SessionRow
from api.history.patterns import is_like
from api.history.stats import answers
from api.history.stats.quantiles import NOTHING, distributions
from api.history.stats.visits import EVENT, with_events
from contracts.events import EventKind

Subject = Literal["session", "visitor"]
EVENT_STEP = "event:"
"""Stands before the name of a custom event that is a step."""

_MEDIAN = 5


class Step(NamedTuple):
    """What an event must be. ``path`` is a pattern (``api.history.patterns``); no kind: any.

    Of a ``custom`` event it is the name, as it is.
    """

    path: str
    kind: EventKind | None = None

    def __str__(self) -> str:
        if self.kind == "custom":
            return EVENT_STEP + self.path
        return f"{self.kind}:{self.path}" if self.kind else self.path


class Rules(NamedTuple):
    """The steps in order, who goes through them, and within which time (ms) of the first."""

    steps: tuple[Step, ...]
    by: Subject
    within_ms: int | None


def funnel(
    connection: Connection, wanted: SessionFilter, instants: Range, rules: Rules
) -> answers.FunnelOfRange:
    """How many of the wanted sessions, or of their visitors, came how far."""
    times = distributions(connection, _reached(_chained(wanted, rules), rules), ("step",), "time")
    found = [times.get((n,), NOTHING) for n in range(len(rules.steps) + 1)]
    counts = [one.size for one in found]
    return answers.FunnelOfRange(
        from_=instants.start,
        to=instants.end,
        entered=connection.execute(_subjects(wanted, rules.by)).scalar_one(),
        steps=[
            answers.FunnelStep(
                step=str(step),
                count=counts[n],
                rate=_rate(counts[n], counts[0]),
                rate_from_previous=_rate(counts[n], counts[n - 1]) if n else None,
                median_from_previous_ms=found[n].quantile(_MEDIAN) if n else None,
            )
            for n, step in enumerate(rules.steps)
        ],
        median_ms=found[-1].quantile(_MEDIAN),
    )


def _rate(count: int, of: int) -> float | None:
    return round(count / of, 4) if of else None


def _subjects(wanted: SessionFilter, by: Subject) -> Select[Any]:
    whose = _subject(by)
    found = select(*whose).where(*session_conditions(wanted)).distinct().subquery("subjects")
    return select(func.count()).select_from(found)


def _subject(by: Subject) -> list[Any]:
    row = SessionRow
    return [row.session_id] if by == "session" else [row.site_id, row.visitor_id]


def _matched(wanted: SessionFilter, rules: Rules) -> CTE:
    """Those events of the wanted sessions that are a step, and which: ``s0``, ``s1`` …"""
    matches = [_matches(step) for step in rules.steps]
    flags = [case((match, 1), else_=0).label(f"s{n}") for n, match in enumerate(matches)]
    whose = [column.label(f"w{n}") for n, column in enumerate(_subject(rules.by))]
    query = select(*whose, EVENT.event_time.label("time"), *flags).where(
        *session_conditions(wanted), or_(*matches)
    )
    if wanted.start_from is not None:
        # Implied, but the planner cannot know: lets it find the events by time.
        query = query.where(EVENT.event_time >= wanted.start_from)
    return with_events(query).cte("level0")


def _matches(step: Step) -> ColumnElement[bool]:
    if step.kind == "custom":
        return and_(EVENT.kind == step.kind, EVENT.name == step.path)
    is_there = is_like(EVENT.path, step.path)
    return and_(is_there, EVENT.kind == step.kind) if step.kind else is_there


def _chained(wanted: SessionFilter, rules: Rules) -> CTE:
    """To each event and step n that it reaches: the latest beginning ``b`` of a chain that ends
    here, and the latest time ``p`` of the step before in such a chain; both null if none does."""
    level = _matched(wanted, rules)
    time = level.c.time
    first = case((level.c.s0 == 1, time))
    level = select(level, first.label("b0"), first.label("p0")).cte("level1")
    for n in range(1, len(rules.steps)):
        level = _next_level(level, n, rules)
    return level


def _next_level(level: CTE, n: int, rules: Rules) -> CTE:
    row = level.c
    whose = [column for column in row if column.key.startswith("w")]
    earlier = row[f"b{n - 1}"]
    begun = _before(earlier, whose, row.time)
    passed = _before(case((earlier.is_not(None), row.time)), whose, row.time)
    looked = select(level, begun.label("begun"), passed.label("passed")).subquery(f"looked{n}").c
    is_in_time: Any = looked[f"s{n}"] == 1
    if rules.within_ms is not None:
        is_in_time &= looked.time - looked.begun <= rules.within_ms
    kept = [column for column in looked if column.key not in ("begun", "passed")]
    return select(
        *kept,
        case((is_in_time, looked.begun)).label(f"b{n}"),
        case((is_in_time, looked.passed)).label(f"p{n}"),
    ).cte(f"level{n + 1}")


def _before(what: Any, whose: Sequence[Any], time: Any) -> Any:
    """The largest of what came strictly earlier, not at the same time."""
    return func.max(what).over(partition_by=whose, order_by=time, range_=(None, -1))


def _reached(level: CTE, rules: Rules) -> Select[Any]:
    """A row for each subject and step that it reached, with the time since the step before; and
    after the last number one more row for the last step, with the time since the first."""
    steps = [_first_time(level, n, "passed", n) for n in range(len(rules.steps))]
    whole = _first_time(level, len(rules.steps) - 1, "begun", len(rules.steps))
    return select(union_all(*steps, whole).subquery("reached"))


def _first_time(level: CTE, n: int, since: str, number: int) -> Select[Any]:
    row = level.c
    whose = [column for column in row if column.key.startswith("w")]
    marks = {"begun": row[f"b{n}"], "passed": row[f"p{n}"]}
    order = func.row_number().over(partition_by=whose, order_by=row.time)
    every = select((row.time - marks[since]).label("time"), order.label("nth"))
    first = every.where(marks["begun"].is_not(None)).subquery(f"first{number}").c
    return select(literal(number).label("step"), first.time).where(first.nth == 1)
