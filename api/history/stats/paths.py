"""Paths: what people viewed after a page, or before it."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from sqlalchemy import (
    CTE,
    BigInteger,
    Connection,
    Select,
    Subquery,
    Text,
    and_,
    exists,
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
from api.history.stats.visits import EVENT, has_viewed, with_events

Direction = Literal["next", "previous"]
_TOTALS, _PAGES, _LINKS = range(3)
_ZERO: Any = literal(0, BigInteger)
Listed = Mapping[tuple[int, str], int]
"""Step and page → sessions."""


class Walk(NamedTuple):
    """From where (None: from where the session began), which way, how many steps, and how many
    pages are listed at each."""

    page: str | None
    direction: Direction
    depth: int
    limit: int


def paths(
    connection: Connection, wanted: SessionFilter, instants: Range, walk: Walk
) -> answers.Paths:
    """The walks of all wanted sessions that saw the page, each from where it first saw it.

    A page that is loaded again is no step.
    """
    totals: dict[int, tuple[int, int]] = {}
    listed: dict[tuple[int, str], int] = {}
    links: list[answers.PathLink] = []
    # One query: all three are of the same steps, which take the longest.
    for part, n, source, target, count, ended in connection.execute(_query(wanted, walk)):
        if part == _TOTALS:
            totals[n] = (count, ended)
        elif part == _PAGES:
            listed[n, source] = count
        else:
            link = answers.PathLink(number=n, source=source, target=target, sessions=count)
            links.append(link)
    return answers.Paths(
        from_=instants.start,
        to=instants.end,
        page=walk.page,
        direction=walk.direction,
        sessions=totals.get(0, (0, 0))[0],
        steps=[_step(n, *totals[n], listed) for n in sorted(totals)],
        links=links,
    )


def _step(number: int, count: int, ended: int, listed: Listed) -> answers.PathStep:
    pages = [
        answers.PathPage(path=path, sessions=of) for (n, path), of in listed.items() if n == number
    ]
    others = count - sum(page.sessions for page in pages)
    return answers.PathStep(number=number, pages=pages, others=others, ended=ended)


def _views(wanted: SessionFilter, walk: Walk) -> Subquery:
    """The page views of the wanted sessions, each with the page before it."""
    row = EVENT
    order = (row.event_time, row.sequence, row.event_id)
    before = func.lag(row.path).over(partition_by=SessionRow.session_id, order_by=order)
    query = select(SessionRow.session_id, row.path, *order, before.label("before")).where(
        *session_conditions(wanted), row.kind == "page"
    )
    if walk.page is not None:
        # Spares putting in order all the sessions that never saw it.
        query = query.where(has_viewed(walk.page))
    if wanted.start_from is not None:
        # Implied, but the planner cannot know: lets it find the events by time.
        query = query.where(row.event_time >= wanted.start_from)
    return with_events(query).subquery("views")


def _pages(wanted: SessionFilter, walk: Walk) -> CTE:
    """The pages of each session in the order of the walk, numbered, each with the next one."""
    view = _views(wanted, walk).c
    keys = (view.event_time, view.sequence, view.event_id)
    order = keys if walk.direction == "next" else [key.desc() for key in keys]
    within: dict[str, Any] = {"partition_by": view.session_id, "order_by": order}
    return (
        select(
            view.session_id,
            view.path,
            func.row_number().over(**within).label("nth"),
            func.lead(view.path).over(**within).label("target"),
        )
        .where(or_(view.before.is_(None), view.before != view.path))
        .cte("pages")
    )


def _steps(wanted: SessionFilter, walk: Walk) -> CTE:
    """A row for each session and step that it took."""
    page = _pages(wanted, walk).c
    starts = select(page.session_id, func.min(page.nth).label("nth")).group_by(page.session_id)
    if walk.page is not None:
        starts = starts.where(is_like(page.path, walk.page))
    start = starts.subquery("starts").c
    number = page.nth - start.nth
    return (
        select(number.label("number"), page.path, page.target)
        .where(page.session_id == start.session_id, number.between(0, walk.depth))
        .cte("steps")
    )


def _query(wanted: SessionFilter, walk: Walk) -> Select[Any]:
    """Totals, listed pages and their links: part, number, source, target, sessions, ended."""
    steps = _steps(wanted, walk)
    pages = _largest(steps, walk)
    every = union_all(_totals(steps), _of_pages(pages), _links(steps, pages, walk))
    row = every.subquery("answer").c
    # Totals first; of the rest the largest, and texts so that the answer is always the same.
    return select(*row).order_by(row.part, row.number, row.count.desc(), row.source, row.target)


def _totals(steps: CTE) -> Select[Any]:
    step, nothing = steps.c, literal(None, Text)
    count, ended = func.count().label("count"), func.count() - func.count(step.target)
    return select(
        *(literal(_TOTALS).label("part"), step.number, nothing.label("source")),
        *(nothing.label("target"), count, ended.label("ended")),
    ).group_by(step.number)


def _largest(steps: CTE, walk: Walk) -> CTE:
    """The pages that are listed."""
    step = steps.c
    count = func.count().label("count")
    counted = select(step.number, step.path, count).group_by(step.number, step.path)
    page = counted.subquery("counted").c
    order = (page.count.desc(), page.path)
    rank = func.row_number().over(partition_by=page.number, order_by=order).label("rank")
    ranked = select(page.number, page.path, page.count, rank).subquery("ranked").c
    listed = select(ranked.number, ranked.path, ranked.count).where(ranked.rank <= walk.limit)
    return listed.cte("listed")


def _of_pages(pages: CTE) -> Select[Any]:
    page = pages.c
    return select(literal(_PAGES), page.number, page.path, literal(None, Text), page.count, _ZERO)


def _links(steps: CTE, pages: CTE, walk: Walk) -> Select[Any]:
    """From each listed page to each at the next step, or to the session's end."""
    step, source, target = steps.c, pages.alias("source").c, pages.alias("target").c
    is_source = and_(source.number == step.number, source.path == step.path)
    is_target = exists().where(target.number == step.number + 1, target.path == step.target)
    pair = (step.number, step.path, step.target)
    return (
        select(literal(_LINKS), *pair, func.count(), _ZERO)
        .where(is_source, step.number < walk.depth, or_(step.target.is_(None), is_target))
        .group_by(*pair)
    )
