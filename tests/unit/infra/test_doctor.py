"""The doctor: things are broken on purpose, and it must say what is wrong and what to do."""

import fcntl
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from contracts.findings import Finding
from contracts.kafka import KafkaSettings
from contracts.topics import TOPICS
from infra.doctor import files, kafka, machine, parts, running
from infra.doctor.command import as_json, exit_status, verdict
from infra.doctor.examination import Examination
from infra.jars import JAR_SETS
from infra.paths import PROJECT, Places
from infra.ports import API_PORT, HOST
from infra.processes import ProcessMark, mark
from infra.state import ChildState, StackState, write_state
from tests.support.history import new_history
from tests.support.job import MMDB
from tests.support.messages import NOON, a_job_status, encoded

NOBODY = KafkaSettings(bootstrap_servers="127.0.0.1:1")


def only(found: Iterable[Finding]) -> Finding:
    (one,) = found
    return one


def says(finding: Finding, level: str, what: str, todo: str = "") -> None:
    """The finding has this level and these words, as whole sentences."""
    assert (finding.level, what in finding.what, todo in finding.todo) == (level, True, True), (
        finding
    )
    assert finding.what.endswith(".")
    assert finding.level == "ok" or finding.level == "note" or finding.todo


def test_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.java.FOLDER_OF_RUNTIMES", tmp_path)
    says(
        machine.java({"PATH": ""}),
        "problem",
        "needs a Java 17 or 21 runtime",
        "openjdk-17-jre-headless",
    )


def test_an_old_java_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.java.FOLDER_OF_RUNTIMES", tmp_path)
    command = tmp_path / "java-8" / "bin" / "java"
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_402\"' >&2\n")
    command.chmod(0o755)
    found = machine.java({"JAVA_HOME": str(tmp_path / "java-8"), "PATH": ""})
    says(found, "problem", "Java 8", "Install")


@pytest.fixture
def cached(tmp_path: Path) -> Places:
    """A cache with whole sets of jars."""
    for one in JAR_SETS:
        folder = tmp_path / "jars" / one.name
        folder.mkdir(parents=True)
        (folder / "versions.txt").write_text(one.versions)
        for root in one.roots:
            with zipfile.ZipFile(folder / f"{'-'.join(root.split(':')[1:])}.jar", "w") as jar:
                jar.writestr("META-INF/MANIFEST.MF", "")
    return Places(cache=tmp_path, data=tmp_path / "data")


def test_whole_jars(cached: Places) -> None:
    says(machine.jars(cached), "ok", "All 3 sets are whole")


def test_a_missing_jar_is_named(cached: Places) -> None:
    (cached.cache / "jars/kafka/kafka_2.13-4.2.0.jar").unlink()
    says(machine.jars(cached), "problem", "kafka/kafka_2.13-4.2.0.jar", "`./clickwake setup`")


def test_a_torn_jar_and_a_missing_set_are_named(cached: Places) -> None:
    (cached.cache / "jars/kafka/torn-1.0.jar").write_bytes(b"PK")
    shutil.rmtree(cached.cache / "jars/spark")
    found = machine.jars(cached)
    says(found, "problem", "kafka/torn-1.0.jar, the set spark")


@pytest.mark.parametrize(
    ("free", "level"), [(10**11, "ok"), (10**9, "warning"), (400_000_000, "problem")]
)
def test_room_on_the_disk(tmp_path: Path, free: int, level: str) -> None:
    found = machine.disk(tmp_path / "not" / "there", free_of=lambda folder: free)
    says(found, level, "GB are free", "Make room" if level != "ok" else "")


@pytest.mark.parametrize(
    ("runs", "available", "level"),
    [(False, 10**9, "warning"), (True, 10**9, "ok"), (True, 10**8, "warning")],
)
def test_memory(runs: bool, available: int, level: str) -> None:
    says(machine.memory(runs, available), level, "GB of memory")


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    here = Places(cache=tmp_path, data=Path("/proc/clickwake"))
    data, cache = machine.folders(here)
    says(data, "problem", "/proc/clickwake cannot be written", "CLICKWAKE_INFRA_DATA")
    says(cache, "ok", "can be written")


def test_a_secret_that_others_can_read(tmp_path: Path) -> None:
    here = Places(cache=tmp_path, data=tmp_path)
    (tmp_path / "site-secret").write_text("k")
    (tmp_path / "site-secret").chmod(0o644)
    *_, secret = machine.folders(here)
    says(secret, "warning", "can be read by others", "chmod 600")
    (tmp_path / "site-secret").chmod(0o600)
    assert len(list(machine.folders(here))) == 2


def test_a_taken_port() -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = only(machine.ports({port: API_PORT}))
    says(found, "warning", "Somebody listens on it", "--port-api")
    says(only(machine.ports({port: API_PORT})), "ok", "free")


