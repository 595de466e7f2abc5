"""Log files into the replay topic: what stands there gives the batch job's sessions.

What the job makes of a topic is its content's doing alone, so the topic is read here with the
job's own bucket core, and no Spark is needed.
"""

import gzip
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from pathlib import Path
from random import Random

import msgspec
import pytest
import zstandard
from kafka import KafkaConsumer, TopicPartition

from contracts import WATERMARK_END, Tally
from contracts.kafka import KafkaSettings
from spark_jobs import import_files, imports, replay
from spark_jobs.files import FileOptions
from spark_jobs.import_files import blocks
from spark_jobs.import_plan import events_of
from spark_jobs.import_state import Memory
from spark_jobs.parse import Record
from tests.support.buckets import BucketRun
from tests.support.stack import environment
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
UNEQUAL = {"epoch", "revision", "processed_time", "broker_time"}
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def log_lines(number: int, visitors: int = 40, seed: int = 1) -> Iterator[bytes]:
    """A server's log: some lines out of order by a few seconds, a click a second or so."""
    random = Random(seed)
    moment = BEGIN
    for _ in range(number):
        moment += timedelta(seconds=random.choice([0, 1, 2, 30]))
        told = moment - timedelta(seconds=random.choice([0, 0, 0, 5]))
        address = f"81.2.{seed}.{random.randrange(visitors)}"
        path = random.choice(["/", "/a", "/b?utm_source=news", "/logo.png", "/health"])
        time = told.strftime("%d/%b/%Y:%H:%M:%S +0000")
        yield f'{address} - - [{time}] "GET {path} HTTP/1.1" 200 5 "-" "{AGENT}"\n'.encode()


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_files, "BLOCK_LINES", 100)
    monkeypatch.setattr(imports, "BLOCK_LINES", 100)


