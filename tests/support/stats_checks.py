"""Statistics over HTTP against the oracle: the same questions to any database."""

from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

import httpx

from tests.support import stats_oracle
from tests.support.stats_histories import BEGIN, HOUR
from tests.support.stats_oracle import Answer, Visit, counted

DAY = 24 * HOUR
START, END = BEGIN + DAY, BEGIN + 6 * DAY
NOW = END + DAY
RANGE = {"from": str(START), "to": str(END)}
Check = Callable[[httpx.Client, list[Visit]], None]
EMPTY = stats_oracle.metrics([])


def ask(api: httpx.Client, statistic: str, **parameters: Any) -> Answer:
    """The answer to a question about the range."""
    answer = api.get(f"/api/v1/stats/{statistic}", params=RANGE | parameters)
    assert answer.status_code == 200, answer.text
    found: Answer = answer.json()
    return found


def check_timeseries(api: httpx.Client, visits: list[Visit], interval: str, zone: str) -> None:
    answer = ask(api, "timeseries", interval=interval, tz=zone, compare="previous")
    for part, (start, end) in {
        "current": (START, END),
        "previous": (START - 5 * DAY, START),
    }.items():
        wanted = counted(visits, start, end)
        found = answer[part]
        assert (found["from"], found["to"]) == (start, end)
        assert found["total"] == stats_oracle.metrics(wanted)
        _check_points(found["points"], wanted, interval, ZoneInfo(zone))
        edges = [point["from"] for point in found["points"]] + [found["points"][-1]["to"]]
        assert edges == sorted(set(edges))
        assert (edges[0], edges[-1]) == (start, end)


def _check_points(
    points: list[Answer], wanted: Sequence[Visit], interval: str, zone: ZoneInfo
) -> None:
    expected = stats_oracle.by_bucket(wanted, interval, zone)
    found = {point["label"]: point["metrics"] for point in points}
    assert {name: of for name, of in found.items() if of["sessions"]} == expected
    assert all(of == EMPTY for name, of in found.items() if name not in expected)


def check_series(api: httpx.Client, visits: list[Visit]) -> None:
    answer = ask(api, "timeseries", interval="day", dimension="device", limit=1)
    wanted = counted(visits, START, END)
    groups = stats_oracle.grouped(wanted, "device")
    assert len(answer["current"]["series"]) == min(1, len(groups))
    for one in answer["current"]["series"]:
        mine = [visit for visit in wanted if visit.session.agent.device == one["value"]]
        most = max(of["visitors"] for of in groups.values())
        assert groups[(one["value"],)]["visitors"] == most
        _check_points(one["points"], mine, "day", ZoneInfo("UTC"))


def check_top(api: httpx.Client, visits: list[Visit], dimension: str) -> None:
    answer = ask(api, "top", dimension=dimension, compare="previous")
    expected = stats_oracle.grouped(counted(visits, START, END), dimension)
    before = stats_oracle.grouped(counted(visits, START - 5 * DAY, START), dimension)
    found = {(item["value"],): item for item in answer["items"]}
    assert {key: item["metrics"] for key, item in found.items()} == expected
    for key, item in found.items():
        assert item["previous"] == before.get(key, EMPTY)
    sizes = [item["metrics"]["visitors"] for item in answer["items"]]
    assert sizes == sorted(sizes, reverse=True)
    pages = [ask(api, "top", dimension=dimension, limit=1, offset=n) for n in range(len(sizes))]
    assert [page["items"][0]["value"] for page in pages] == [i["value"] for i in answer["items"]]
    assert [page["more"] for page in pages] == [True] * (len(sizes) - 1) + [False] * bool(sizes)


def check_breakdown(api: httpx.Client, visits: list[Visit], dimensions: list[str]) -> None:
    answer = ask(api, "breakdown", dimensions=",".join(dimensions), sort="views")
    found = {tuple(item["values"]): item["metrics"] for item in answer["items"]}
    assert found == stats_oracle.grouped(counted(visits, START, END), *dimensions)
    sizes = [item["metrics"]["views"] for item in answer["items"]]
    assert sizes == sorted(sizes, reverse=True)


