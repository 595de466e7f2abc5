"""What must stay the same for as long as a checkpoint lives, kept beside it."""

import os
from collections.abc import Callable
from math import ceil
from pathlib import Path
from time import time

import msgspec

FILE = "clickwake.json"
STATE_VERSION = 4
READABLE_STATES = (1, 2, 3, STATE_VERSION)
"""Version 2 squeezes large buckets, version 3 keeps them in pages, version 4 knows
visitors of several names; each reads what came before."""
DEFAULT_BUCKETS = 256

Offsets = dict[str, dict[str, int]]
"""Topic → partition → the first offset that has not been read."""

WAYS_OUT = (
    "go back to a savepoint (`./clickwake savepoint list`, then `./clickwake savepoint restore "
    "NAME`), or stop the job and move that folder away to read the topics again from their start"
)


class CheckpointError(Exception):
    """The checkpoint cannot be used as it is. The message says what to change."""


class Move(msgspec.Struct, frozen=True):
    """Where a checkpoint came from: the former topics, and from which offsets they are copied."""

    prefix: str
    offsets: Offsets
    done: bool = False


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """``epoch`` grows with every new checkpoint (unix seconds).

    ``buckets`` is the setting it was made with, ``per_partition`` what that came to then: more
    partitions later get as many buckets each, so those that exist stay what they are.
    ``cluster`` is the Kafka cluster's id, ``start`` where it begins to read (None: earliest),
    ``restored`` the savepoint that it came from, ``moved`` the topics. ``retold`` is up to where
    earlier runs may have told of sessions under names that the state does not know; None is for
    where the topics end at the next start. Those are missing in older manifests.
    """

    epoch: int
    buckets: int
    per_partition: int
    topic_prefix: str
    state_version: int = STATE_VERSION
    cluster: str = ""
    start: Offsets | None = None
    restored: str = ""
    moved: Move | None = None
    retold: Offsets | None = None


def unusable(checkpoint: str | Path, why: str) -> CheckpointError:
    """The error for a checkpoint that nobody can go on from."""
    return CheckpointError(f"the checkpoint in {checkpoint} cannot be read ({why}): {WAYS_OUT}")


def is_new(checkpoint: str | Path) -> bool:
    """Whether no job has begun there yet."""
    return not (Path(checkpoint) / FILE).exists()


def open_manifest(
    checkpoint: str,
    buckets: int | None,
    partitions: int,
    topic_prefix: str,
    *,
    cluster: str = "",
    start: Callable[[], Offsets | None] = lambda: None,
    end: Offsets | None = None,
) -> Manifest:
    """The checkpoint's manifest, made when the checkpoint is new.

    ``buckets`` of None means what the checkpoint has. ``partitions`` is the live topic's count
    now. ``start`` says where a new checkpoint begins to read, ``end`` is where the topics end
    now. Raises CheckpointError when the
    checkpoint was made with other buckets, topics or another Kafka.
    """
    if is_new(checkpoint):
        chosen = buckets or DEFAULT_BUCKETS
        return _create(
            Path(checkpoint),
            lambda: Manifest(
                epoch=int(time()),
                buckets=chosen,
                per_partition=ceil(chosen / partitions),
                topic_prefix=topic_prefix,
                cluster=cluster,
                start=start(),
                retold=end,
            ),
        )
    manifest = read_manifest(checkpoint)
    if buckets not in (None, manifest.buckets):
        raise CheckpointError(
            f"the checkpoint in {checkpoint} was made with buckets={manifest.buckets} and cannot "
            f"go on with {buckets}: unset CLICKWAKE_JOB_BUCKETS, or change them with "
            f"`./clickwake repartition --buckets {buckets}`"
        )
    _require_topics(checkpoint, manifest, topic_prefix)
    if manifest.state_version not in READABLE_STATES:
        _require(checkpoint, "state_version", manifest.state_version, STATE_VERSION)
    if manifest.cluster and cluster:
        _require(checkpoint, "Kafka cluster", manifest.cluster, cluster)
    return _as_written_now(Path(checkpoint), manifest, end)


def _as_written_now(checkpoint: Path, manifest: Manifest, end: Offsets | None) -> Manifest:
    """What goes on with this code cannot be read by older code again."""
    now = msgspec.structs.replace(
        manifest,
        state_version=STATE_VERSION,
        retold=end if manifest.retold is None else manifest.retold,
    )
    if now != manifest:
        write_manifest(checkpoint, now)
    return now


def expect_retelling(checkpoint: Path) -> None:
    """Note that messages may be published which the state knows nothing of."""
    write_manifest(checkpoint, msgspec.structs.replace(read_manifest(checkpoint), retold=None))


def read_manifest(checkpoint: str | Path) -> Manifest:
    """The manifest of a checkpoint that exists; CheckpointError when it is torn."""
    path = Path(checkpoint) / FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except (OSError, msgspec.MsgspecError) as error:
        raise unusable(checkpoint, f"its {FILE}: {error}") from None


def write_manifest(checkpoint: Path, manifest: Manifest) -> None:
    """Replace the manifest in one step."""
    draft = checkpoint / f"{FILE}.draft"
    draft.write_bytes(msgspec.json.encode(manifest))
    os.replace(draft, checkpoint / FILE)


def _create(checkpoint: Path, make: Callable[[], Manifest]) -> Manifest:
    if checkpoint.exists() and any(one.name != f"{FILE}.draft" for one in checkpoint.iterdir()):
        raise CheckpointError(
            f"{checkpoint} holds files but no {FILE}: restore that file, or point "
            "CLICKWAKE_JOB_CHECKPOINT at an empty folder"
        )
    manifest = make()
    checkpoint.mkdir(parents=True, exist_ok=True)
    write_manifest(checkpoint, manifest)
    return manifest


def _require_topics(checkpoint: str, manifest: Manifest, topic_prefix: str) -> None:
    if manifest.topic_prefix != topic_prefix:
        raise CheckpointError(
            f"the checkpoint in {checkpoint} was made with topic_prefix={manifest.topic_prefix} "
            f"and cannot go on with {topic_prefix}: set CLICKWAKE_KAFKA_TOPIC_PREFIX="
            f"{manifest.topic_prefix}, or point CLICKWAKE_JOB_CHECKPOINT at a new folder"
        )
    if manifest.moved is not None and not manifest.moved.done:
        raise CheckpointError(
            f"not all of {manifest.moved.prefix}.requests is copied to {topic_prefix}.requests: "
            "run `./clickwake repartition` again as it was"
        )


def _require(checkpoint: str | Path, name: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise CheckpointError(
            f"the checkpoint in {checkpoint} was made with {name}={found} and cannot go on "
            f"with {wanted}: set it back, or point CLICKWAKE_JOB_CHECKPOINT at a new folder"
        )