def test_geo_databases(tmp_path: Path) -> None:
    here = Places(cache=tmp_path, data=tmp_path)
    says(only(files.geo(here, {}, 0)), "warning", "no geo database", "`./clickwake setup`")
    torn = tmp_path / "torn.mmdb"
    torn.write_bytes(b"not a database")
    named = {"CLICKWAKE_JOB_GEO": f"{torn},{MMDB}"}
    broken, old = files.geo(here, named, now=4_102_444_800)
    says(broken, "warning", "torn.mmdb cannot be read", "CLICKWAKE_JOB_GEO")
    says(old, "warning", "GeoIP2-City-Test.mmdb", "newer one")
    fresh = only(files.geo(here, {"CLICKWAKE_JOB_GEO": str(MMDB)}, 0))
    assert fresh.level == "ok"


def spool(directory: Path, name: str) -> Path:
    folder = directory / f"{name}.clickwake-spool"
    folder.mkdir(parents=True)
    (folder / "lock").touch()
    (folder / "1.events").write_bytes(b"x" * 1000)
    return folder


def test_events_that_an_ended_process_left(tmp_path: Path) -> None:
    set_to = {"CLICKWAKE_SITE_SPOOL_DIRECTORY": str(tmp_path)}
    assert list(files.spools({})) == []
    says(only(files.spools(set_to)), "ok", "No ended process")
    held = spool(tmp_path, "living")
    with (held / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert only(files.spools(set_to)).level == "ok"
        spool(tmp_path, "ended")
        says(only(files.spools(set_to)), "warning", "1,000 bytes of events", "Start the site again")


def test_a_stack_that_is_not_there(tmp_path: Path) -> None:
    says(running.stack(None), "note", "None runs", "./clickwake up")
    ended = StackState(
        supervisor=ProcessMark(pid=2**22 - 1, started=1.0),
        status="serving",
        kind="up",
        addresses={},
    )
    says(running.stack(ended), "note", "ended without a word")


def test_processes_that_a_killed_supervisor_left() -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as left:
        child = ChildState(name="api", status="ready", mark=mark(left.pid))
        state = StackState(
            supervisor=ProcessMark(pid=2**22 - 1, started=1.0),
            status="serving",
            kind="up",
            addresses={},
            children=[child],
        )
        says(running.stack(state), "problem", "left processes: api", "`./clickwake stop`")
        left.kill()


def test_each_process() -> None:
    me = ProcessMark(pid=os.getpid(), started=0.0)
    children = [
        ChildState(name="kafka", status="ready", mark=me),
        ChildState(name="job", status="backing_off", detail="the disk is full"),
        ChildState(name="api", status="starting"),
        ChildState(name="site", status="ready", restarts=3),
    ]
    state = StackState(
        supervisor=me, status="serving", kind="demo", addresses={}, children=children
    )
    kafka_, job, api, site = running.processes(state)
    says(kafka_, "ok", "ready")
    says(job, "problem", "the disk is full", "`./clickwake logs job`")
    says(api, "warning", "starting")
    says(site, "note", "3 time(s)")


def test_an_api_that_does_not_answer() -> None:
    says(only(running.api("http://127.0.0.1:1")), "problem", "does not answer", "logs api")


def test_what_the_api_says_of_its_parts() -> None:
    document = {
        "ready": False,
        "components": {
            "database": {"ok": False, "detail": "disk is full", "todo": "Make room."},
            "geo": {"ok": False, "detail": "no MMDB", "todo": "Set it."},
            "live": {"ok": True, "detail": "caught up", "todo": ""},
        },
    }
    database, geo, live = running.components("http://api", document)
    says(database, "problem", "disk is full", "Make room.")
    says(geo, "warning", "no MMDB", "Set it.")
    says(live, "ok", "caught up")
    says(only(running.components("http://api", {"hello": 1})), "problem", "no Clickwake API")


def test_kafka_that_is_not_there() -> None:
    found, told = kafka.kafka(NOBODY, is_ours=False)
    says(only(found), "problem", "127.0.0.1:1 does not answer", "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS")
    assert told is None
    ours = kafka.unreachable(NOBODY, OSError("refused"), is_ours=True)
    says(ours, "problem", "does not answer: OSError refused", "`./clickwake logs kafka`")


def as_wanted() -> tuple[dict[str, int], dict[str, dict[str, str]]]:
    counts = {one.name("clickwake"): one.partitions for one in TOPICS}
    return counts, {one.name("clickwake"): dict(one.config()) for one in TOPICS}


def test_topics_as_wanted() -> None:
    says(only(kafka.topics("clickwake", *as_wanted())), "ok", f"All {len(TOPICS)} are there")


def test_topics_that_are_wrong() -> None:
    counts, configs = as_wanted()
    counts["clickwake.requests"] = 1
    configs["clickwake.events"]["message.timestamp.type"] = "CreateTime"
    configs["clickwake.sessions"]["cleanup.policy"] = "delete,compact"
    configs["clickwake.replay"]["max.message.bytes"] = "1048588"
    del counts["clickwake.late-events"]
    missing, *wrong = kafka.topics("clickwake", counts, configs)
    says(missing, "problem", "no topics clickwake.late-events", "`./clickwake up`")
    fewer, small, stamped = wrong
    says(fewer, "problem", "clickwake.requests has 1 partition(s)", "--partitions 2")
    says(small, "problem", "clickwake.replay has max.message.bytes=1048588", "--add-config")
    says(stamped, "problem", "message.timestamp.type=CreateTime", "LogAppendTime")


class Word(msgspec.Struct):
    """A record of the job-status topic."""

    value: bytes | None
    timestamp: int


def told(**fields: Any) -> kafka.Told | None:
    at = fields.pop("broker_time", NOON)
    records = [Word(b"no JSON", NOON + 9), Word(None, NOON + 9), Word(b"", NOON + 9)]
    return kafka.newest([*records, Word(encoded(a_job_status(**fields)), at)])


def test_a_job_that_keeps_up() -> None:
    alive, clocks = kafka.job(told(behind=3), NOON + 5_000, must_run=True)
    says(alive, "ok", "3 records behind")
    says(clocks, "ok", "agree within 2 s")


@pytest.mark.parametrize(
    ("fields", "now", "level", "what", "todo"),
    [
        ({}, NOON + 31_000, "problem", "silent since 2026-03-01 12:00:00", "logs job"),
        ({"behind": 60_000}, NOON, "warning", "60,000 records behind", "CLICKWAKE_JOB_MASTER"),
        ({"problem": "the checkpoint is torn"}, NOON, "problem", "is torn", "Do what that says"),
    ],
)
def test_a_job_in_trouble(
    fields: dict[str, Any], now: int, level: str, what: str, todo: str
) -> None:
    found, _ = kafka.job(told(**fields), now, must_run=True)
    says(found, level, what, todo)


def test_a_job_that_nobody_has_started() -> None:
    says(only(kafka.job(None, NOON, must_run=True)), "problem", "never said anything", "logs job")
    assert list(kafka.job(None, NOON, must_run=False)) == []


def test_clocks_that_differ() -> None:
    behind = told(broker_time=NOON + 7_500)
    assert behind is not None
    says(only(kafka.clocks(behind)), "warning", "7.5 s behind Kafka's", "set-ntp")
    ahead = told(broker_time=NOON - 3_000)
    assert ahead is not None
    says(only(kafka.clocks(ahead)), "warning", "3.0 s ahead of Kafka's", "set-ntp")


def test_a_part_that_cannot_be_asked() -> None:
    found = parts.ask("infra.no_such_module", [], os.environ, "something")
    says(found, "problem", "No module named infra.no_such_module", "./clickwake setup")


def test_the_whole_without_anything_running(tmp_path: Path) -> None:
    """The command itself, on a history that is there, a torn checkpoint and a stopped Kafka."""
    new_history(tmp_path).dispose()
    (tmp_path / "checkpoint").mkdir()
    (tmp_path / "checkpoint" / "clickwake.json").write_text('{"epoch":')
    done = subprocess.run(
        [sys.executable, "-m", "infra.cli", "doctor", "--json", "--data", str(tmp_path)],
        env={
            **os.environ,
            "PYTHONPATH": str(PROJECT),
            "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": NOBODY.bootstrap_servers,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert document["healthy"] is False
    found = {one["check"]: one for one in document["findings"]}
    assert re.search(r"sqlite, schema \d+, writable", found["history database"]["what"])
    assert found["checkpoint"]["level"] == "problem"
    assert "savepoint restore NAME" in found["checkpoint"]["todo"]
    assert found["Kafka"]["level"] == "problem"
    assert found["stack"]["level"] == "note"


def test_a_check_that_fails_itself_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    me = mark(os.getpid())
    assert me is not None
    state = StackState(supervisor=me, status="serving", kind="up", addresses={}, kafka="nowhere")
    here = Places(cache=tmp_path, data=tmp_path)
    write_state(here.state_file, state)
    wrong = {"CLICKWAKE_KAFKA_TOPIC_PREFX": "x", "PATH": os.environ["PATH"]}
    *_, last = Examination(here, wrong).findings()
    says(last, "problem", "CLICKWAKE_KAFKA_TOPIC_PREFX is not a setting", "Correct or unset")


def test_the_verdict() -> None:
    fine = Finding(check="a", level="ok", what="It is.")
    worn = Finding(check="b", level="warning", what="It is old.", todo="Replace it.")
    broken = Finding(check="c", level="problem", what="It is gone.", todo="Bring it back.")
    assert verdict([fine]) == "Nothing is wrong."
    assert verdict([fine, worn, broken]) == "1 problem(s), 1 warning(s)."
    assert (exit_status([fine, worn]), exit_status([broken])) == (0, 1)
    assert json.loads(as_json([fine]))["healthy"] is True
