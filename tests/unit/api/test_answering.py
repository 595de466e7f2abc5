"""Large answers are compressed for those who ask for it, and tags hold for both forms."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from api.answering import takes_gzip
from api.history.writer import HistoryWriter
from tests.support.api import client_of
from tests.support.history import a_slice, new_history
from tests.support.messages import NOON, a_session, an_event

PLAIN, GZIP = {"Accept-Encoding": "identity"}, {"Accept-Encoding": "gzip"}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder: Path = tmp_path_factory.mktemp("answers")
    engine = new_history(folder)
    events = [an_event(f"e{n}", visitor_id="visitor-of-s1") for n in range(20)]
    HistoryWriter(engine).take([a_slice("sessions", [a_session()]), a_slice("events", events)])
    engine.dispose()
    with client_of(folder, clock=lambda: NOON + 1000) as client:
        yield client


@pytest.mark.parametrize(
    ("header", "is_taken"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("*", True),
        ("", False),
        ("identity", False),
        ("gzip;q=0", False),
        ("gzip;q=0.000, *", False),
        ("gzip;q=1.0", True),
        ("*;q=0, gzip", True),
        ("x-gzip", False),
    ],
)
def test_who_takes_gzip(header: str, is_taken: bool) -> None:
    assert takes_gzip(header) is is_taken


@pytest.mark.parametrize(
    "path", ["sessions/s1", "visitors/visitor-of-s1?site=shop", "stats", "stats/timeseries"]
)
def test_large_answers_are_compressed(api: httpx.Client, path: str) -> None:
    plain, small = (api.get(f"/api/v1/{path}", headers=one) for one in (PLAIN, GZIP))
    assert "content-encoding" not in plain.headers
    assert plain.headers["vary"] == "Accept-Encoding"
    assert small.json() == plain.json()
    if len(plain.content) >= 1_500:
        assert small.headers["content-encoding"] == "gzip"
        assert int(small.headers["content-length"]) < len(plain.content) / 2
    else:
        assert "content-encoding" not in small.headers


def test_exports_are_streamed_as_they_are(api: httpx.Client) -> None:
    assert "content-encoding" not in api.get("/api/v1/sessions/export", headers=GZIP).headers


def test_who_has_a_session_in_any_form_is_told_so(api: httpx.Client) -> None:
    plain, small = (api.get("/api/v1/sessions/s1", headers=one) for one in (PLAIN, GZIP))
    assert plain.headers["cache-control"] == "private, no-cache"
    assert plain.headers["etag"] != small.headers["etag"], "their bytes differ"
    for one in (plain, small):
        again = api.get("/api/v1/sessions/s1", headers={"If-None-Match": one.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    other = api.get("/api/v1/sessions/s1", headers={"If-None-Match": '"other"'})
    assert other.status_code == 200
