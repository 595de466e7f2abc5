"""The statistics over HTTP: what they mean, what cannot be asked, and what may be kept.

It is 2026-03-01 13:00 UTC, a Sunday.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from msgspec.structs import replace
from sqlalchemy import Engine

from api.history.writer import HistoryWriter
from contracts import EnrichedEvent, SessionUpdate
from tests.support.api import client_of
from tests.support.history import a_slice, new_history
from tests.support.messages import MINUTE, NOON, a_session, an_event

HOUR = 60 * MINUTE
DAY = 24 * HOUR
STATISTICS = {
    "timeseries": "",
    "top": "dimension=country",
    "breakdown": "dimensions=country,device",
    "funnel": "step=/&step=/cart",
    "retention": "",
    "paths": "",
}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return new_history(tmp_path)


@pytest.fixture
def api(engine: Engine, tmp_path: Path) -> Iterator[httpx.Client]:
    with client_of(tmp_path, clock=lambda: NOON + HOUR) as client:
        yield client


def keep(engine: Engine, *visits: tuple[SessionUpdate, list[EnrichedEvent]]) -> None:
    sessions, events = [one for one, _ in visits], [event for _, two in visits for event in two]
    writer = HistoryWriter(engine)
    writer.take([a_slice("sessions", sessions)])
    if events:
        writer.take([a_slice("events", events)])


def a_visit(
    visitor: str, *paths: str, start: int = NOON, **fields: Any
) -> tuple[SessionUpdate, list[EnrichedEvent]]:
    """A session of page views, a minute from one to the next."""
    times = [start + MINUTE * number for number in range(len(paths))]
    session = a_session(
        f"{visitor}-{start}",
        visitor_id=visitor,
        start=start,
        end=times[-1],
        status=fields.pop("status", "final"),
        events=len(paths),
        pages=len(paths),
        entry_page=paths[0],
        exit_page=paths[-1],
        **fields,
    )
    events = [
        an_event(f"{visitor}-{time}", visitor_id=visitor, path=path, event_time=time)
        for path, time in zip(paths, times, strict=True)
    ]
    return session, events


def get(api: httpx.Client, question: str) -> dict[str, Any]:
    answer = api.get(f"/api/v1/stats/{question}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_hours_of_today_and_of_yesterday_until_now(api: httpx.Client, engine: Engine) -> None:
    keep(
        engine,
        a_visit("ann", "/", "/cart"),
        a_visit("ann", "/", start=NOON - HOUR),
        a_visit("bob", "/", "/cart", "/pay", start=NOON + 5 * MINUTE, status="open"),
        a_visit("robot", "/", is_bot=True),
        a_visit("gone", "/", status="merged", merged_into="ann"),
        a_visit("cid", "/", start=NOON - DAY),
        a_visit("late", "/", start=NOON - DAY + 2 * HOUR),
    )
    answer = get(api, "timeseries?period=today&interval=hour&compare=previous")
    today, yesterday = answer["current"], answer["previous"]
    assert [len(today["points"]), len(yesterday["points"])] == [24, 13]
    assert today["total"] == {
        "visitors": 2,
        "sessions": 3,
        "views": 6,
        "events": 6,
        "bounce_rate": 0.5,
        "duration_mean_ms": MINUTE,
        "duration_p50_ms": MINUTE,
        "duration_p90_ms": 108_000,
    }
    busy = {p["label"]: p["metrics"] for p in today["points"] if p["metrics"]["sessions"]}
    assert {hour: (m["visitors"], m["views"]) for hour, m in busy.items()} == {
        "2026-03-01T11:00:00+00:00": (1, 1),
        "2026-03-01T12:00:00+00:00": (2, 5),
    }
    assert (yesterday["to"], yesterday["total"]["visitors"]) == (NOON - DAY + HOUR, 1)


def test_top_pages_count_views_and_whole_sessions(api: httpx.Client, engine: Engine) -> None:
    keep(
        engine,
        a_visit("ann", "/", "/cart", "/"),
        a_visit("bob", "/"),
        a_visit("bob", "/", start=NOON - DAY - HOUR),
    )
    answer = get(api, "top?dimension=path&sort=views&compare=previous&limit=1")
    (first,) = answer["items"]
    assert (first["value"], answer["more"]) == ("/", True)
    assert (first["metrics"]["views"], first["metrics"]["visitors"]) == (3, 2)
    assert (first["metrics"]["bounce_rate"], first["metrics"]["duration_p50_ms"]) == (0.5, MINUTE)
    assert first["previous"]["views"] == 1
    rest = get(api, "top?dimension=path&sort=views&offset=1")
    assert [item["value"] for item in rest["items"]] == ["/cart"]
    assert rest["more"] is False


def test_a_breakdown_combines_two_dimensions(api: httpx.Client, engine: Engine) -> None:
    keep(
        engine,
        a_visit("ann", "/"),
        a_visit("bob", "/", country=None),
        a_visit("cid", "/", "/cart", country=None),
    )
    answer = get(api, "breakdown?dimensions=country,entry")
    found = [(item["values"], item["metrics"]["visitors"]) for item in answer["items"]]
    assert found == [([None, "/"], 2), (["DE", "/"], 1)]


def test_filters_choose_the_sessions_of_every_statistic(api: httpx.Client, engine: Engine) -> None:
    keep(engine, a_visit("ann", "/", "/cart"), a_visit("bob", "/", country="FR"))
    for only in ("path=/cart", "country=DE", "visitor=ann", "duration_min=1m"):
        assert get(api, f"timeseries?{only}")["current"]["total"]["sessions"] == 1
        assert get(api, f"top?dimension=path&{only}")["items"][0]["metrics"]["sessions"] == 1
        assert (
            get(api, f"breakdown?dimensions=path,entry&{only}")["items"][0]["metrics"]["sessions"]
            == 1
        )
        assert get(api, f"funnel?step=/&step=/cart&{only}")["current"]["entered"] == 1
        assert get(api, f"paths?{only}")["sessions"] == 1
        assert get(api, f"retention?{only}")["cohorts"][-1]["visitors"] == 1


def test_a_funnel_steps_on_custom_events_by_their_name(api: httpx.Client, engine: Engine) -> None:
    session, events = a_visit("ann", "/", "/cart")
    signed_up = an_event(
        "sign-up",
        visitor_id="ann",
        path="/cart",
        kind="custom",
        name="sign-up",
        event_time=NOON + MINUTE,
    )
    keep(engine, (session, [*events, signed_up]), a_visit("bob", "/", "/cart"))
    steps = get(api, "funnel?step=/&step=event:sign-up")["current"]["steps"]
    assert [(s["step"], s["count"]) for s in steps] == [("/", 2), ("event:sign-up", 1)]
    no_pattern = get(api, "funnel?step=/&step=event:sign-*")["current"]["steps"]
    assert no_pattern[1]["count"] == 0


def test_a_funnel_is_strict_in_time_and_takes_the_best_beginning(
    api: httpx.Client, engine: Engine
) -> None:
    keep(
        engine,
        # In the wrong order; then right, but a day after the first beginning.
        a_visit("ann", "/cart", "/shop/a", start=NOON - DAY + HOUR),
        a_visit("ann", "/shop/b", "/", "/cart"),
        a_visit("bob", "/shop/a"),
    )
    question = "funnel?step=/shop/*&step=page:/cart&within=1h&from=-2d"
    by_session = get(api, question)["current"]
    assert [step["count"] for step in by_session["steps"]] == [3, 1]
    by_visitor = get(api, f"{question}&by=visitor")["current"]
    assert by_visitor["entered"] == 2
    assert by_visitor["steps"][1] == {
        "step": "page:/cart",
        "count": 1,
        "rate": 0.5,
        "rate_from_previous": 0.5,
        "median_from_previous_ms": 2 * MINUTE,
    }
    assert by_visitor["median_ms"] == 2 * MINUTE
    assert get(api, question.replace("1h", "119s"))["current"]["steps"][1]["count"] == 0
    assert get(api, question.replace("1h", "2m"))["current"]["steps"][1]["count"] == 1


def test_events_of_one_moment_are_no_two_steps(api: httpx.Client, engine: Engine) -> None:
    session, events = a_visit("ann", "/", "/cart")
    at_once = [an_event(f"{n}", visitor_id="ann", path=one.path) for n, one in enumerate(events)]
    keep(engine, (session, at_once))
    assert [s["count"] for s in get(api, "funnel?step=/&step=/cart")["current"]["steps"]] == [1, 0]


def test_weeks_of_first_visits(api: httpx.Client, engine: Engine) -> None:
    keep(
        engine,
        a_visit("old", "/", start=NOON - 100 * DAY),
        a_visit("old", "/"),
        a_visit("ann", "/", start=NOON - 8 * DAY),
        a_visit("ann", "/"),
        a_visit("bob", "/", start=NOON - 9 * DAY),
    )
    cohorts = get(api, "retention")["cohorts"]
    assert len(cohorts) == 12
    assert cohorts[-2] == {
        "label": "2026-02-16",
        "from": NOON - 13 * DAY - 12 * HOUR,
        "to": NOON - 6 * DAY - 12 * HOUR,
        "visitors": 2,
        "returned": [
            {"number": 0, "visitors": 2, "rate": 1.0, "complete": True},
            {"number": 1, "visitors": 1, "rate": 0.5, "complete": False},
        ],
    }
    assert (cohorts[-1]["visitors"], cohorts[-1]["returned"]) == (0, [])
    assert len(get(api, "retention?interval=day")["cohorts"]) == 14


def test_paths_to_and_from_a_page(api: httpx.Client, engine: Engine) -> None:
    keep(
        engine,
        a_visit("ann", "/", "/cart", "/cart", "/pay"),
        a_visit("bob", "/blog", "/cart"),
        a_visit("cid", "/"),
    )
    after = get(api, "paths?page=/cart&depth=1")
    assert (after["sessions"], after["steps"]) == (
        2,
        [
            {"number": 0, "pages": [{"path": "/cart", "sessions": 2}], "others": 0, "ended": 1},
            {"number": 1, "pages": [{"path": "/pay", "sessions": 1}], "others": 0, "ended": 1},
        ],
    )
    before = get(api, "paths?page=/cart&direction=previous&depth=1")
    assert [(link["target"], link["sessions"]) for link in before["links"]] == [
        ("/", 1),
        ("/blog", 1),
    ]
    entry = get(api, "paths?limit=1")
    assert entry["steps"][0] == {
        "number": 0,
        "pages": [{"path": "/", "sessions": 2}],
        "others": 1,
        "ended": 1,
    }


def test_events_under_a_visitors_further_ids_count(api: httpx.Client, engine: Engine) -> None:
    session, (first, *rest) = a_visit("ann", "/", "/cart", "/pay", other_visitor_ids=["anna"])
    keep(engine, (session, [first, *(replace(event, visitor_id="anna") for event in rest)]))
    pages = get(api, "top?dimension=path&sort=views")["items"]
    assert {page["value"]: page["metrics"]["views"] for page in pages} == {
        "/": 1, "/cart": 1, "/pay": 1,
    }  # fmt: skip
    funnel = get(api, "funnel?step=/&step=/pay")
    assert [step["count"] for step in funnel["current"]["steps"]] == [1, 1]
    (after,) = [step for step in get(api, "paths?page=/cart&depth=1")["steps"] if step["number"]]
    assert after["pages"] == [{"path": "/pay", "sessions": 1}]


@pytest.mark.parametrize(
    ("question", "parameter"),
    [
        ("timeseries?interval=minute&from=-2d", "interval"),
        ("timeseries?interval=day&from=1990-01-01T00:00:00Z", "interval"),
        ("timeseries?interval=year", "interval"),
        ("timeseries?from=-9007199254740991", "from"),
        ("timeseries?to=9007199254740991", "to"),
        ("retention?to=9007199254740991", "to"),
        ("timeseries?compare=next", "compare"),
        ("timeseries?compare=previous&from=1950-01-01T00:00:00Z&interval=month", "compare"),
        ("timeseries?limit=21", "limit"),
        ("timeseries?from=5&to=4", "to"),
        ("top", "dimension"),
        ("top?dimension=colour", "dimension"),
        ("top?dimension=country&sort=bounce_rate", "sort"),
        ("top?dimension=country&limit=1001", "limit"),
        ("top?dimension=country&offset=-1", "offset"),
        ("breakdown", "dimensions"),
        ("breakdown?dimensions=country", "dimensions"),
        ("breakdown?dimensions=country,country", "dimensions"),
        ("breakdown?dimensions=country,colour", "dimensions"),
        ("funnel", "step"),
        ("funnel?step=/", "step"),
        ("funnel?step=/&step=page:", "step"),
        ("funnel?step=/&step=a%00b", "step"),
        ("funnel?" + "&".join(["step=/"] * 9), "step"),
        ("funnel?step=/&step=/cart&within=0", "within"),
        ("funnel?step=/&step=/cart&within=soon", "within"),
        ("funnel?step=/&step=/cart&by=site", "by"),
        ("retention?interval=month", "interval"),
        ("retention?interval=day&from=-100d", "interval"),
        ("retention?compare=previous", "compare"),
        ("paths?depth=11", "depth"),
        ("paths?page=", "page"),
        ("paths?direction=up", "direction"),
        *((f"{name}?{query}&colour=red", "colour") for name, query in STATISTICS.items()),
        *((f"{name}?{query}&tz=Mars/Olympus", "tz") for name, query in STATISTICS.items()),
    ],
)
def test_what_cannot_be_asked(api: httpx.Client, question: str, parameter: str) -> None:
    answer = api.get(f"/api/v1/stats/{question}")
    assert answer.status_code == 422, answer.text
    errors = answer.json()["errors"]
    assert [error["parameter"].partition(".")[0] for error in errors] == [parameter]
    assert errors[0]["detail"]


@pytest.mark.parametrize("name", STATISTICS)
def test_answers_are_as_documented_and_empty_without_sessions(
    api: httpx.Client, engine: Engine, name: str
) -> None:
    document = api.get("/openapi.json").json()
    responses = document["paths"][f"/api/v1/stats/{name}"]["get"]["responses"]
    schema = responses["200"]["content"]["application/json"]["schema"] | {
        "components": document["components"]
    }
    question = f"{name}?{STATISTICS[name]}"
    for _ in range(2):
        answer = get(api, question)
        jsonschema.validate(answer, schema)
        keep(engine, a_visit("ann", "/", "/cart"))
    assert answer != get(api, f"{question}&to=0")


def test_an_answer_is_sent_once(api: httpx.Client, engine: Engine) -> None:
    keep(engine, a_visit("ann", "/"))
    question = "/api/v1/stats/top?dimension=country"
    first = api.get(question)
    assert first.headers["cache-control"] == "private, no-cache"
    again = api.get(question, headers={"If-None-Match": f'"other", W/{first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    keep(engine, a_visit("bob", "/"))
    changed = api.get(question, headers={"If-None-Match": first.headers["etag"]})
    assert (changed.status_code, changed.json()["items"][0]["metrics"]["visitors"]) == (200, 2)


def test_what_is_long_over_may_be_kept_for_a_minute(api: httpx.Client) -> None:
    answer = api.get("/api/v1/stats/timeseries?day=2026-02-26")
    assert answer.headers["cache-control"] == "private, max-age=60"
    answer = api.get("/api/v1/stats/timeseries?day=2026-02-27")
    assert answer.headers["cache-control"] == "private, no-cache"


def test_a_question_that_takes_too_long_is_ended(
    api: httpx.Client, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(engine, *(a_visit("ann", "/", start=NOON - number) for number in range(3_000)))
    monkeypatch.setattr("api.history.stats.scanning.LONGEST_S", 0.0)
    answer = api.get("/api/v1/stats/breakdown?dimensions=path,device")
    assert answer.status_code == 503
    assert answer.json()["detail"] == "This takes longer than 0 s: ask for a shorter range."
    monkeypatch.undo()
    assert get(api, "top?dimension=country")["items"][0]["metrics"]["sessions"] == 3_000
