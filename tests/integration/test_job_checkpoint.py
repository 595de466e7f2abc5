"""The real job on real checkpoints that were torn: it goes on exactly, or says what to do."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.kafka import KafkaSettings
from infra.kafka_broker import EmbeddedBroker
from spark_jobs.checkpoint_files import numbered
from tests.integration.test_session_job import journey_now
from tests.support.job import Job, TopicReader, latest_sessions, produce, running_job
from tests.support.kafka import fresh_topics
from tests.support.tearing import cut_in_half, emptied, garbled, gone, newest
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PATIENCE_S = 120
VISITORS = [f"visitor-{number}" for number in range(6)]


@pytest.fixture(scope="module")
def kafka(broker: EmbeddedBroker) -> KafkaSettings:
    return fresh_topics(broker)


@pytest.fixture(scope="module")
def checkpoint(kafka: KafkaSettings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a job that took each visitor in a batch of its own and was stopped."""
    folder = tmp_path_factory.mktemp("job")
    with running_job(kafka, folder) as job:
        sessions = TopicReader(kafka, "sessions")
        for visitor in VISITORS:
            produce(kafka, "requests", journey_now(visitor, 100))
            wait_until(
                lambda visitor=visitor: visitor in seen(sessions),
                PATIENCE_S,
                f"{visitor}'s session",
            )
        assert job.stop() == 0
    return folder / "checkpoint"


def seen(sessions: TopicReader) -> dict[str, int]:
    """Visitor → most events that one of its sessions had."""
    found: dict[str, int] = {}
    for update in sessions.read():
        found[update.visitor_id] = max(update.events, found.get(update.visitor_id, 0))
    return found


def torn_copy(checkpoint: Path, folder: Path, *damages: Callable[[Path], None]) -> Path:
    shutil.copytree(checkpoint, folder / "checkpoint")
    for damage in damages:
        damage(folder / "checkpoint")
    return folder / "checkpoint"


def of_offsets(damage: Callable[[Path], None]) -> Callable[[Path], None]:
    return lambda checkpoint: damage(newest(checkpoint / "offsets"))


def of_commits(damage: Callable[[Path], None]) -> Callable[[Path], None]:
    return lambda checkpoint: damage(newest(checkpoint / "commits"))


def of_state(damage: Callable[[Path], None]) -> Callable[[Path], None]:
    return lambda checkpoint: damage(committed_state(checkpoint))


def committed_state(checkpoint: Path) -> Path:
    """What the last finished batch wrote: one that was cut short may have written a newer one."""
    version = max(numbered(checkpoint / "commits")) + 1
    return checkpoint / f"state/0/0/{version}.changelog"


@pytest.mark.parametrize(
    "damages",
    [
        [of_offsets(cut_in_half), of_commits(gone)],
        [of_offsets(emptied)],
        [of_commits(emptied)],
        [of_state(cut_in_half)],
        [of_offsets(garbled), of_commits(cut_in_half), of_state(gone)],
    ],
    ids=["offsets", "offsets of a finished batch", "commit", "state", "all of a batch"],
)
def test_goes_on_from_the_newest_whole_batch(kafka, checkpoint, tmp_path, damages):
    torn_copy(checkpoint, tmp_path, *damages)
    marker = f"after-{tmp_path.name}"
    with running_job(kafka, tmp_path) as job:
        sessions = TopicReader(kafka, "sessions")
        # One more event for a visitor of before: both of the earlier ones must still be known.
        (event,) = journey_now(VISITORS[-1])
        renamed = event.value.replace(b"-0000", f"-{marker[-20:]}".encode())
        produce(kafka, "requests", [type(event)(event.key, renamed, 0, 0)])
        produce(kafka, "requests", journey_now(marker))
        wait_until(lambda: marker in seen(sessions), PATIENCE_S, "a new visitor's session")
        wait_until(lambda: seen(sessions)[VISITORS[-1]] >= 3, PATIENCE_S, "what it had before")
        # Before the stop: Spark's workers may complain when it cuts their batch short.
        log = job.log.read_text()
        assert job.stop() == 0
    assert "were torn or of no use without torn ones" in log
    assert "Traceback" not in log
    assert list(tmp_path.glob("checkpoint.torn.*/*/*"))


