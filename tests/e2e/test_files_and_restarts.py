"""Real files through the command line and the running stack; stopping and starting again."""

import csv
import gzip
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

from tests.support.stack import RunningStack
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

DATA = Path("tests/fixtures/data")
LOG = str(DATA / "elastic_apache_access.log.gz")
SHOP = str(DATA / "retentioneering_ecom.csv.gz")
COMBINED = ("--format", "combined", "--count", "all")
UNEQUAL = {"epoch", "revision", "processed_time", "broker_time"}
"""What a batch job and the stream cannot have in common: when and how often they looked."""


def content(session: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in session.items() if name not in UNEQUAL}


@pytest.mark.parametrize(
    ("arguments", "sessions"),
    [
        ((LOG, *COMBINED, "--identity", "address+agent"), 3_223),
        ((SHOP, "--format", "csv", "--identity", "column", "--count", "all"), 3_605),
        ((SHOP, "--format", "csv", "--count", "all", "--gap", "10m"), 4_171),
    ],
)
def test_known_answers(stack: RunningStack, tmp_path: Path, arguments, sessions) -> None:
    out = tmp_path / "sessions.ndjson"
    rejects = ("--rejects", str(tmp_path / "rejects"))
    done = stack.run("sessionize", *arguments, "--out", str(out), *rejects)
    assert done.returncode == 0, done.stderr
    assert len(out.read_text().splitlines()) == sessions
    assert f"{sessions:,}" in done.stdout
    if arguments[0] == LOG:
        assert (tmp_path / "rejects").read_text().startswith("8899\twrong_format\t")


def test_the_shops_own_marks_agree(stack: RunningStack, tmp_path: Path) -> None:
    """The generated data carries its true sessions: same counts of events by visitor and start."""
    out = tmp_path / "sessions.ndjson"
    stack.run("sessionize", SHOP, "--format", "csv", "--count", "all", "--out", str(out))
    found = {
        (s["visitor_id"], s["start"], s["end"], s["events"])
        for s in map(json.loads, out.read_text().splitlines())
    }
    times: dict[tuple[str, str], list[int]] = {}
    with gzip.open(SHOP, "rt") as file:
        for row in csv.DictReader(file):
            moment = datetime.fromisoformat(row["timestamp"]).replace(tzinfo=UTC)
            key = (row["user_id"], row["session_id"])
            times.setdefault(key, []).append(int(moment.timestamp() * 1000))
    expected = {(user, min(t), max(t), len(t)) for (user, _), t in times.items()}
    assert found == expected
    assert len(found) == 3_605


def test_a_replayed_and_an_imported_log_end_in_the_batch_jobs_sessions(
    stack: RunningStack, tmp_path: Path
) -> None:
    out = tmp_path / "sessions.ndjson"
    options = (LOG, *COMBINED, "--identity", "address", "--site", "replayed-log")
    rejects = ("--rejects", str(tmp_path / "rejects"))
    done = stack.run("sessionize", *options, "--out", str(out), *rejects)
    assert done.returncode == 0, done.stderr
    replayed = stack.run("replay", *options)
    assert replayed.returncode == 0, replayed.stderr
    assert "9,999 events sent" in replayed.stdout
    wait_until(
        lambda: len(stack.sessions("site=replayed-log&bots=include&status=final")) == 3_052,
        120,
        "3,052 final sessions in the history",
    )
    batch = {s["session_id"]: content(s) for s in map(json.loads, out.read_text().splitlines())}
    history = stack.sessions("site=replayed-log&bots=include")
    assert {s["session_id"]: content(s) for s in history} == batch
    assert len(batch) == 3_052
    assert imported_sessions(stack, *rejects) == sorted_anonymous(batch.values())


def imported_sessions(stack: RunningStack, *options: str) -> list[str]:
    """Those of the same file, imported as another site: so their ids are others. Twice: no more."""
    command = ("import", LOG, *COMBINED, "--identity", "address", "--site", "imported-log")
    place = ("--data", str(stack.data))
    imported = stack.run(*command, *options, *place)
    assert imported.returncode == 0, imported.stderr
    assert "10,000 lines of 1 file imported as site imported-log: 9,999 events" in imported.stdout
    again = stack.run(*command, *options, *place)
    assert again.returncode == 0, again.stderr
    assert "Nothing new" in again.stdout
    query = "site=imported-log&bots=include&status=final"
    wait_until(lambda: len(stack.sessions(query)) == 3_052, 120, "3,052 more final sessions")
    return sorted_anonymous(map(content, stack.sessions("site=imported-log&bots=include")))


def sorted_anonymous(sessions: Iterable[dict[str, object]]) -> list[str]:
    """Without what depends on the site's name."""
    ours = ("session_id", "site_id")
    return sorted(
        json.dumps({k: v for k, v in one.items() if k not in ours}, sort_keys=True)
        for one in sessions
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("no-such-file", "--format", "csv", "--out", "x.csv"), "is not a file that can be read"),
        ((LOG, "--format", "combined", "--out", "x.xlsx"), "must end in .ndjson, .csv or .parquet"),
        (
            (LOG, "--format", "combined", "--identity", "column", "--out", "x.csv"),
            "an access log has no visitor column",
        ),
        (
            (SHOP, "--format", "csv", "--out", "x.csv", "--gap", "thirty"),
            "'thirty' is not a duration",
        ),
        (
            (SHOP, "--format", "csv", "--out", "x.csv", "--time-column", "when"),
            "no column for event_time",
        ),
    ],
)
def test_a_wrong_call_gets_one_sentence(stack: RunningStack, arguments, sentence) -> None:
    done = stack.run("sessionize", *arguments)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_stopping_leaves_nothing_behind_and_starting_goes_on(stack: RunningStack) -> None:
    before = stack.sessions("bots=include")
    stopped = stack.run("stop", "--data", str(stack.data))
    assert stopped.returncode == 0, stopped.stderr
    left = [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if str(stack.data) in " ".join(process.info["cmdline"] or [])
    ]
    assert left == []
    again = stack.start()
    assert again.returncode == 0, again.stdout + again.stderr
    known = {s["session_id"] for s in stack.sessions("bots=include")}
    assert {s["session_id"] for s in before} <= known
    second = stack.start()
    assert second.returncode == 1
    assert "Traceback" not in second.stderr
    assert len(second.stderr.strip().splitlines()) <= 2
