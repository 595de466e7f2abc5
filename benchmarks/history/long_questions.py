"""Questions to months of history, and the SQL that somebody would write first for the same."""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from benchmarks.history import records
from benchmarks.history.asking import Question
from benchmarks.history.lines import Size, names
from benchmarks.history.loading import DAY_MS, start_of
from benchmarks.history.statistics import naive

MONTH_MS = 30 * DAY_MS
_PAGE = "/products/7"


class History(NamedTuple):
    """What was loaded: so many sessions in the days before ``now``."""

    size: Size
    days: int
    now: int

    def some_session(self, random: Random) -> int:
        """One of those with events."""
        return random.randrange(self.size.first, self.size.sessions)

    def some_time(self, random: Random) -> int:
        """An instant in the history, a day from its ends."""
        return self.now - random.randrange(DAY_MS, max(2, self.days - 1) * DAY_MS)


def lists(history: History) -> list[Question]:
    """Lists with filters and sorts as a person sets them, and a session with its events."""

    def before(random: Random) -> str:
        return f"/sessions?to={history.some_time(random)}"

    def on_a_day(parameters: str) -> Callable[[Random], str]:
        return lambda random: _on(history.some_time(random), parameters)

    def visitor(random: Random) -> str:
        name = names(history.some_session(random), history.size).visitor
        return f"/visitors/{name}?site={records.SITE}"

    month = f"from={history.now - MONTH_MS}&to={history.now}"

    def of_month(parameters: str) -> Callable[[Random], str]:
        return lambda _: f"/sessions?{parameters}&{month}"

    return [
        Question("list: newest 50", lambda _: "/sessions"),
        Question("list: before some time", before),
        Question("list: open sessions", lambda _: "/sessions?status=open"),
        Question("list: longest of all", lambda _: "/sessions?sort=-duration"),
        Question("list: longest of a month", of_month("sort=-duration")),
        Question("list: most events, oldest first", lambda _: "/sessions?sort=events"),
        Question("list: last ended, mobile", lambda _: "/sessions?sort=-end&device=mobile"),
        Question("list: a country, on a day", on_a_day("country=FR")),
        Question("list: country and browser, month", of_month("country=BR&browser=Edge")),
        Question("list: entry page, month", of_month(f"entry={_PAGE}")),
        Question("list: contained page, on a day", on_a_day(f"path={_PAGE}")),
        Question("list: bounced, bots only, month", of_month("bounce=true&bots=only")),
        Question("list: a visitor's", visitor),
        Question(
            "detail: session and events",
            lambda random: f"/sessions/{records.session_id(history.some_session(random))}",
        ),
    ]


def statistics(history: History) -> list[Question]:
    """Every statistic over 30 days, without filters and with some."""
    month = f"from={history.now - MONTH_MS}&to={history.now}"
    steps, in_kolkata = f"step={_PAGE}&step=/products/*", "interval=hour&tz=Asia/Kolkata"

    def of(statistic: str, *parameters: str) -> Callable[[Random], str]:
        return lambda _: f"/stats/{statistic}?{'&'.join((month, *parameters))}"

    def of_day(statistic: str, *parameters: str) -> Callable[[Random], str]:
        return lambda r: _on(history.some_time(r), "&".join(parameters), f"/stats/{statistic}")

    return [
        Question("timeseries: by day", of("timeseries", "interval=day")),
        Question(
            "timeseries: by day, compared", of("timeseries", "interval=day", "compare=previous")
        ),
        Question("timeseries: by day and country", of("timeseries", "dimension=country")),
        Question("timeseries: by hour in Kolkata", of("timeseries", in_kolkata)),
        Question("timeseries: mobile, Germany", of("timeseries", "device=mobile", "country=DE")),
        Question("top: countries", of("top", "dimension=country")),
        Question("top: entries", of("top", "dimension=entry")),
        Question("top: entries from search", of("top", "dimension=entry", "channel=search")),
        Question("breakdown: country and device", of("breakdown", "dimensions=country,device")),
        Question("retention: by week", of("retention", "interval=week")),
        Question("overview", lambda _: f"/stats?{month}"),
        Question("top: pages", of("top", "dimension=path")),
        Question("funnel: two steps", of("funnel", steps)),
        Question("paths: after a page", of("paths", f"page={_PAGE}")),
        Question("top: pages of a day", of_day("top", "dimension=path")),
        Question("funnel: two steps of a day", of_day("funnel", steps)),
        Question("paths: after a page of a day", of_day("paths", f"page={_PAGE}")),
    ]


def first_sql(dialect: str, history: History) -> list[Question]:
    """The first SQL for some of them."""
    month = f"start >= {history.now - MONTH_MS} AND start < {history.now}"

    def page(random: Random) -> str:
        skipped = random.randrange(history.size.sessions // 2)
        return f"SELECT message FROM sessions ORDER BY start DESC LIMIT 50 OFFSET {skipped}"

    returning = (
        "WITH firsts AS (SELECT visitor_id, min(start) AS first FROM sessions "
        "WHERE status <> 'merged' AND NOT is_bot GROUP BY 1) "
        "SELECT (f.first - {begin}) / {week}, (s.start - {begin}) / {week}, "
        "count(DISTINCT s.visitor_id) FROM sessions s JOIN firsts f USING (visitor_id) "
        f"WHERE s.status <> 'merged' AND NOT s.is_bot AND f.first >= {{begin}} AND {month} "
        "GROUP BY 1, 2"
    ).format(begin=history.now - MONTH_MS, week=7 * DAY_MS)
    return [
        Question("naive SQL: a page in between, by OFFSET", page),
        *naive(dialect, history.now),
        Question("naive SQL: retention by week", lambda _: returning),
    ]


def _on(instant: int, parameters: str, path: str = "/sessions") -> str:
    return f"{path}?from={instant}&to={instant + DAY_MS}&{parameters}"


def known(history: History) -> tuple[str, int]:
    """A session with events and when it started, to see that answers are right."""
    number = (history.size.first + history.size.sessions) // 2
    start = start_of(number, history.size.sessions, history.days, history.now)
    return records.session_id(number), start
