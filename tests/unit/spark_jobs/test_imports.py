"""What an import finds out about its files before it sends anything, and how it shows progress."""

import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest
import zstandard

from contracts import WATERMARK_END
from spark_jobs import import_files
from spark_jobs.file_arguments import FileError
from spark_jobs.files import FileOptions
from spark_jobs.import_files import Head, blocks, head_of, is_file
from spark_jobs.import_plan import FilePlan, Reject, Scan, Turn, turns
from spark_jobs.import_shown import Stage, described
from spark_jobs.import_state import Memory, Plan, Progress

OPTIONS = FileOptions(
    format="combined", identity="address", count="views", site_id="shop", source="access.log"
)
NOON = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


def line(second: int, path: str = "/", agent: str = "Firefox") -> bytes:
    return (
        f'81.2.69.142 - - [01/Mar/2026:12:00:{second:02} +0000] "GET {path} HTTP/1.1" 200 5 "-" '
        f'"{agent}"\n'
    ).encode()


def ms(second: int) -> int:
    return round(NOON.timestamp() * 1000) + 1000 * second


def plan_of(*floors: int) -> FilePlan:
    return FilePlan(
        name="x", head=Head("d", 1), begin=0, end=len(floors), floors=list(floors),
        checks=[0] * len(floors), counts=[1] * len(floors), left_out={}, unreadable={},
    )  # fmt: skip


@pytest.fixture(autouse=True)
def blocks_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_files, "BLOCK_LINES", 2)


def scanned(file: Path, begin: int = 0, **choices: bool) -> tuple[FilePlan, list[Reject]]:
    rejects: list[Reject] = []
    options = FileOptions(**{name: getattr(OPTIONS, name) for name in OPTIONS.__struct_fields__}
                          | choices)  # fmt: skip
    scan = Scan(options, rejects.append)
    return scan.plan(file, head_of(file), begin, lambda _: None), rejects


def test_a_plan_knows_each_blocks_earliest_event(tmp_path: Path) -> None:
    file = tmp_path / "access.log"
    file.write_bytes(line(5) + line(3) + line(4, "/a.css") + b"what?\n" + line(1))
    plan, rejects = scanned(file)
    assert (plan.begin, plan.end) == (0, 5)
    assert plan.floors == [ms(3), WATERMARK_END, ms(1)]
    assert plan.counts == [2, 0, 1]
    assert plan.left_out == {"style_sheet": 1}
    assert plan.unreadable == {"wrong_format": 1}
    assert [reject[:2] for reject in rejects] == [(4, "wrong_format")]


def test_bots_are_left_out_when_asked(tmp_path: Path) -> None:
    file = tmp_path / "access.log"
    file.write_bytes(line(1) + line(2, agent="Googlebot/2.1"))
    assert scanned(file)[0].left_out == {}
    assert scanned(file, drop_bots=True)[0].left_out == {"bot": 1}


def test_a_line_that_is_being_written_is_for_the_next_import(tmp_path: Path) -> None:
    file = tmp_path / "access.log"
    file.write_bytes(line(1) + line(2) + line(3)[:30])
    plan, rejects = scanned(file)
    assert (plan.end, rejects) == (2, [])
    file.write_bytes(line(1) + line(2) + line(3))
    assert (scanned(file, begin=2)[0].begin, scanned(file, begin=2)[0].end) == (2, 3)
    # Whole, but for its end: many files end so.
    file.write_bytes(line(1) + line(2) + line(3).rstrip())
    assert scanned(file)[0].end == 3


def test_the_file_that_holds_the_clock_back_has_the_turn() -> None:
    """The second begins later and ends earlier; the third's first block has a straggler after."""
    plans = [plan_of(10, 30, 50), plan_of(20, 40), plan_of(60, 5)]
    assert [*turns(plans)] == [
        Turn(2, 0, 5),
        Turn(2, 1, 10),
        Turn(0, 0, 20),
        Turn(1, 0, 30),
        Turn(0, 1, 40),
        Turn(1, 1, 50),
        Turn(0, 2, WATERMARK_END),
    ]
    assert [*turns([plan_of(), plan_of(7)])] == [Turn(1, 0, WATERMARK_END)]


