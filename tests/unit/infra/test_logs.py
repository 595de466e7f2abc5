from pathlib import Path

import pytest

from infra.children import last_lines
from infra.errors import InfraError
from infra.logs import show, tail
from infra.paths import Places
from infra.rotation import rotate


def test_the_tail_is_read_in_blocks(tmp_path: Path) -> None:
    file = tmp_path / "x.log"
    file.write_text("".join(f"line {n}\n" for n in range(100)))
    with file.open("rb") as log:
        assert list(tail(log, 3, block=16)) == ["line 97", "line 98", "line 99"]
        assert log.read() == b""


def test_a_short_log_is_shown_whole(tmp_path: Path) -> None:
    file = tmp_path / "x.log"
    file.write_text("only\n")
    with file.open("rb") as log:
        assert list(tail(log, 50)) == ["only"]


def test_no_lines_asked_no_lines_shown(tmp_path: Path) -> None:
    file = tmp_path / "x.log"
    file.write_text("one\ntwo\n")
    with file.open("rb") as log:
        assert list(tail(log, 0)) == []


def test_all_logs_are_shown_with_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Places(data=tmp_path)
    here.logs.mkdir()
    here.log("api").write_text("a\n")
    here.log("job").write_text("b\n")
    show(here, None, 10, follow=False)
    assert capsys.readouterr().out.split() == ["api", "a", "job", "b"]


def test_an_unknown_log_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match="no log named 'nobody'"):
        show(Places(data=tmp_path), "nobody", 10, follow=False)


def test_the_last_line_explains_a_failure(tmp_path: Path) -> None:
    file = tmp_path / "x.log"
    file.write_text("start\nCLICKWAKE_JOB_GAPP is not a setting\n")
    assert last_lines(file) == "CLICKWAKE_JOB_GAPP is not a setting"
    assert last_lines(tmp_path / "missing.log") == ""


def test_big_logs_step_aside_and_the_oldest_goes(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    for content in "abcde":
        log.write_text(content * 10)
        rotate(log, largest_bytes=10, kept=3)
    assert not log.exists()
    kept = sorted(tmp_path.iterdir())
    assert [(file.name, file.read_text()[0]) for file in kept] == [
        ("x.log.1", "e"),
        ("x.log.2", "d"),
        ("x.log.3", "c"),
    ]


def test_a_small_log_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text("short")
    rotate(log, largest_bytes=10)
    assert log.read_text() == "short"
