"""The command line: what an expected failure looks like."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from infra.cli import app
from infra.control import site_of, stop
from infra.errors import InfraError
from infra.launching import Wish, kafka_of, run
from infra.paths import PROJECT, Places
from infra.processes import ProcessMark, mark
from infra.resting import at_rest, in_words
from infra.state import ChildState, StackState, stack_lock, write_state
from infra.steps import Steps
from infra.system import require_disk

COMMANDS = {
    "demo", "doctor", "up", "job", "traffic", "stop", "status", "ledger", "logs", "clean", "setup",
    "sessionize", "replay", "import", "savepoint", "repartition", "keys", "bench", "test", "check",
    "lock",
}  # fmt: skip


def clickwake(*arguments: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "infra.cli", *arguments],
        env={**os.environ, "PYTHONPATH": str(PROJECT), **environ},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_command_is_listed() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    assert all(f"\n  {command} " in shown for command in COMMANDS)


def test_no_commands_summary_is_cut() -> None:
    assert "..." not in CliRunner().invoke(app, ["--help"]).output.replace("[ARGS]...", "")


@pytest.mark.parametrize(
    "command", sorted(COMMANDS - {"sessionize", "replay", "import", "keys", "bench"})
)
def test_help_explains_a_command_and_does_nothing(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert f"clickwake {command}" in result.output or f"root {command}" in result.output


def test_make_lists_every_habit() -> None:
    done = subprocess.run(["make", "help"], cwd=PROJECT, capture_output=True, text=True, check=True)
    listed = {line.split()[0] for line in done.stdout.splitlines()}
    assert listed >= {"up", "job", "stop", "down", "clean", "test", "help"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["status"], "No stack is running"),
        (["traffic"], "No stack is running"),
        (["logs", "api"], "There is no log named 'api'"),
    ],
)
def test_an_expected_failure_is_one_sentence_and_status_1(
    tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    done = clickwake(*arguments, "--data", str(tmp_path / "data"))
    assert done.returncode == 1
    assert done.stderr.startswith(f"clickwake: {sentence}")
    assert done.stderr.count("\n") == 1


def test_the_status_of_what_does_not_run_says_what_is_kept(tmp_path: Path) -> None:
    empty = CliRunner().invoke(app, ["status", "--data", str(tmp_path)])
    assert f"{tmp_path} holds nothing yet" in empty.output
    (tmp_path / "history.db").write_bytes(bytes(3 * 1024 * 1024))
    (tmp_path / "checkpoint").mkdir()
    (tmp_path / "checkpoint" / "0").write_text("x")
    shown = CliRunner().invoke(app, ["status", "--data", str(tmp_path)]).output
    assert re.search(r"history +3\.0 MB, last changed 20\d\d-", shown)
    assert "checkpoint" in shown
    assert "`./clickwake up`" in shown
    told = CliRunner().invoke(app, ["status", "--json", "--data", str(tmp_path)])
    assert told.exit_code == 1
    assert [one["name"] for one in json.loads(told.output)["kept"]] == ["history", "checkpoint"]


def test_the_status_of_a_killed_stack_says_what_is_left(tmp_path: Path) -> None:
    here = Places(data=tmp_path)
    gone = ProcessMark(pid=2**22 + 1, started=1.0)
    children = [ChildState(name="api", status="ready", mark=mark(os.getpid()))]
    state = StackState(
        supervisor=gone, status="serving", kind="demo", addresses={}, children=children
    )
    write_state(here.state_file, state)
    assert next(iter(in_words(at_rest(here)))) == (
        "The last stack was killed; api still run: `./clickwake stop` tidies up."
    )
    with stack_lock(here.lock_file):
        assert at_rest(here).status == "starting"


def test_a_taken_port_is_one_sentence_before_anything_starts(tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        done = clickwake("up", "--port-api", str(port), "--data", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.startswith(f"clickwake: Port {port} for the API and dashboard is taken")
    assert done.stderr.rstrip().endswith("choose another with --port-api.")
    assert done.stdout == ""


def test_a_misspelt_setting_is_one_sentence(tmp_path: Path) -> None:
    done = clickwake("up", "--data", str(tmp_path), CLICKWAKE_KAFKA_BOOTSTRAP="x")
    assert done.returncode == 1
    assert done.stderr.startswith("clickwake: CLICKWAKE_KAFKA_BOOTSTRAP is not a setting")


def test_stopping_nothing_is_fine(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["stop", "--data", str(tmp_path)])
    assert (result.exit_code, result.output.strip()) == (0, "No stack is running.")


def test_a_stack_that_is_being_set_up_cannot_be_stopped_from_outside(tmp_path: Path) -> None:
    here = Places(data=tmp_path)
    with stack_lock(here.lock_file), pytest.raises(InfraError, match="still being set up"):
        stop(here, Steps())


def test_visitors_need_a_demo_site(tmp_path: Path) -> None:
    assert site_of(a_state({"Demo site": "http://127.0.0.1:8010/"})) == "http://127.0.0.1:8010"
    with pytest.raises(InfraError, match="has no demo site"):
        site_of(a_state({"Dashboard": "http://127.0.0.1:8020/"}))


def a_state(addresses: dict[str, str]) -> StackState:
    me = ProcessMark(pid=os.getpid(), started=0.0)
    return StackState(supervisor=me, status="serving", kind="up", addresses=addresses)


def test_clean_refuses_while_a_stack_runs(tmp_path: Path) -> None:
    with stack_lock(Places(data=tmp_path).lock_file):
        done = clickwake("clean", "--yes", "--data", str(tmp_path))
    assert done.returncode == 1
    assert "A stack is running on this data" in done.stderr
    assert tmp_path.exists()


def test_clean_deletes_the_data_after_a_yes(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "kafka").mkdir(parents=True)
    arguments = ["clean", "--data", str(data)]
    assert CliRunner().invoke(app, arguments, input="n\n").exit_code == 1
    assert data.exists()
    assert CliRunner().invoke(app, [*arguments, "--yes"]).exit_code == 0
    assert not data.exists()


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match=r"of disk are needed but .* free: make room"):
        require_disk(tmp_path / "not" / "there", 2**60)


def test_a_full_data_folder_is_told_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=300_000_000))
    with pytest.raises(InfraError, match=r"0\.5 GB of disk are needed but .* has 0\.3 GB free"):
        run(a_wish(tmp_path))


def a_wish(tmp_path: Path, kind: str = "up") -> Wish:
    return Wish(kind=kind, places=Places(data=tmp_path), port_kafka=19999)


def test_the_embedded_kafka_is_used_unless_another_is_named(tmp_path: Path) -> None:
    kafka, is_external = kafka_of(a_wish(tmp_path), {"CLICKWAKE_KAFKA_TOPIC_PREFIX": "shop"})
    assert (kafka.bootstrap_servers, kafka.topic_prefix, is_external) == (
        "127.0.0.1:19999",
        "shop",
        False,
    )
    named = {"CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": "kafka:9092"}
    assert kafka_of(a_wish(tmp_path), named)[0].bootstrap_servers == "kafka:9092"


def test_the_job_alone_never_brings_a_kafka(tmp_path: Path) -> None:
    assert kafka_of(a_wish(tmp_path, "job"), {})[1]
