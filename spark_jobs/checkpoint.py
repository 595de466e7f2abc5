"""What must stay the same for as long as a checkpoint lives, kept beside it."""

import os
from math import ceil
from pathlib import Path
from time import time

import msgspec

FILE = "clickwake.json"


class CheckpointError(Exception):
    """The checkpoint does not fit the settings. The message says what to change."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """``epoch`` grows with every new checkpoint (unix seconds).

    ``buckets`` is the setting it was made with, ``per_partition`` what that came to then: more
    partitions later get as many buckets each, so those that exist stay what they are.
    """

    epoch: int
    buckets: int
    per_partition: int
    topic_prefix: str
    state_version: int = 1


def open_manifest(checkpoint: str, buckets: int, partitions: int, topic_prefix: str) -> Manifest:
    """The checkpoint's manifest, made when the checkpoint is new.

    ``partitions`` is the live topic's count now. Raises CheckpointError when the checkpoint was
    made with other buckets or topics.
    """
    path = Path(checkpoint) / FILE
    if not path.exists():
        per_partition = ceil(buckets / partitions)
        return _create(
            path,
            Manifest(
                epoch=int(time()),
                buckets=buckets,
                per_partition=per_partition,
                topic_prefix=topic_prefix,
            ),
        )
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except msgspec.MsgspecError as error:
        raise CheckpointError(
            f"{path} cannot be read ({error}): restore it from a backup, or point "
            "CLICKWAKE_JOB_CHECKPOINT at a new folder to read the topics again from the start"
        ) from None
    _require(path, "buckets", manifest.buckets, buckets)
    _require(path, "topic_prefix", manifest.topic_prefix, topic_prefix)
    _require(path, "state_version", manifest.state_version, Manifest.__struct_defaults__[-1])
    return manifest


def _create(path: Path, manifest: Manifest) -> Manifest:
    if path.parent.exists() and any(path.parent.iterdir()):
        raise CheckpointError(
            f"{path.parent} holds files but no {FILE}: restore that file, or point "
            "CLICKWAKE_JOB_CHECKPOINT at an empty folder"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    draft.write_bytes(msgspec.json.encode(manifest))
    os.replace(draft, path)
    return manifest


def _require(path: Path, name: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise CheckpointError(
            f"the checkpoint in {path.parent} was made with {name}={found} and cannot go on "
            f"with {wanted}: set it back, or point CLICKWAKE_JOB_CHECKPOINT at a new folder"
        )