class Importer:
    """The command in a folder of its own, against one Kafka."""

    def __init__(self, kafka: KafkaSettings, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.kafka = kafka
        self.folder = folder
        monkeypatch.chdir(folder)
        monkeypatch.setenv("CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrap_servers)
        monkeypatch.setenv("CLICKWAKE_KAFKA_TOPIC_PREFIX", kafka.topic_prefix)

    def arguments(self, *files: Path | str) -> list[str]:
        options = ["--format", "combined", "--site", "shop", "--no-wait", "--state", "imports"]
        return [*map(str, files), *options]

    def run(self, *files: Path | str) -> int:
        return imports.main(self.arguments(*files))

    def memory(self) -> Memory:
        (folder,) = (self.folder / "imports").iterdir()
        return Memory(folder)

    def tally(self) -> Tally:
        return self.topic().tally

    def topic(self) -> BucketRun:
        """What the job would make of the topic, each partition in its order."""
        found = BucketRun(geo=())
        for number, records in enumerate(read(self.kafka)):
            # One bucket reads both partitions one after the other, as two buckets would.
            found.feed([msgspec.structs.replace(r, offset=r.offset + number * 2**40)
                        for r in records])  # fmt: skip
        return found


@pytest.fixture
def importer(
    kafka: KafkaSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_blocks: None
) -> Importer:
    return Importer(kafka, tmp_path, monkeypatch)


def read(kafka: KafkaSettings) -> Iterator[list[Record]]:
    consumer = KafkaConsumer(**kafka.client_options(), group_id=None)
    for number in (0, 1):
        part = TopicPartition(kafka.topic("replay"), number)
        consumer.assign([part])
        consumer.seek_to_beginning(part)
        end, found = consumer.end_offsets([part])[part], []
        while consumer.position(part) < end:
            for records in consumer.poll(timeout_ms=1000).values():
                found += [record_of(one) for one in records]
        yield found
    consumer.close()


def record_of(one) -> Record:
    watermark = msgspec.json.decode(one.value)["watermark"] if one.key is None else None
    return Record(one.key, one.value, one.offset, one.timestamp, watermark)


def sessions_of(lines: Iterable[bytes], name: str = "access.log") -> list[dict[str, object]]:
    """What the batch job finds in a file of these lines."""
    path = Path(name + ".whole")
    path.write_bytes(b"".join(lines))
    options = imports.given_files(
        imports._parser().parse_args([str(path), "--format", "combined", "--site", "shop"])
    )[0].options
    return content(BucketRun(geo=()).feed(_records(path, options)))


def _records(path: Path, options: FileOptions) -> Iterator[Record]:
    events = chain.from_iterable(events_of(block, options) for block in blocks(path, 0))
    for number, (valid, value) in enumerate(events):
        key = f"shop/{valid.event.visitor_id}".encode()
        yield Record(key, value, number, 2**50)
    yield Record(None, b"", 2**49, 2**50, watermark=WATERMARK_END)


def content(run: BucketRun) -> list[dict[str, object]]:
    found = [msgspec.to_builtins(session) for session in run.sessions().values()]
    for session in found:
        for name in UNEQUAL:
            session.pop(name, None)
    return sorted(found, key=lambda session: (session["visitor_id"], session["start"]))


def test_a_file_becomes_the_batch_jobs_sessions(importer: Importer, capsys) -> None:
    lines = [*log_lines(950), b"what is this?\n", b"\n"]
    Path("access.log").write_bytes(b"".join(lines))
    assert importer.run("access.log") == 0
    found = importer.topic()
    assert content(found) == sessions_of(lines)
    assert found.tally.late == found.tally.duplicates == found.tally.dead_letters == 0
    said = capsys.readouterr().out
    assert "left out, image: 1" in said
    assert "left out, health_check: 1" in said
    assert "unreadable, wrong_format: 2" in said
    assert f"952 lines of 1 file imported as site shop: {found.tally.requests:,} events" in said
    numbers = [one.split("\t")[:2] for one in Path("access.log.rejects").read_text().splitlines()]
    assert numbers == [["951", "wrong_format"], ["952", "wrong_format"]]


def test_what_is_imported_is_not_imported_again(importer: Importer, capsys) -> None:
    """Also when the file was rotated, packed, or has grown meanwhile."""
    lines = [*log_lines(500)]
    Path("access.log").write_bytes(b"".join(lines[:300]))
    assert importer.run("access.log") == 0
    assert importer.run("access.log") == 0
    assert "Nothing new" in capsys.readouterr().out
    before = importer.tally().requests
    Path("access.log.1.gz").write_bytes(gzip.compress(b"".join(lines)))
    Path("access.log").write_bytes(b"".join(log_lines(100, seed=2)))
    assert importer.run("access.log", "access.log.1.gz") == 0
    assert "300 lines of 2 files imported" in capsys.readouterr().out
    events = sum(1 for line in [*lines, *log_lines(100, seed=2)] if is_view(line))
    assert importer.tally().requests == events > before
    assert importer.tally().duplicates == 0
    assert importer.run("access.log", "--again") == 0
    assert "100 lines of 1 file imported" in capsys.readouterr().out


def is_view(line: bytes) -> bool:
    return b"/logo.png" not in line and b"/health" not in line


def test_files_of_one_time_go_side_by_side(importer: Importer) -> None:
    """Two servers' logs of one day, and the day after in a third file; named in any order."""
    days = [*log_lines(600)]
    servers = [*log_lines(600, seed=2)]
    Path("b.log.zst").write_bytes(zstandard.compress(b"".join(servers)))
    Path("a.log").write_bytes(b"".join(days[300:]))
    Path("a.log.1.gz").write_bytes(gzip.compress(b"".join(days[:300])))
    assert importer.run("a.log", "b.log.zst", "a.log.1.gz") == 0
    found = importer.topic()
    assert found.tally.late == 0
    assert found.tally.requests == sum(map(is_view, [*days, *servers]))
    spans = [(s["visitor_id"], s["start"], s["end"], s["events"]) for s in content(found)]
    whole = [*sessions_of(days), *sessions_of(servers)]
    expected = [(s["visitor_id"], s["start"], s["end"], s["events"]) for s in whole]
    assert sorted(spans) == sorted(expected)


class Crash(BaseException):
    """As a kill: nothing of ours handles it."""


@pytest.mark.parametrize("at", [1, 4, 9])
def test_a_crash_before_a_block_is_noted_loses_and_doubles_nothing(
    importer: Importer, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    lines = [*log_lines(950)]
    Path("access.log").write_bytes(b"".join(lines))
    advance, calls = Memory.advance, iter(range(1, 100))

    def crashing(memory: Memory, progress) -> None:
        if next(calls) == at:
            raise Crash
        advance(memory, progress)

    monkeypatch.setattr(Memory, "advance", crashing)
    with pytest.raises(Crash):
        importer.run("access.log")
    begun = importer.memory().unfinished()
    assert begun is not None
    assert (begun[1].turns if begun[1] else 0) == at - 1
    # Rotated meanwhile; what it has got since is for the same command, too.
    Path("access.log").rename("access.log.1")
    assert importer.run("access.log.1") == 0
    assert importer.memory().unfinished() is None
    found = importer.topic()
    assert content(found) == sessions_of(lines)
    assert found.tally.late == 0
    assert found.tally.duplicates == sum(map(is_view, lines[100 * (at - 1) : 100 * at])) * (at > 1)


def test_killed_it_goes_on_where_it_was(importer: Importer) -> None:
    lines = [*log_lines(16_000, visitors=300)]
    Path("access.log").write_bytes(b"".join(lines))
    process = subprocess.Popen(
        [sys.executable, "-m", "spark_jobs.imports", *importer.arguments("access.log")],
        env=environment() | {
            "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": importer.kafka.bootstrap_servers,
            "CLICKWAKE_KAFKA_TOPIC_PREFIX": importer.kafka.topic_prefix,
        },
    )  # fmt: skip
    try:
        wait_until(lambda: [*importer.folder.glob("imports/*/progress.json")], 120, "a noted block")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(30)
    assert importer.memory().unfinished() is not None, "it was over before the kill"
    done = subprocess.run(process.args, env=environment() | {
        "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": importer.kafka.bootstrap_servers,
        "CLICKWAKE_KAFKA_TOPIC_PREFIX": importer.kafka.topic_prefix,
    }, capture_output=True, text=True, check=False, timeout=200)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "16,000 lines of 1 file imported" in done.stdout
    assert "(100 %)" in done.stderr
    found = importer.topic()
    assert content(found) == sessions_of(lines)
    assert found.tally.late == 0


def test_another_replay_between_costs_a_new_beginning(
    importer: Importer, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    """It closes the sessions that were open; they come out whole all the same."""
    lines = [*log_lines(500)]
    Path("access.log").write_bytes(b"".join(lines))
    interrupt_after(monkeypatch, 2)
    assert importer.run("access.log") == 130
    assert "the same command goes on" in capsys.readouterr().err
    Path("other.log").write_bytes(b"".join(log_lines(50, seed=3)))
    assert importer.run("other.log") == 1
    assert "an import of access.log is unfinished" in capsys.readouterr().err
    assert replay.main(["other.log", "--format", "combined", "--site", "x", "--no-wait"]) == 0
    assert importer.run("access.log") == 0
    assert "another replay or import came between" in capsys.readouterr().err
    found = [one for one in content(importer.topic()) if one["site_id"] == "shop"]
    assert found == sessions_of(lines)


def test_an_import_can_be_given_up(
    importer: Importer, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    Path("access.log").write_bytes(b"".join(log_lines(500)))
    interrupt_after(monkeypatch, 2)
    assert importer.run("access.log") == 130
    assert importer.topic().visitors > 0
    assert importer.run("--give-up") == 0
    assert importer.memory().unfinished() is None
    assert importer.topic().visitors == 0
    assert importer.run("--give-up") == 0
    assert "No import is unfinished" in capsys.readouterr().out


def interrupt_after(monkeypatch: pytest.MonkeyPatch, blocks_: int) -> None:
    """Ctrl-C when so many blocks are noted."""
    advance, calls = Memory.advance, iter(range(1, 100))

    def interrupted(memory: Memory, progress) -> None:
        advance(memory, progress)
        if next(calls) == blocks_:
            raise KeyboardInterrupt

    monkeypatch.setattr(Memory, "advance", interrupted)


def test_a_file_that_was_changed_or_cut_is_noticed(
    importer: Importer, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    lines = [*log_lines(500)]
    log = Path("access.log")
    log.write_bytes(b"".join(lines))
    interrupt_after(monkeypatch, 2)
    assert importer.run(log) == 130
    log.write_bytes(b"".join([*lines[:450], *islice(log_lines(50, seed=9), 50)]))
    capsys.readouterr()
    assert importer.run(log) == 1
    assert "access.log has changed since its import began, around line 401" in (
        capsys.readouterr().err
    )
    log.write_bytes(b"".join([*log_lines(500, seed=9)]))
    assert importer.run(log) == 1
    assert "was it rotated?" in capsys.readouterr().err
    log.write_bytes(b"".join(lines))
    assert importer.run(log) == 0
    log.write_bytes(b"".join(lines[:480]))
    assert importer.run(log) == 1
    assert "access.log has 480 lines, and 500 of them are imported" in capsys.readouterr().err


def test_what_is_piped_in_goes_on_too(
    importer: Importer, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    lines = [*log_lines(300)]
    command = [sys.executable, "-m", "spark_jobs.imports", *importer.arguments("-")]
    surroundings = environment() | {
        "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": importer.kafka.bootstrap_servers,
        "CLICKWAKE_KAFKA_TOPIC_PREFIX": importer.kafka.topic_prefix,
    }
    for sentence in ("300 lines of 1 file imported", "Nothing new"):
        done = subprocess.run(command, env=surroundings, input=b"".join(lines),
                              capture_output=True, check=False, timeout=200)  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert sentence in done.stdout.decode()
    assert importer.topic().tally.requests == sum(map(is_view, lines))
