"""Erased visitors leave topics' files and logs."""

import json
from pathlib import Path

import pytest

from contracts import Erasure
from contracts.erasures import mark_of
from contracts.naming import named_in
from infra.erasing.files import redact_logs, scan_files
from infra.erasing.topics import Spot, Whose, joined, rewrite, segments_of, with_joined
from infra.paths import Places
from tests.unit.infra.test_segments import a_batch, read

KEY = "0123456789abcdef" * 4


def an_erasure(*names: str) -> Erasure:
    return Erasure(
        erasure_id="01970000-0000-7000-8000-000000000001",
        site_id="shop",
        phase="cleaning",
        key=KEY,
        marks=[mark_of(KEY, "shop", name) for name in names],
        requested=0,
    )


def an_event(visitor: str, previous: str | None = None, site: str = "shop") -> bytes:
    event = {"site_id": site, "visitor_id": visitor, "previous_visitor_id": previous}
    return json.dumps(event).encode()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A topic's segment with its indexes, and one of a topic that names nobody."""
    for topic in ("clickwake.requests-0", "clickwake.bucket-stats-0"):
        (tmp_path / topic).mkdir()
    folder = tmp_path / "clickwake.requests-0"
    events = [an_event("b", "a"), an_event("bob"), an_event("c", "b"), an_event("c", site="blog")]
    (folder / "00000000000000000000.log").write_bytes(a_batch(0, events))
    for suffix in ("index", "timeindex"):
        (folder / f"00000000000000000000.{suffix}").touch()
    (tmp_path / "clickwake.bucket-stats-0" / "00000000000000000000.log").touch()
    return tmp_path


def test_links_lead_from_id_to_id() -> None:
    links = [frozenset("ab"), frozenset("cd"), frozenset("bc"), frozenset("xy")]
    assert joined({"d"}, links) == {"a", "b", "c", "d"}


def test_only_topics_that_may_name_visitors_are_looked_at(log: Path) -> None:
    assert [(spot.role, spot.file.parent.name) for spot in segments_of(log)] == [
        ("requests", "clickwake.requests-0")
    ]


def test_all_ids_that_the_records_join_are_dropped_and_other_sites_stay(log: Path) -> None:
    spots = segments_of(log)
    erasure = with_joined(an_erasure("a"), spots)
    assert set(erasure.marks) == set(an_erasure("a", "b", "c").marks)
    assert rewrite(erasure, spots) == 2
    left = read(spots[0].file.read_bytes())
    assert [(offset, json.loads(value)["visitor_id"]) for offset, _, value in left] == [
        (1, "bob"),
        (3, "c"),
    ]
    assert not list(spots[0].file.parent.glob("*index"))


def test_a_segment_that_names_nobody_is_not_touched(log: Path) -> None:
    (spot,) = segments_of(log)
    before = spot.file.stat().st_mtime_ns
    assert rewrite(an_erasure("eve"), [Spot(spot.role, spot.file)]) == 0
    assert spot.file.stat().st_mtime_ns == before
    assert spot.file.with_suffix(".index").exists()


def test_a_word_of_a_broken_record_may_be_an_id() -> None:
    whose = Whose(an_erasure("ada"))
    assert any(map(whose.is_erased, named_in("requests", None, b'{"visitor_id":"ada",')))


def test_logs_lose_the_id_and_keep_their_length(tmp_path: Path) -> None:
    here, erasure = Places(data=tmp_path), an_erasure("~3f7.ada")
    here.logs.mkdir()
    log = here.logs / "api.log"
    log.write_text("GET /api/v1/visitors/~3f7.ada?site=shop\nvisitor '~3f7.ada' \xff bob\n")
    size = log.stat().st_size
    assert scan_files(erasure, here) == {"logs/api.log": 1}
    assert redact_logs(erasure, here) == 2
    assert "ada" not in log.read_text()
    assert "bob" in log.read_text()
    assert log.stat().st_size == size
    assert scan_files(erasure, here) == {}


def test_other_files_are_only_told_of(tmp_path: Path) -> None:
    (tmp_path / "exports").mkdir()
    (tmp_path / "exports" / "list.csv").write_text("visitor_id,events\n~3f7.ada,3\n")
    here = Places(data=tmp_path)
    assert scan_files(an_erasure("~3f7.ada"), here) == {"exports/list.csv": 1}
