"""Savepoints as folders: whole or not there, checked before use, and nothing is ever deleted."""

import json
from pathlib import Path

import msgspec
import pytest

from contracts.kafka import KafkaSettings
from spark_jobs import savepoint as points
from spark_jobs.checkpoint import Manifest, write_manifest
from spark_jobs.positions import Positions
from spark_jobs.restoring import misfits, other_rules, restore, settings_of
from spark_jobs.savepoint import Savepoint, SavepointError
from spark_jobs.settings import JobSettings
from spark_jobs.swap import draft_of, finish_swap, swap_in
from spark_jobs.versions import versions

TOPIC = "clickwake.requests"


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    folder = tmp_path / "data/checkpoint"
    (folder / "state").mkdir(parents=True)
    (folder / "state/file").write_bytes(b"content")
    write_manifest(
        folder, Manifest(epoch=7, buckets=256, per_partition=128, topic_prefix="clickwake")
    )
    return folder


def blank(name: str = "first", **fields: object) -> Savepoint:
    plain = {
        "name": name, "created": 1, "batch": 3, "cluster": "here", "versions": versions(),
        "size": 0,
        "manifest": Manifest(epoch=7, buckets=256, per_partition=128, topic_prefix="clickwake"),
        "offsets": {TOPIC: {"0": 10}}, "settings": settings_of(JobSettings()), "files": {},
    }  # fmt: skip
    return Savepoint(**(plain | fields))


def make(checkpoint: Path, name: str = "first") -> Path:
    folder = checkpoint.parent / "savepoints"
    points.create(checkpoint, folder, blank(name), lambda size: None)
    return folder / name


def test_a_copy_with_digests_is_found_by_name_and_by_path(checkpoint: Path) -> None:
    place = make(checkpoint)
    assert points.find("first", place.parent) == points.find(str(place), Path("/nowhere")) == place
    saved = points.read(place)
    assert set(saved.files) == {"clickwake.json", "state/file"}
    assert saved.size == points.size_of(checkpoint)
    points.verify(place, saved)
    assert [one.name for one in points.listed(place.parent)] == ["first"]
    with pytest.raises(SavepointError, match=r"no savepoint other in .*; known ones: first"):
        points.find("other", place.parent)


def test_a_name_is_used_once(checkpoint: Path) -> None:
    make(checkpoint)
    with pytest.raises(SavepointError, match="there is a savepoint first"):
        make(checkpoint)


@pytest.mark.parametrize("name", ["", "a/b", "../x", ".hidden", "x" * 65, "-x"])
def test_a_name_is_a_folders(name: str) -> None:
    with pytest.raises(SavepointError, match="is no name for a savepoint"):
        points.require_name(name)


def test_what_a_killed_one_left_is_none_and_does_not_hinder(checkpoint: Path) -> None:
    folder = checkpoint.parent / "savepoints"
    (folder / ".first.draft/checkpoint").mkdir(parents=True)
    (folder / ".first.draft/checkpoint/half").write_bytes(b"half")
    assert points.listed(folder) == []
    assert set(points.read(make(checkpoint)).files) == {"clickwake.json", "state/file"}


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda file: file.write_bytes(b"another"), "checkpoint/state/file changed"),
        (lambda file: file.unlink(), "checkpoint/state/file is missing"),
        (lambda file: (file.parent / "more").touch(), "checkpoint/state/more was not part of it"),
    ],
)
def test_a_damaged_one_is_refused_and_changes_nothing(checkpoint, damage, sentence) -> None:
    place = make(checkpoint)
    damage(place / "checkpoint/state/file")
    with pytest.raises(SavepointError, match=sentence):
        restore(place, points.read(place), checkpoint)
    assert sorted(one.name for one in checkpoint.parent.iterdir()) == ["checkpoint", "savepoints"]


def test_restoring_keeps_the_former_one_and_begins_an_epoch(checkpoint: Path) -> None:
    place = make(checkpoint)
    (checkpoint / "state/file").write_bytes(b"later")
    restored = restore(place, points.read(place), checkpoint)
    assert (checkpoint / "state/file").read_bytes() == b"content"
    assert restored.aside == checkpoint.with_name("checkpoint.7")
    assert (restored.aside / "state/file").read_bytes() == b"later"
    manifest = json.loads((checkpoint / "clickwake.json").read_bytes())
    assert manifest["epoch"] == restored.epoch > 7
    assert manifest["restored"] == "first"
    again = restore(place, points.read(place), checkpoint)
    assert again.epoch > restored.epoch


def test_an_interrupted_swap_is_completed(checkpoint: Path) -> None:
    draft = draft_of(checkpoint)
    (draft / "new").touch()
    draft.rename(checkpoint.with_name("checkpoint.next"))
    checkpoint.rename(checkpoint.with_name("checkpoint.7"))
    finish_swap(checkpoint)
    assert (checkpoint / "new").exists()
    finish_swap(checkpoint)


def test_a_swap_never_takes_a_name_that_is_there(checkpoint: Path) -> None:
    checkpoint.with_name("checkpoint.7").mkdir()
    assert swap_in(draft_of(checkpoint), checkpoint) == checkpoint.with_name("checkpoint.7.2")


def test_deleting_takes_the_whole_folder(checkpoint: Path) -> None:
    place = make(checkpoint)
    points.delete(place)
    assert list(place.parent.iterdir()) == []


HERE = Positions("here", {TOPIC: {"0": 5}}, {TOPIC: {"0": 20}})


@pytest.mark.parametrize(
    ("saved", "sentence"),
    [
        ({"offsets": {TOPIC: {"0": 4}}}, "Kafka has deleted what stood before 5"),
        ({"offsets": {TOPIC: {"0": 21}}}, "Kafka has nothing beyond 20"),
        ({"offsets": {TOPIC: {"9": 4}}}, "has no partition 9"),
        ({"cluster": "there"}, "of the Kafka cluster there and this one is here"),
        ({"versions": {"spark": "3.5.0"}}, "it is Spark 3.5.0's and this is 4."),
    ],
)
def test_one_that_cannot_go_on_here_says_why(saved, sentence) -> None:
    assert misfits(blank(), JobSettings(), KafkaSettings(), HERE) == []
    assert misfits(blank(), JobSettings(), KafkaSettings(), None) == []
    (why,) = misfits(blank(**saved), JobSettings(), KafkaSettings(), HERE)
    assert sentence in why


def test_other_settings_of_the_same_checkpoint() -> None:
    (why,) = misfits(blank(), JobSettings(buckets=64), KafkaSettings(), HERE)
    assert "it has 256 buckets and CLICKWAKE_JOB_BUCKETS is 64" in why
    (why,) = misfits(blank(), JobSettings(), KafkaSettings(topic_prefix="new"), HERE)
    assert "CLICKWAKE_KAFKA_TOPIC_PREFIX is new" in why
    assert other_rules(blank(), JobSettings(gap="1h")) == {"gap": ("30m", "1h")}


def test_no_path_and_no_secret_is_kept() -> None:
    kept = msgspec.json.encode(settings_of(JobSettings(checkpoint="/my", geo="/g", jars="/j")))
    assert not any(text in kept for text in (b"/my", b"/g", b"/j"))