def done(checkpoint: Path) -> int:
    return max(numbered(checkpoint / "commits"), default=0)


def test_what_a_lost_batch_told_is_told_to_be_merged(kafka, tmp_path):
    """A session is published, its batch's state is lost, and then an earlier event arrives."""
    first, second = journey_now("late-beginner", 100)
    folder = tmp_path / "checkpoint"
    sessions = TopicReader(kafka, "sessions")
    with running_job(kafka, tmp_path) as job:
        produce(kafka, "requests", journey_now("before"))
        wait_until(lambda: "before" in seen(sessions), PATIENCE_S, "a first session")
        wait_until(lambda: done(folder), PATIENCE_S, "a finished batch")
        kept = done(folder)
        wait_until(lambda: done(folder) > kept + 1, PATIENCE_S, "two batches more")
        produce(kafka, "requests", [second])
        wait_until(lambda: "late-beginner" in seen(sessions), PATIENCE_S, "its session")
        assert job.stop() == 0
    (told,) = {one.session_id for one in sessions.read() if one.visitor_id == "late-beginner"}
    for file in folder.glob("state/0/*/*.changelog"):
        if int(file.stem) > kept:
            cut_in_half(file)
    produce(kafka, "requests", [first])
    with running_job(kafka, tmp_path) as job:
        wait_until(lambda: seen(sessions)["late-beginner"] == 2, PATIENCE_S, "both events")
        assert job.stop() == 0
    (whole,) = {
        one.session_id
        for one in latest_sessions(sessions.read_whole()).values()
        if one.visitor_id == "late-beginner"
    }
    assert whole != told
    assert {one.merged_into for one in sessions.messages if one.session_id == told} == {None, whole}


def rotten(checkpoint: Path) -> None:
    """What only who unpacks the state can see: a block that is not what it says."""
    file = committed_state(checkpoint)
    content = bytearray(file.read_bytes())
    content[21:40] = bytes(19)
    file.write_bytes(content)
    gone_checksums = file.parent / f".{file.name}.crc"
    gone_checksums.unlink()


def everything(damage: Callable[[Path], None], pattern: str) -> Callable[[Path], None]:
    def damages(checkpoint: Path) -> None:
        for file in [*checkpoint.glob(pattern)]:
            damage(file)

    return damages


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (everything(gone, "metadata"), "metadata is missing or torn"),
        (everything(emptied, "state/0/0/*.changelog"), "no batch in it has"),
        (everything(cut_in_half, "clickwake.json"), "its clickwake.json"),
        (rotten, "CANNOT_LOAD_STATE_STORE"),
    ],
    ids=["metadata", "all state", "manifest", "rotten state"],
)
def test_what_nobody_can_go_on_from_is_refused_and_kept(kafka, checkpoint, tmp_path, damage, why):
    torn = torn_copy(checkpoint, tmp_path, damage)
    before = {file: file.read_bytes() for file in torn.rglob("*") if file.is_file()}
    job = Job(kafka, tmp_path)
    job.start()
    assert job.wait() == 78
    last = job.log.read_text().strip().splitlines()[-1]
    assert why in last
    assert f"the checkpoint in {torn} cannot be read" in last
    assert "./clickwake savepoint restore NAME" in last
    assert all(file.read_bytes() == content for file, content in before.items())


def test_the_refusal_reaches_operators_by_the_job_status(kafka, tmp_path):
    (tmp_path / "checkpoint").mkdir()
    (tmp_path / "checkpoint/clickwake.json").write_text("{torn")
    job, said = Job(kafka, tmp_path), TopicReader(kafka, "job-status")
    job.start()
    assert job.wait() == 78
    wait_until(lambda: said.read() and said.messages[-1].problem, PATIENCE_S, "the problem")
    assert "./clickwake savepoint restore NAME" in said.messages[-1].problem
