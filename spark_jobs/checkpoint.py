"""What must stay the same for as long as a checkpoint lives, kept beside it."""

import os
from pathlib import Path
from time import time

import msgspec

FILE = "clickwake.json"


class CheckpointError(Exception):
    """The checkpoint does not fit the settings. The message says what to change."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """``buckets`` is per partition; ``epoch`` grows with every new checkpoint (unix seconds)."""

    epoch: int
    buckets: int
    topic_prefix: str
    state_version: int = 1


def open_manifest(checkpoint: str, buckets: int, topic_prefix: str) -> Manifest:
    """The checkpoint's manifest, made when the checkpoint is new.

    Raises CheckpointError when the checkpoint was made with other buckets or topics.
    """
    path = Path(checkpoint) / FILE
    if not path.exists():
        return _create(path, buckets, topic_prefix)
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


def _create(path: Path, buckets: int, topic_prefix: str) -> Manifest:
    if path.parent.exists() and any(path.parent.iterdir()):
        raise CheckpointError(
            f"{path.parent} holds files but no {FILE}: restore that file, or point "
            "CLICKWAKE_JOB_CHECKPOINT at an empty folder"
        )
    manifest = Manifest(epoch=int(time()), buckets=buckets, topic_prefix=topic_prefix)
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
