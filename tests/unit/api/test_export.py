"""Exports: every session once, in a form that other programs read, however it is broken off."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest
from sqlalchemy import Engine

from api.history import export as exporting
from api.history.export import ForgottenError, pages_of
from api.history.facts import keep_moment
from api.history.formats import cell
from api.history.listing import Listing
from api.history.writer import HistoryWriter
from contracts import Attribution, Geo, SessionUpdate
from tests.support.api import client_of
from tests.support.history import a_slice, new_history
from tests.support.messages import MINUTE, NOON, a_session

EXPORT = "/api/v1/sessions/export"


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "PAGE", 3)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return new_history(tmp_path)


@pytest.fixture
def api(engine: Engine, tmp_path: Path) -> Iterator[httpx.Client]:
    """The API at 13:00 UTC; what it knows was stored at noon."""
    keep(engine, *(a_session(f"s{n}", start=NOON + n // 2) for n in range(8)))
    with client_of(tmp_path, clock=lambda: NOON + 60 * MINUTE) as client:
        yield client


def keep(engine: Engine, *sessions: SessionUpdate) -> None:
    HistoryWriter(engine, clock=lambda: NOON).take([a_slice("sessions", sessions)])


def lines(answer: httpx.Response) -> list[Any]:
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def ids(answer: httpx.Response) -> list[str]:
    return [line["session_id"] for line in lines(answer)]


def test_ndjson_has_what_the_list_has(api: httpx.Client) -> None:
    for query in ("", "sort=start&", "from=-1h&fields=session_id,geo.country&"):
        listed = api.get(f"/api/v1/sessions?{query}limit=1000").json()["items"]
        assert lines(api.get(f"{EXPORT}?{query}")) == listed
        assert len(listed) == 8


def test_headers_say_how_much_and_as_of_when(api: httpx.Client) -> None:
    headers = api.get(f"{EXPORT}?format=csv").headers
    assert headers["clickwake-as-of"] == str(NOON)
    assert (headers["clickwake-count"], headers["clickwake-count-is-exact"]) == ("8", "true")
    assert headers["content-type"] == "text/csv; charset=utf-8; header=present"
    assert headers["content-disposition"] == 'attachment; filename="sessions.csv"'


def test_an_export_that_broke_off_goes_on(api: httpx.Client, engine: Engine) -> None:
    whole = api.get(f"{EXPORT}?sort=duration")
    begun = api.get(f"{EXPORT}?sort=duration&limit=5")
    keep(engine, a_session("new", start=NOON - 1), a_session("s4", end=NOON + 9, revision=2))
    as_of = begun.headers["clickwake-as-of"]
    rest = api.get(f"{EXPORT}?sort=duration&as_of={as_of}&after={ids(begun)[-1]}")
    assert lines(begun) + lines(rest) == lines(whole)
    assert lines(api.get(f"{EXPORT}?sort=duration&as_of={as_of}")) == lines(whole)
    assert len(lines(api.get(EXPORT))) == 9


def test_it_goes_on_after_a_session_only(api: httpx.Client) -> None:
    answer = api.get(f"{EXPORT}?after=nobody")
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["parameter"] == "after"
    assert "session_id of a session in the export" in error["detail"]


def test_sessions_that_change_while_it_runs_are_as_they_were(engine: Engine) -> None:
    keep(engine, *(a_session(f"s{n}", start=NOON + n) for n in range(8)))
    found = []
    for page in pages_of(engine, Listing(as_of=NOON), None, None):
        found += [(item.session_id, json.loads(item.message)["revision"]) for item in page]
        keep(engine, *(a_session(f"s{n}", start=NOON - 9, revision=2) for n in range(8)))
    assert found == [(f"s{n}", 1) for n in reversed(range(8))]


def test_nothing_is_held_between_two_pages(engine: Engine) -> None:
    keep(engine, *(a_session(f"s{n}") for n in range(8)))
    assert next(pages_of(engine, Listing(), None, None))
    assert engine.pool.checkedout() == 0  # type: ignore[attr-defined]


def test_it_ends_when_what_it_reads_is_forgotten(engine: Engine) -> None:
    keep(engine, *(a_session(f"s{n}") for n in range(8)))
    pages = pages_of(engine, Listing(as_of=NOON), None, None)
    next(pages)
    with engine.begin() as connection:
        keep_moment(connection, "revisions_from", NOON + 1)
    with pytest.raises(ForgottenError):
        next(pages)


def test_without_revisions_it_reads_what_is_there(engine: Engine, tmp_path: Path) -> None:
    keep(engine, *(a_session(f"s{n}") for n in range(8)))
    with client_of(tmp_path, clock=lambda: NOON, revisions_keep="0s") as client:
        answer = client.get(EXPORT)
        assert len(ids(answer)) == 8
        assert "clickwake-as-of" not in answer.headers


ODD = a_session(
    "odd",
    entry_page='=HYPERLINK("http://evil.example")',
    exit_page='a "quoted", page\nof two lines',
    referrer=None,
    geo=Geo(country="FR", city="@Paris", latitude=-48.85),
    attribution=Attribution(utm_source="+1", utm_term="\tx", utm_content="ü"),
    flags=["thinned", "cut_count"],
)


def test_csv_is_read_back_and_holds_no_formula(engine: Engine, tmp_path: Path) -> None:
    keep(engine, ODD)
    with client_of(tmp_path, clock=lambda: NOON) as client:
        text = client.get(f"{EXPORT}?format=csv").content.decode()
        chosen = client.get(f"{EXPORT}?format=csv&fields=start,geo.city,session_id").text
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert row["entry_page"] == '\'=HYPERLINK("http://evil.example")'
    assert row["exit_page"] == 'a "quoted", page\nof two lines'
    assert (row["geo.city"], row["geo.latitude"]) == ("'@Paris", "-48.85")
    assert (row["attribution.utm_source"], row["attribution.utm_term"]) == ("'+1", "'\tx")
    assert (row["referrer"], row["flags"], row["agent.is_bot"]) == (
        "",
        "thinned cut_count",
        "false",
    )
    assert row["start"] == str(NOON)
    assert chosen == f"session_id,start,geo.city\r\nodd,{NOON},'@Paris\r\n"


@pytest.mark.parametrize("first", "=+-@\t\r\n＝＋－＠")
def test_no_cell_begins_a_formula(first: str) -> None:
    assert cell(f"{first}1") == f"'{first}1"
    assert cell([f"{first}1"]) == f"'{first}1"


@pytest.mark.parametrize("value", ["a=1", "", " x", -5, 1.5, None])
def test_other_cells_stay_as_they_are(value: Any) -> None:
    assert cell(value) == value


def test_parquet_has_types_and_row_groups(
    api: httpx.Client, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.history.parquet.GROUP_ROWS", 6)
    keep(engine, ODD)
    file = pq.ParquetFile(io.BytesIO(api.get(f"{EXPORT}?format=parquet").content))
    assert (file.num_row_groups, file.metadata.num_rows) == (2, 9)
    rows = {row["session_id"]: row for row in file.read().to_pylist()}
    assert rows["odd"]["start"] == datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert rows["odd"]["flags"] == ["thinned", "cut_count"]
    assert rows["odd"]["entry_page"] == '=HYPERLINK("http://evil.example")'
    assert rows["odd"]["geo.latitude"] == -48.85
    assert rows["s0"]["geo.city"] is None
    assert set(rows) == {"odd", *(f"s{n}" for n in range(8))}


@pytest.mark.parametrize(("form", "size"), [("csv", 1), ("ndjson", 0)])
def test_an_empty_export(tmp_path: Path, form: str, size: int) -> None:
    new_history(tmp_path)
    with client_of(tmp_path, clock=lambda: NOON) as client:
        assert len(client.get(f"{EXPORT}?format={form}").text.splitlines()) == size
        empty = client.get(f"{EXPORT}?format=parquet&fields=start").content
    assert pq.read_table(io.BytesIO(empty)).num_rows == 0
