"""A savepoint: a copy of a checkpoint with what one must know to start from it anywhere.

Its folder holds ``savepoint.json`` and ``checkpoint/``. It is written under another name and
renamed when it is complete, so there are no half ones.
"""

import os
import re
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import msgspec

from spark_jobs.bars import Advance
from spark_jobs.checkpoint import Manifest, Offsets, read_manifest
from spark_jobs.checkpoint_repair import examine, last_batch

FILE = "savepoint.json"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
PART = 1024 * 1024


class SavepointError(Exception):
    """The savepoint cannot be made, found or used. The message says what to do."""


class Savepoint(msgspec.Struct, frozen=True, kw_only=True):
    """``created`` is in ms since 1970 UTC. ``files`` has each file's SHA-256 by its path below
    ``checkpoint/``. ``offsets`` are where the job goes on, ``batch`` its last finished batch.
    """

    name: str
    created: int
    manifest: Manifest
    batch: int
    offsets: Offsets
    cluster: str
    settings: dict[str, str | int | None]
    versions: dict[str, str]
    size: int
    files: dict[str, str]


def require_name(name: str) -> None:
    """Raise SavepointError for what cannot name a folder."""
    if not NAME.fullmatch(name):
        raise SavepointError(
            f"{name!r} is no name for a savepoint: use letters, digits, dots, dashes and "
            "underscores, up to 64, and begin with a letter or a digit"
        )


def create(checkpoint: Path, folder: Path, savepoint: Savepoint, advance: Advance) -> Savepoint:
    """Copy the checkpoint into ``folder/<name>``; nobody may write to it meanwhile.

    Manifest, batch, offsets and files are filled in. Raises SavepointError when the name is
    taken, CheckpointError when there is no checkpoint that a job could go on from.
    """
    require_name(savepoint.name)
    target, draft = folder / savepoint.name, folder / f".{savepoint.name}.draft"
    if target.exists():
        raise SavepointError(f"there is a savepoint {savepoint.name} in {folder} already")
    manifest = read_manifest(checkpoint)
    if examine(checkpoint).aside:
        raise SavepointError(
            f"the newest files in {checkpoint} are torn: start the job, which mends that, and "
            "then make a savepoint"
        )
    batch, offsets = last_batch(checkpoint)
    shutil.rmtree(draft, ignore_errors=True)
    files = copy_hashed(checkpoint, draft / "checkpoint", advance)
    done = msgspec.structs.replace(
        savepoint, manifest=manifest, batch=batch, offsets=offsets, files=files,
        size=size_of(draft / "checkpoint"),
    )  # fmt: skip
    (draft / FILE).write_bytes(msgspec.json.format(msgspec.json.encode(done), indent=2))
    os.replace(draft, target)
    return done


def copy_hashed(source: Path, target: Path, advance: Advance = lambda size: None) -> dict[str, str]:
    """Copy all files; path below the folder → SHA-256 of what was copied."""
    digests = {}
    for file in files_of(source):
        path = file.relative_to(source)
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        digest = sha256()
        with (target / path).open("wb") as writer:
            for part in _parts(file):
                digest.update(part)
                writer.write(part)
                advance(len(part))
            writer.flush()
            os.fsync(writer.fileno())
        digests[str(path)] = digest.hexdigest()
    return digests


def digests_of(folder: Path) -> dict[str, str]:
    """Path below the folder → SHA-256, of all files."""
    return {
        str(file.relative_to(folder)): sha256(file.read_bytes()).hexdigest()
        for file in files_of(folder)
    }


def files_of(folder: Path) -> list[Path]:
    """All files below, in order."""
    return sorted(file for file in folder.rglob("*") if file.is_file())


def size_of(folder: Path) -> int:
    """The bytes of all files below."""
    return sum(file.stat().st_size for file in files_of(folder))


def find(name: str, folder: Path) -> Path:
    """The savepoint's folder: of that name, or at that path. SavepointError lists the known."""
    for place in (folder / name, Path(name)):
        if (place / FILE).is_file():
            return place
    known = ", ".join(one.name for one in listed(folder)) or "none"
    raise SavepointError(f"there is no savepoint {name} in {folder}; known ones: {known}")


def read(place: Path) -> Savepoint:
    """What a savepoint says of itself; SavepointError when that cannot be read."""
    try:
        return msgspec.json.decode((place / FILE).read_bytes(), type=Savepoint)
    except (OSError, msgspec.MsgspecError) as error:
        raise SavepointError(f"{place / FILE} cannot be read: {error}") from None


def listed(folder: Path) -> list[Savepoint]:
    """All savepoints in the folder, oldest first."""
    places = folder.glob(f"[!.]*/{FILE}") if folder.is_dir() else iter(())
    return sorted((read(place.parent) for place in places), key=lambda one: one.created)


def delete(place: Path) -> None:
    """Delete a savepoint; interrupted, what is left counts as none."""
    leaving = place.with_name(f".{place.name}.deleted")
    os.replace(place, leaving)
    shutil.rmtree(leaving)


def verify(place: Path, savepoint: Savepoint, advance: Advance = lambda size: None) -> None:
    """Raise SavepointError naming the first file that is not what was saved."""
    root = place / "checkpoint"
    found = {str(file.relative_to(root)) for file in files_of(root)}
    odd = sorted(found ^ set(savepoint.files))
    if odd:
        what = "is missing" if odd[0] in savepoint.files else "was not part of it"
        raise SavepointError(f"the savepoint in {place} is damaged: checkpoint/{odd[0]} {what}")
    for path, wanted in savepoint.files.items():
        digest = sha256()
        for part in _parts(root / path):
            digest.update(part)
            advance(len(part))
        if digest.hexdigest() != wanted:
            raise SavepointError(f"the savepoint in {place} is damaged: checkpoint/{path} changed")


def _parts(file: Path) -> Iterator[bytes]:
    with file.open("rb") as reader:
        while part := reader.read(PART):
            yield part
