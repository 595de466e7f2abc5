"""Put another checkpoint in the place of the current one, which is moved aside, never deleted.

The new one is complete under the name ``<checkpoint>.next`` before the current one moves. Who
finds no checkpoint but that one takes the swap up where it was interrupted.
"""

import os
import shutil
from pathlib import Path
from time import time

from spark_jobs.checkpoint import CheckpointError, is_new, read_manifest


def draft_of(checkpoint: Path) -> Path:
    """An empty folder to make the new checkpoint in; what an interrupted one left is removed."""
    draft = checkpoint.with_name(f"{checkpoint.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    return draft


def swap_in(draft: Path, checkpoint: Path) -> Path | None:
    """Make the draft the checkpoint; where the former one is now, if there was one."""
    following = _next_of(checkpoint)
    shutil.rmtree(following, ignore_errors=True)
    os.replace(draft, following)
    aside = set_checkpoint_aside(checkpoint)
    finish_swap(checkpoint)
    return aside


def finish_swap(checkpoint: Path) -> None:
    """Complete a swap that was interrupted between its two moves."""
    if _next_of(checkpoint).exists() and not checkpoint.exists():
        os.replace(_next_of(checkpoint), checkpoint)


def set_checkpoint_aside(checkpoint: Path) -> Path | None:
    """Move it to ``<checkpoint>.<epoch>``; None when there is none."""
    if not checkpoint.exists():
        return None
    aside = _free(checkpoint.with_name(f"{checkpoint.name}.{epoch_of(checkpoint)}"))
    try:
        os.replace(checkpoint, aside)
    except OSError as error:
        raise CheckpointError(
            f"{checkpoint} cannot be moved aside ({error.strerror}): where a disk is mounted, "
            "point CLICKWAKE_JOB_CHECKPOINT at a folder below that place"
        ) from None
    return aside


def epoch_of(checkpoint: Path) -> int:
    """The checkpoint's epoch; now when its manifest cannot be read, 0 without a checkpoint."""
    if is_new(checkpoint):
        return int(time()) if checkpoint.exists() else 0
    try:
        return read_manifest(checkpoint).epoch
    except CheckpointError:
        return int(time())


def next_epoch(*earlier: int) -> int:
    """Now in seconds, but above all of these."""
    return max(int(time()), *(epoch + 1 for epoch in earlier))


def _next_of(checkpoint: Path) -> Path:
    return checkpoint.with_name(f"{checkpoint.name}.next")


def _free(wanted: Path) -> Path:
    number, free = 1, wanted
    while free.exists():
        number += 1
        free = wanted.with_name(f"{wanted.name}.{number}")
    return free
