"""What a checkpoint was made with is kept beside it, and a misfit is refused with what to do."""

import pytest

from spark_jobs.checkpoint import (
    FILE,
    STATE_VERSION,
    CheckpointError,
    open_manifest,
    read_manifest,
)


def test_is_made_once_and_found_again(tmp_path):
    folder = str(tmp_path / "checkpoint")
    made = open_manifest(folder, 256, 3, "clickwake")
    assert (made.buckets, made.per_partition) == (256, 86)
    assert open_manifest(folder, 256, 3, "clickwake") == made


def test_more_partitions_keep_the_buckets_that_exist(tmp_path):
    made = open_manifest(str(tmp_path), 256, 2, "clickwake")
    assert open_manifest(str(tmp_path), 256, 8, "clickwake").per_partition == made.per_partition


@pytest.mark.parametrize(
    ("buckets", "prefix", "sentence"),
    [
        (64, "clickwake", "made with buckets=256 and cannot go on with 64"),
        (256, "other", "made with topic_prefix=clickwake and cannot go on with other"),
    ],
)
def test_a_misfit_is_refused(tmp_path, buckets, prefix, sentence):
    open_manifest(str(tmp_path), 256, 2, "clickwake")
    with pytest.raises(CheckpointError, match=sentence):
        open_manifest(str(tmp_path), buckets, 2, prefix)


def test_a_broken_manifest_is_refused_and_not_touched(tmp_path):
    (tmp_path / FILE).write_text("{broken")
    with pytest.raises(CheckpointError, match="go back to a savepoint"):
        open_manifest(str(tmp_path), 256, 2, "clickwake")
    assert (tmp_path / FILE).read_text() == "{broken"


def test_unset_buckets_mean_what_the_checkpoint_has_and_256_for_a_new_one(tmp_path):
    assert open_manifest(str(tmp_path / "new"), None, 2, "clickwake").buckets == 256
    open_manifest(str(tmp_path / "old"), 64, 2, "clickwake")
    assert open_manifest(str(tmp_path / "old"), None, 2, "clickwake").buckets == 64
    with pytest.raises(CheckpointError, match=r"\./clickwake repartition --buckets 32"):
        open_manifest(str(tmp_path / "old"), 32, 2, "clickwake")


def test_another_kafka_is_refused(tmp_path):
    open_manifest(str(tmp_path), 64, 2, "clickwake", cluster="here")
    with pytest.raises(CheckpointError, match="Kafka cluster=here and cannot go on with there"):
        open_manifest(str(tmp_path), 64, 2, "clickwake", cluster="there")


def test_a_manifest_of_before_is_read(tmp_path):
    old = (
        '{"epoch":1,"buckets":256,"per_partition":128,"topic_prefix":"clickwake","state_version":1}'
    )
    (tmp_path / FILE).write_text(old)
    manifest = open_manifest(str(tmp_path), None, 2, "clickwake", cluster="any")
    assert (manifest.epoch, manifest.cluster, manifest.start) == (1, "", None)
    # What this version adds to the state, that one could not read.
    assert read_manifest(str(tmp_path)).state_version == STATE_VERSION > 1


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "offsets").mkdir()
    with pytest.raises(CheckpointError, match="holds files but no"):
        open_manifest(str(tmp_path), 256, 2, "clickwake")
