"""Look a checkpoint over before Spark reads it, and take away what a torn write left.

A micro-batch may run again: its outputs are the same messages, which readers know already. So
when newest files are torn, the job may go back to the newest batch whose log and state are
whole, as long as Spark keeps them (twenty batches). What stands after it is set aside. Batches
that are planned anew end elsewhere; the manifest's ``retold`` is for what that changes.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path
from time import time

import msgspec

from spark_jobs.checkpoint import Offsets, unusable
from spark_jobs.checkpoint_files import (
    OPERATOR,
    crc_of,
    is_whole_commit,
    is_whole_metadata,
    numbered,
    read_offset_log,
    torn_state,
)


class Repair(msgspec.Struct, frozen=True):
    """``batch`` is the last one that stays done (-1: none); ``aside`` what must go for it."""

    batch: int
    aside: tuple[Path, ...]


def last_batch(checkpoint: Path) -> tuple[int, Offsets]:
    """The last finished batch and up to where it read; (-1, {}) when there is none."""
    offsets, commits = numbered(checkpoint / "offsets"), numbered(checkpoint / "commits")
    done = max((batch for batch in commits if batch in offsets), default=-1)
    log = read_offset_log(offsets[done]) if done >= 0 else None
    return done, log.offsets if log else {}


def examine(checkpoint: Path) -> Repair:
    """What must be set aside so that Spark can go on; raises CheckpointError if nothing helps."""
    offsets, commits = numbered(checkpoint / "offsets"), numbered(checkpoint / "commits")
    if not offsets and not commits:
        return _before_the_first(checkpoint)
    if not is_whole_metadata(checkpoint / "metadata"):
        raise unusable(checkpoint, "its file metadata is missing or torn")
    for batch in sorted({*offsets, *commits}, reverse=True):
        torn = _torn_for(checkpoint, offsets.get(batch), commits.get(batch), batch)
        if torn is not None:
            return Repair(batch, tuple(_superfluous(checkpoint, batch, torn)))
    if 0 in offsets and len(offsets) == 1:
        # The very first batch was never finished: it begins where the manifest says.
        return Repair(-1, tuple(_superfluous(checkpoint, -1, [])))
    raise unusable(checkpoint, "no batch in it has its offsets, its commit and its state whole")


def _before_the_first(checkpoint: Path) -> Repair:
    if any((checkpoint / OPERATOR).glob("*/*.*")):
        raise unusable(checkpoint, "it holds state but no offsets")
    return Repair(-1, ())


def _torn_for(
    checkpoint: Path, offsets: Path | None, commit: Path | None, batch: int
) -> list[Path] | None:
    """None unless the batch is done and its state can be loaded without the files returned."""
    if offsets is None or commit is None or not is_whole_commit(commit):
        return None
    log = read_offset_log(offsets)
    return None if log is None else torn_state(checkpoint, log.state_partitions, batch + 1)


def _superfluous(checkpoint: Path, batch: int, torn: Iterable[Path]) -> list[Path]:
    """What a checkpoint whose last done batch this is may not hold.

    The next batch's offsets stay when they are whole: Spark then runs that very batch again.
    Its state, which that run writes anew, only goes if something else does, since then it may
    be of other offsets.
    """
    offsets, commits = numbered(checkpoint / "offsets"), numbered(checkpoint / "commits")
    gone = [file for number, file in offsets.items() if number > batch + 1]
    following = offsets.get(batch + 1)
    if following is not None and read_offset_log(following) is None:
        gone.append(following)
    gone += [file for number, file in commits.items() if number > batch]
    gone = [*torn, *gone]
    return [*_newer_state(checkpoint, batch + 1), *gone] if gone else []


def _newer_state(checkpoint: Path, version: int) -> list[Path]:
    folders = [*(checkpoint / OPERATOR).glob("[0-9]*")]
    found = [(folder, suffix) for folder in folders for suffix in (".changelog", ".zip")]
    files = [numbered(folder, suffix).items() for folder, suffix in found]
    return [file for pairs in files for number, file in pairs if number > version]


def set_aside(checkpoint: Path, repair: Repair) -> Path:
    """Move what the repair names, with its checksums, to a folder beside the checkpoint.

    State goes first and commits last, so that after an interrupted move the next start finds
    the same to do.
    """
    aside = checkpoint.with_name(f"{checkpoint.name}.torn.{int(time())}")
    for file in repair.aside:
        target = aside / file.relative_to(checkpoint)
        target.parent.mkdir(parents=True, exist_ok=True)
        for one, place in ((file, target), (crc_of(file), crc_of(target))):
            if one.exists():
                # A checkpoint may be a file system of its own, out of which nothing is renamed.
                shutil.move(one, place)
    return aside
