"""Questions to the statistics, and the SQL that somebody would write first for the same."""

from collections.abc import Mapping
from random import Random

from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from benchmarks.history.asking import DAY_MS, Ask, Question
from benchmarks.history.storing import MONTH_MS

_PAGE = "/products/7"
_MONTH = "start >= {begin} AND start < {end} AND status <> 'merged' AND NOT is_bot"
_QUANTILES = ", ".join(
    f"percentile_cont({share}) WITHIN GROUP (ORDER BY duration_ms)" for share in (0.5, 0.9)
)
_NUMBERS = {
    "sqlite": "count(DISTINCT visitor_id), count(*), sum(pages), avg(duration_ms)",
    "postgresql": "count(DISTINCT visitor_id), count(*), sum(pages), avg(duration_ms), "
    + _QUANTILES,
}
"""SQLite has no percentile function: what is first written for it leaves quantiles out."""

_DAY = {
    "sqlite": "date(start / 1000, 'unixepoch')",
    "postgresql": "date_trunc('day', to_timestamp(start / 1000.0))",
}


def statistics(now: int) -> list[Question]:
    """What a dashboard shows of a month, and of the events of a day."""
    month = f"from={now - MONTH_MS}&to={now}"

    def day(random: Random) -> str:
        begin = _some_day(random, now)
        return f"from={begin}&to={begin + DAY_MS}"

    steps = f"step={_PAGE}&step=/products/*"
    return [
        Question("timeseries: a month by day", lambda _: _path("timeseries", month)),
        Question(
            "timeseries: a month by day and country",
            lambda _: _path("timeseries", month, "dimension=country"),
        ),
        Question("top: countries of a month", lambda _: _path("top", month, "dimension=country")),
        Question("top: entries of a month", lambda _: _path("top", month, "dimension=entry")),
        Question("top: pages of a day", lambda r: _path("top", day(r), "dimension=path")),
        Question(
            "breakdown: country and device of a month",
            lambda _: _path("breakdown", month, "dimensions=country,device"),
        ),
        Question("retention: a month by week", lambda _: _path("retention", month)),
        Question("funnel: two steps of a day", lambda r: _path("funnel", day(r), steps)),
        Question("paths: after a page of a day", lambda r: _path("paths", day(r), f"page={_PAGE}")),
    ]


def naive(dialect: str, now: int) -> list[Question]:
    """The first SQL for some of the same, for a day or a month in UTC."""
    month = _MONTH.format(begin=now - MONTH_MS, end=now)
    numbers = _NUMBERS[dialect]

    def pages(random: Random) -> str:
        begin = _some_day(random, now)
        return (
            "SELECT path, count(DISTINCT visitor_id), count(*) FROM events "
            f"WHERE event_time >= {begin} AND event_time < {begin + DAY_MS} "
            "AND kind = 'page' AND NOT is_bot GROUP BY path ORDER BY 2 DESC LIMIT 50"
        )

    grouped: Mapping[str, str] = {"by day": _DAY[dialect], "by country": "country"}
    return [
        *(
            Question(
                f"naive SQL: a month {name}",
                lambda _, by=by: f"SELECT {by}, {numbers} FROM sessions WHERE {month} GROUP BY 1",
            )
            for name, by in grouped.items()
        ),
        Question("naive SQL: pages of a day", pages),
    ]


def sql_asker(engine: Engine) -> Ask:
    """Asks the database itself: 200 and the rows. What fails says why."""

    def ask(query: str) -> tuple[int, bytes]:
        try:
            with engine.connect() as connection:
                return 200, repr(connection.execute(text(query)).all()).encode()
        except DBAPIError as error:
            # Such as a query that takes longer than the API would let it.
            return 503, str(error.orig).encode()

    return ask


def _path(statistic: str, *parameters: str) -> str:
    return f"/stats/{statistic}?{'&'.join(parameters)}"


def _some_day(random: Random, now: int) -> int:
    return now - MONTH_MS + random.randrange(MONTH_MS - DAY_MS)
