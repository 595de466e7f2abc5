"""Checkpoint and savepoints lose erased visitors, and stay what a job can go on from."""

from pathlib import Path

import pytest

from contracts import Erasure
from contracts.erasures import mark_of
from spark_jobs import savepoint as points
from spark_jobs.checkpoint import Manifest, read_manifest, write_manifest
from spark_jobs.erase import erase
from spark_jobs.packing import unpack
from spark_jobs.savepoint import Savepoint
from spark_jobs.seeds import FOLDER, header_of, read_seed, write_seed
from spark_jobs.versions import versions
from tests.unit.spark_jobs.test_forgetting import BOB, KEY, NEW, OLD, two_visitors

START = {"clickwake.requests": {"0": 4}}
BUCKET = 7


def an_erasure() -> Erasure:
    return Erasure(
        erasure_id="01970000-0000-7000-8000-000000000001",
        site_id="shop",
        phase="cleaning",
        key=KEY,
        marks=[mark_of(KEY, "shop", NEW)],
        requested=0,
    )


@pytest.fixture
def checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a repartitioned job that has not run yet: all of its state is seeds."""
    folder = tmp_path / "checkpoint"
    (folder / FOLDER).mkdir(parents=True)
    write_seed(folder / FOLDER, BUCKET, two_visitors().stored)
    manifest = Manifest(
        epoch=100, buckets=8, per_partition=4, topic_prefix="clickwake", start=START, cluster="c"
    )
    write_manifest(folder, manifest)
    monkeypatch.setenv("CLICKWAKE_JOB_CHECKPOINT", str(folder))
    return folder


def known(checkpoint: Path) -> set[str]:
    stored = read_seed(str(checkpoint / FOLDER), BUCKET)
    assert stored is not None
    return set(unpack(stored[1]))


def test_the_checkpoint_goes_on_where_it_was_without_the_visitor(checkpoint: Path) -> None:
    before = read_seed(str(checkpoint / FOLDER), BUCKET)
    done = erase(an_erasure(), checkpoint.parent / "savepoints")
    assert known(checkpoint) == {f"shop/{BOB}"}
    assert set(done.marks) == {mark_of(KEY, "shop", name) for name in (OLD, NEW)}
    assert done.found == {}
    manifest = read_manifest(checkpoint)
    assert manifest.epoch > 100
    assert (manifest.start, manifest.per_partition, manifest.cluster) == (START, 4, "c")
    after = read_seed(str(checkpoint / FOLDER), BUCKET)
    assert before is not None
    assert after is not None
    was, now = header_of(before[0]), header_of(after[0])
    assert (now.watermark, now.tally) == (was.watermark, was.tally)


def test_a_savepoint_is_cleaned_and_still_whole(checkpoint: Path) -> None:
    folder = checkpoint.parent / "savepoints"
    wanted = Savepoint(
        name="before", created=1, manifest=read_manifest(checkpoint), batch=-1, offsets={},
        cluster="c", settings={}, versions=versions(), size=0, files={},
    )  # fmt: skip
    points.create(checkpoint, folder, wanted, lambda size: None)
    erase(an_erasure(), folder)
    saved = points.read(folder / "before")
    points.verify(folder / "before", saved)
    assert known(folder / "before" / "checkpoint") == {f"shop/{BOB}"}
    assert (saved.manifest.epoch, saved.manifest.start) == (100, START)


def test_checkpoints_that_were_moved_aside_are_deleted_and_nothing_else(checkpoint: Path) -> None:
    folders = ["checkpoint.99", "checkpoint.99.2", "checkpoint.torn.5", "checkpoint.mine", "other"]
    for name in folders:
        (checkpoint.parent / name).mkdir()
    erase(an_erasure(), checkpoint.parent / "savepoints")
    left = {folder.name for folder in checkpoint.parent.iterdir()}
    assert left == {"checkpoint", "checkpoint.mine", "other"}


def test_without_a_checkpoint_there_is_nothing_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLICKWAKE_JOB_CHECKPOINT", str(tmp_path / "none"))
    assert erase(an_erasure(), tmp_path) == an_erasure()