def test_a_file_is_known_wherever_it_is(tmp_path: Path) -> None:
    content = line(1) + line(2)
    (tmp_path / "a").write_bytes(content)
    head = head_of(tmp_path / "a")
    (tmp_path / "a.1.gz").write_bytes(gzip.compress(content + line(3)))
    (tmp_path / "a.2.zst").write_bytes(zstandard.compress(content))
    (tmp_path / "other").write_bytes(content[1:] + line(3))
    (tmp_path / "shorter").write_bytes(line(1))
    names = ["a", "a.1.gz", "a.2.zst", "other", "shorter"]
    assert [is_file(tmp_path / name, head) for name in names] == [True, True, True, False, False]


def test_blocks_are_the_same_lines_in_any_packing(tmp_path: Path) -> None:
    content = line(1) + line(2) + line(3)
    for name, packed in (
        ("a", content), ("a.gz", gzip.compress(content)), ("a.zst", zstandard.compress(content)),
    ):  # fmt: skip
        (tmp_path / name).write_bytes(packed)
        found = [*blocks(tmp_path / name, 1)]
        assert [(one.first, one.lines) for one in found] == [(2, [line(2)[:-1], line(3)[:-1]])]


@pytest.mark.parametrize("name", ["cut.gz", "cut.zst", "none.gz"])
def test_a_damaged_file_is_one_sentence(tmp_path: Path, name: str) -> None:
    packed = {"cut.gz": gzip.compress(line(1) * 99)[:40], "none.gz": line(1)}
    packed["cut.zst"] = b"\x28\xb5\x2f\xfd" + b"\xff" * 30
    (tmp_path / name).write_bytes(packed[name])
    with pytest.raises(FileError, match=f"{name} cannot be read: "):
        [*blocks(tmp_path / name, 0)]


def test_an_endless_line_is_not_kept_whole(tmp_path: Path) -> None:
    file = tmp_path / "access.log"
    file.write_bytes(b"x" * 3_000_000 + b"\n" + line(1))
    (block,) = blocks(file, 0)
    assert len(block.lines[0]) < 1_100_000
    assert block.lines[1] == line(1)[:-1]


def test_a_finished_import_remembers_its_lines(tmp_path: Path) -> None:
    memory = Memory.of(tmp_path, "cluster/1", "clickwake")
    plan = Plan(choices="c", files=[plan_of(1, 2, 3)])
    memory.begin(plan)
    assert memory.unfinished() == (plan, None)
    progress = Progress(turns=1, ends={"0": 7}, sent=2, seen=None)
    memory.advance(progress)
    assert Memory.of(tmp_path, "cluster/1", "clickwake").unfinished() == (plan, progress)
    assert Memory.of(tmp_path, "cluster/2", "clickwake").unfinished() is None
    memory.finish(plan)
    assert memory.unfinished() is None
    assert [(one.lines, one.head) for one in memory.done()] == [(3, Head("d", 1))]
    memory.forget([Head("d", 1)])
    assert memory.done() == []


def test_an_unreadable_memory_says_what_to_do(tmp_path: Path) -> None:
    memory = Memory.of(tmp_path, "", "clickwake")
    (memory.folder / "plan.json").write_text("{")
    with pytest.raises(FileError, match="remove it to begin anew"):
        memory.unfinished()


def test_progress_in_words() -> None:
    stage = Stage("sending", "lines", 1200)
    assert described(stage, 0.0) == "sending: 0 of 1,200 lines (0 %), 0 lines/s"
    stage.advance(300)
    assert described(stage, 10.0) == "sending: 300 of 1,200 lines (25 %), 30 lines/s, 30 s left"
    assert described(Stage("sending", "lines", 0), 1.0).startswith("sending: 0 of 0 lines (100 %)")
