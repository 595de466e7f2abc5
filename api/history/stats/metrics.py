"""The metrics of groups of sessions, by two queries that both databases take."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Connection, Label, RowMapping, Select, cast, func, select, tuple_

from api.history.stats.answers import Metrics
from api.history.stats.collation import by_code_point
from api.history.stats.facts import Facts
from api.history.stats.quantiles import NOTHING, Distribution, Key, distributions

_SUMS = ("ended", "bounced", "views", "events", "duration")


class Order(NamedTuple):
    """Which groups: those with the most ``by`` (a count), from the ``offset``-th on."""

    by: str
    limit: int
    offset: int = 0


class Sums(NamedTuple):
    """What is counted of a group, durations in ms."""

    visitors: int
    sessions: int
    ended: int
    bounced: int
    views: int
    events: int
    duration: int


def measured(
    connection: Connection, facts: Facts, keys: Sequence[str] = (), order: Order | None = None
) -> dict[Key, Metrics]:
    """The metrics of each group; with an order those it wants, in it. No key may be null."""
    found = _counted(connection, facts, keys, order)
    if order:
        facts = among(facts, keys, list(found))
    durations = distributions(connection, facts, keys, "duration") if found else {}
    return {key: metrics_of(_sums(row), durations.get(key, NOTHING)) for key, row in found.items()}


def largest(connection: Connection, facts: Facts, keys: Sequence[str], order: Order) -> list[Key]:
    """The groups that the order wants, in it."""
    return list(_counted(connection, facts, keys, order))


def among(facts: Facts, keys: Sequence[str], chosen: Sequence[Key]) -> Facts:
    """The facts of the chosen groups only."""
    source = facts.subquery("chosen")
    columns = [source.c[name] for name in keys]
    if len(columns) == 1:
        return select(source).where(columns[0].in_([key[0] for key in chosen]))
    return select(source).where(tuple_(*columns).in_(chosen))


def _counted(
    connection: Connection, facts: Facts, keys: Sequence[str], order: Order | None
) -> dict[Key, RowMapping]:
    rows = connection.execute(_counts(facts, keys, order)).mappings()
    return {tuple(row[name] for name in keys): row for row in rows}


def _counts(facts: Facts, keys: Sequence[str], order: Order | None) -> Select[Any]:
    columns = _by_visitor(facts, keys).subquery("visitors").c
    by = [columns[name] for name in keys]
    sums = [_sum(columns[name], name) for name in ("sessions", *_SUMS)]
    query = select(*by, func.count().label("visitors"), *sums).group_by(*by)
    if order is None:
        return query
    group = query.subquery("groups").c
    # The keys break ties, so that the same question has the same answer on any database.
    ranked = select(*group).order_by(
        group[order.by].desc(), *(by_code_point(group[name]) for name in keys)
    )
    return ranked.limit(order.limit).offset(order.offset)


def _by_visitor(facts: Facts, keys: Sequence[str]) -> Select[Any]:
    """A row for each group's visitor: hashing the facts once gives visitors and sums alike, where
    ``count(DISTINCT …)`` would sort them all."""
    given = facts.subquery("facts").c
    whose = [*(given[name] for name in keys), given.site_id, given.visitor_id]
    sums = [_sum(given[name], name) for name in _SUMS]
    return select(*whose, func.count().label("sessions"), *sums).group_by(*whose)


def metrics_of(sums: Sums, durations: Distribution) -> Metrics:
    """What the sums and the durations of a group come to."""
    ended, sessions = sums.ended, sums.sessions
    return Metrics(
        visitors=sums.visitors,
        sessions=sessions,
        views=sums.views,
        events=sums.events,
        bounce_rate=round(sums.bounced / ended, 4) if ended else None,
        duration_mean_ms=round(sums.duration / sessions) if sessions else None,
        duration_p50_ms=durations.quantile(5),
        duration_p90_ms=durations.quantile(9),
    )


def _sums(row: RowMapping) -> Sums:
    return Sums(*(row[name] for name in Sums._fields))


def _sum(column: Any, name: str) -> Label[int]:
    # PostgreSQL sums bigints to numeric; whole numbers stay whole either way.
    return cast(func.coalesce(func.sum(column), 0), BigInteger).label(name)