def check_funnel(
    api: httpx.Client, visits: list[Visit], steps: list[str], by: str, within: str | None
) -> None:
    limit = {"60s": 60_000, "30h": 30 * HOUR}[within] if within else None
    parameters = {"step": steps, "by": by} | ({"within": within} if within else {})
    found = ask(api, "funnel", **parameters)["current"]
    wanted = counted(visits, START, END)
    reached = stats_oracle.funnel(wanted, steps, by, limit)
    subjects = {v.session.session_id if by == "session" else v.visitor for v in wanted}
    assert found["entered"] == len(subjects)
    assert [step["count"] for step in found["steps"]] == [len(one) for one in reached]
    for step, reaches in list(zip(found["steps"], reached, strict=True))[1:]:
        times = [reach.since_previous for reach in reaches]
        assert step["median_from_previous_ms"] == (round(median(times)) if times else None)
    whole = [reach.since_first for reach in reached[-1]]
    assert found["median_ms"] == (round(median(whole)) if whole else None)


def check_retention(api: httpx.Client, visits: list[Visit], interval: str) -> None:
    zone = ZoneInfo("Europe/Berlin")
    answer = ask(api, "retention", interval=interval, tz=zone.key)
    expected = stats_oracle.cohorts(visits, START, END, interval, zone)
    labels = [cohort["label"] for cohort in answer["cohorts"]]
    for number, cohort in enumerate(answer["cohorts"]):
        came = expected.get(cohort["label"], {})
        assert cohort["visitors"] == came.get(cohort["label"], 0)
        if cohort["visitors"]:
            assert [one["visitors"] for one in cohort["returned"]] == [
                came.get(name, 0) for name in labels[number:]
            ]
    assert set(expected) <= set(labels)


def check_paths(api: httpx.Client, visits: list[Visit], page: str | None, direction: str) -> None:
    parameters = {"page": page} if page else {}
    answer = ask(api, "paths", direction=direction, depth=2, limit=2, **parameters)
    walks = stats_oracle.walks(counted(visits, START, END), page, direction, 2)
    assert answer["sessions"] == len(walks)
    for step in answer["steps"]:
        here = [walk[step["number"]] for walk in walks if len(walk) > step["number"]]
        there = [path for path in here if path]
        assert sum(one["sessions"] for one in step["pages"]) + step["others"] == len(there)
        for one in step["pages"]:
            assert one["sessions"] == there.count(one["path"])
        ways = [walk[step["number"] :][:2] for walk in walks]
        assert step["ended"] == sum(way[1:] == [None] for way in ways)
    for link in answer["links"]:
        pair = [link["source"], link["target"]]
        assert link["sessions"] == sum(
            walk[link["number"] : link["number"] + 2] == pair for walk in walks
        )


CHECKS: dict[str, Check] = {
    **{
        f"timeseries by {interval} in {zone}": partial(
            check_timeseries, interval=interval, zone=zone
        )
        for interval, zone in (
            ("hour", "Europe/Berlin"),
            ("hour", "Australia/Lord_Howe"),
            ("day", "Europe/Berlin"),
            ("week", "Europe/Berlin"),
            ("month", "America/New_York"),
        )
    },
    "series": check_series,
    **{
        f"top {dimension}": partial(check_top, dimension=dimension)
        for dimension in ("entry", "exit", "country", "device", "utm_source", "site", "path")
    },
    "breakdown": partial(check_breakdown, dimensions=["country", "device"]),
    "breakdown of pages": partial(check_breakdown, dimensions=["path", "utm_source"]),
    **{
        f"funnel {' '.join(steps)} by {by} within {within}": partial(
            check_funnel, steps=steps, by=by, within=within
        )
        for steps in (["/", "/cart"], ["/shop/*", "page:/cart", "*"], ["*", "api:*", "*", "*"])
        for by in ("session", "visitor")
        for within in (None, "60s", "30h")
    },
    **{
        f"retention by {interval}": partial(check_retention, interval=interval)
        for interval in ("day", "week")
    },
    **{
        f"paths: {direction} of {page}": partial(check_paths, page=page, direction=direction)
        for page in (None, "/cart", "/shop/*")
        for direction in ("next", "previous")
    },
}
"""By what they ask: each compares an API's answers about a history with the oracle's."""
