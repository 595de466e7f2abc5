"""Which files of a checkpoint are whole, and what must go when some are not."""

import errno
import os
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from spark_jobs.checkpoint import CheckpointError
from spark_jobs.checkpoint_files import crc_of, is_intact, is_whole_changelog, is_whole_snapshot
from spark_jobs.checkpoint_repair import examine, last_batch, set_aside
from tests.support.tearing import cut_in_half, emptied, gone

OFFSETS = (
    'v1\n{"batchWatermarkMs":0,"conf":{"spark.sql.shuffle.partitions":"2"}}\n'
    '{"t.requests":{"0":%d,"1":6}}'
)
EMPTY_BLOCK = b"LZ4Block\x15" + bytes(12)


def write(file: Path, content: bytes, chunk: int = 512) -> None:
    """A file with its checksums, as Hadoop's local file system writes it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    chunks = [content[start : start + chunk] for start in range(0, len(content), chunk)]
    sums = b"".join(struct.pack(">I", zlib.crc32(one)) for one in chunks)
    crc_of(file).write_bytes(b"crc\0" + struct.pack(">i", chunk) + sums)


def block(content: bytes) -> bytes:
    return b"LZ4Block\x16" + struct.pack("<iiI", len(content), len(content) + 1, 7) + content


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """Batches 0 to 3, all done."""
    folder = tmp_path / "checkpoint"
    write(folder / "metadata", b'{"id":"1b4f"}')
    write(folder / "state/0/0/_metadata/schema", b"schema")
    for batch in range(4):
        write(folder / "offsets" / str(batch), (OFFSETS % batch).encode())
        write(folder / "commits" / str(batch), b'v1\n{"nextBatchWatermarkMs":0}')
        for partition in ("0", "1"):
            file = folder / "state/0" / partition / f"{batch + 1}.changelog"
            write(file, block(b"change") + EMPTY_BLOCK)
    return folder


def names(checkpoint: Path) -> list[str]:
    return sorted(str(file.relative_to(checkpoint)) for file in examine(checkpoint).aside)


def test_a_whole_one_stays_as_it_is(checkpoint: Path) -> None:
    assert (examine(checkpoint).batch, names(checkpoint)) == (3, [])
    assert last_batch(checkpoint) == (3, {"t.requests": {"0": 3, "1": 6}})


def test_a_batch_that_was_interrupted_is_nothing_unusual(checkpoint: Path) -> None:
    gone(checkpoint / "commits/3")
    cut_in_half(checkpoint / "state/0/1/4.changelog")
    assert (examine(checkpoint).batch, names(checkpoint)) == (2, [])


@pytest.mark.parametrize("damage", [cut_in_half, emptied])
def test_torn_offsets_take_their_batch_with_them(checkpoint: Path, damage) -> None:
    damage(checkpoint / "offsets/3")
    assert examine(checkpoint).batch == 2
    state = ["state/0/0/4.changelog", "state/0/1/4.changelog"]
    assert names(checkpoint) == ["commits/3", "offsets/3", *state]


def test_a_torn_commit_lets_spark_repeat_the_same_batch(checkpoint: Path) -> None:
    emptied(checkpoint / "commits/3")
    state = ["state/0/0/4.changelog", "state/0/1/4.changelog"]
    assert names(checkpoint) == ["commits/3", *state]


def test_torn_state_goes_back_as_far_as_needed(checkpoint: Path) -> None:
    gone(checkpoint / "state/0/1/3.changelog")
    assert examine(checkpoint).batch == 1
    assert {"commits/2", "commits/3", "offsets/3"} <= set(names(checkpoint))
    assert "offsets/2" not in names(checkpoint)


def test_a_checkpoint_on_a_disk_of_its_own_is_mended_too(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other_disk(source: object, target: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link", str(source))

    monkeypatch.setattr(os, "rename", other_disk)
    cut_in_half(checkpoint / "offsets" / "3")
    aside = set_aside(checkpoint, examine(checkpoint))
    assert (aside / "offsets" / "3").exists()
    assert not (checkpoint / "offsets" / "3").exists()
    assert not examine(checkpoint).aside


def test_what_is_set_aside_is_kept_and_the_rest_is_whole(checkpoint: Path) -> None:
    cut_in_half(checkpoint / "offsets/3")
    torn = (checkpoint / "offsets/3").read_bytes()
    aside = set_aside(checkpoint, examine(checkpoint))
    assert (aside / "offsets/3").read_bytes() == torn
    assert crc_of(aside / "offsets/3").exists()
    assert (examine(checkpoint).batch, names(checkpoint)) == (2, [])


def test_an_interrupted_move_is_taken_up(checkpoint: Path) -> None:
    cut_in_half(checkpoint / "offsets/3")
    repair = examine(checkpoint)
    for count in range(len(repair.aside)):
        gone(repair.aside[count])
        assert examine(checkpoint).batch == 2
        assert set(examine(checkpoint).aside) == set(repair.aside[count + 1 :])


def test_a_torn_snapshot_gives_way_to_the_one_before(checkpoint: Path) -> None:
    snapshot = checkpoint / "state/0/0/2.zip"
    with zipfile.ZipFile(snapshot, "w") as archive:
        archive.writestr("metadata", 'v1\n{"sstFiles":[]}')
    assert is_whole_snapshot(snapshot)
    gone(checkpoint / "state/0/0/1.changelog")
    assert examine(checkpoint).batch == 3, "from the snapshot"
    cut_in_half(snapshot)
    with pytest.raises(CheckpointError, match="no batch in it"):
        examine(checkpoint)


def test_a_snapshot_whose_tables_are_missing_is_torn(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "2.zip", "w") as archive:
        table = '{"localFileName":"1.sst","dfsSstFileName":"1-a.sst","sizeBytes":3}'
        archive.writestr("metadata", 'v1\n{"sstFiles":[' + table + "]}")
    assert not is_whole_snapshot(tmp_path / "2.zip")
    (tmp_path / "SSTs").mkdir()
    (tmp_path / "SSTs/1-a.sst").write_bytes(b"abc")
    assert is_whole_snapshot(tmp_path / "2.zip")


def test_a_first_batch_that_was_never_done_begins_anew(checkpoint: Path) -> None:
    for batch in (1, 2, 3):
        gone(checkpoint / f"offsets/{batch}")
    for batch in range(4):
        gone(checkpoint / f"commits/{batch}")
    emptied(checkpoint / "offsets/0")
    assert examine(checkpoint).batch == -1
    assert "offsets/0" in names(checkpoint)


def test_state_without_offsets_is_refused(checkpoint: Path) -> None:
    for batch in range(4):
        gone(checkpoint / f"offsets/{batch}")
        gone(checkpoint / f"commits/{batch}")
    with pytest.raises(CheckpointError, match="holds state but no offsets"):
        examine(checkpoint)


def test_checksums_tell_what_content_cannot(tmp_path: Path) -> None:
    write(tmp_path / "whole", b"x" * 1000)
    assert is_intact(tmp_path / "whole")
    (tmp_path / "whole").write_bytes(b"x" * 999 + b"y")
    assert not is_intact(tmp_path / "whole")
    assert not is_intact(tmp_path / "absent")


@pytest.mark.parametrize(
    ("content", "is_whole"),
    [
        (block(b"one") + block(b"two") + EMPTY_BLOCK, True),
        (block(b"one") + block(b"two"), False),
        ((block(b"one") + EMPTY_BLOCK)[:-1], False),
        (block(b"one")[:-1], False),
        (b"garbage" * 10, False),
        (b"", False),
    ],
)
def test_changes_end_with_an_empty_block(tmp_path: Path, content: bytes, is_whole: bool) -> None:
    (tmp_path / "1.changelog").write_bytes(content)
    assert is_whole_changelog(tmp_path / "1.changelog") is is_whole
