"""``python -m spark_jobs.erase``: rid the job's state of visitors, here and in savepoints.

Whoever calls it sees to it that no job works on the checkpoint meanwhile. The erasure comes as
JSON on stdin; the same with all marks that turned up, and in ``found`` what is left, goes to
stdout.
"""

import argparse
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import msgspec
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from contracts import ContractError, Erasure
from spark_jobs import savepoint as points
from spark_jobs.checkpoint import CheckpointError, Manifest, is_new, read_manifest, write_manifest
from spark_jobs.checkpoint_repair import last_batch
from spark_jobs.forgetting import Erased, count_in, without
from spark_jobs.old_state import read_state
from spark_jobs.preflight import repair_checkpoint
from spark_jobs.savepoint import Savepoint, SavepointError
from spark_jobs.seeds import FOLDER, Stored, read_seed, write_seed
from spark_jobs.settings import JobSettings, load
from spark_jobs.spark import cause, start_spark
from spark_jobs.swap import draft_of, finish_swap, next_epoch, swap_in

PLACE = "job state"


class Saved(msgspec.Struct, frozen=True):
    """A checkpoint's buckets, and up to where they have read."""

    manifest: Manifest
    buckets: dict[int, Stored]


def main(arguments: list[str]) -> int:
    """Run; the exit status is 1 with one sentence when it cannot be done."""
    parsed = _parser().parse_args(arguments)
    try:
        erasure = msgspec.json.decode(sys.stdin.buffer.read(), type=Erasure)
        cleaned = erase(erasure, parsed.savepoints)
    except (ContractError, CheckpointError, SavepointError, msgspec.MsgspecError) as error:
        print(f"clickwake: {error}", file=sys.stderr)
        return 1
    except PySparkException as error:
        print(f"clickwake: Spark failed: {cause(error)}", file=sys.stderr)
        return 1
    sys.stdout.buffer.write(msgspec.json.encode(cleaned))
    return 0


def erase(erasure: Erasure, savepoints: Path) -> Erasure:
    """Do it; the erasure with all marks, and what is found afterwards."""
    job, _ = load()
    checkpoint = Path(job.checkpoint)
    erased = Erased(erasure.site_id, erasure.key, set(erasure.marks))
    places = [place for place in (checkpoint, *_saved(savepoints)) if _is_there(place)]
    with _States(job) as states:
        kept = {place: _read(states, place) for place in places}
    # Twice, as a name may turn up in one that another one knows.
    for saved in (*kept.values(), *kept.values()):
        for bucket in saved.buckets.values():
            count_in(bucket, erased)
    for place, saved in kept.items():
        _clean(place, saved, erased, checkpoint)
        _delete_former(place)
    left = sum(_count(place, erased) for place in places)
    return msgspec.structs.replace(
        erasure, marks=sorted(erased.marks), found={PLACE: left} if left else {}
    )


def _is_there(checkpoint: Path) -> bool:
    finish_swap(checkpoint)
    return not is_new(checkpoint)


def _saved(folder: Path) -> Iterator[Path]:
    for one in points.listed(folder):
        yield folder / one.name / "checkpoint"


class _States:
    """Reads what Spark keeps; Spark is started for the first checkpoint that has such state."""

    def __init__(self, job: JobSettings) -> None:
        self._job = job
        self._spark: SparkSession | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        if self._spark is not None:
            self._spark.stop()

    def read(self, checkpoint: Path, batch: int) -> Iterator[tuple[int, Stored]]:
        """Each bucket as it was after this batch."""
        if self._spark is None:
            self._spark = start_spark("clickwake-erase", self._job, log_level="ERROR")
        for row in read_state(self._spark, checkpoint, batch).toLocalIterator():
            yield row.bucket, (bytes(row.header), bytes(row.body))


def _read(states: _States, checkpoint: Path) -> Saved:
    """Its last finished batch's state; buckets that have none yet are what they begin with."""
    repair_checkpoint(checkpoint)
    manifest = read_manifest(checkpoint)
    batch, offsets = last_batch(checkpoint)
    buckets = _seeds(checkpoint / FOLDER)
    if batch >= 0:
        buckets |= dict(states.read(checkpoint, batch))
        manifest = msgspec.structs.replace(manifest, start=offsets)
    return Saved(manifest, buckets)


def _seeds(folder: Path) -> dict[int, Stored]:
    found: dict[int, Stored] = {}
    for file in folder.glob("[0-9]*") if folder.is_dir() else ():
        stored = read_seed(str(folder), int(file.name)) if file.suffix == "" else None
        if stored is not None:
            found[int(file.name)] = stored
    return found


def _clean(place: Path, saved: Saved, erased: Erased, live: Path) -> None:
    """Put a checkpoint of seeds in its place, and delete it with the states that it had before."""
    cleaned = {number: without(stored, erased) for number, stored in saved.buckets.items()}
    draft = draft_of(place)
    (draft / FOLDER).mkdir()
    for number, (stored, _) in cleaned.items():
        write_seed(draft / FOLDER, number, stored)
    epoch = next_epoch(saved.manifest.epoch) if place == live else saved.manifest.epoch
    # What an earlier run told of sessions that are erased needs no telling again.
    manifest = msgspec.structs.replace(saved.manifest, epoch=epoch, retold=None)
    write_manifest(draft, manifest)
    aside = swap_in(draft, place)
    if aside is not None:
        shutil.rmtree(aside)
    if place != live:
        _renew(place.parent, manifest)


def _renew(folder: Path, manifest: Manifest) -> None:
    """A savepoint says of itself what its checkpoint is now."""
    saved: Savepoint = points.read(folder)
    checkpoint = folder / "checkpoint"
    renewed = msgspec.structs.replace(
        saved,
        manifest=manifest,
        batch=-1,
        offsets={},
        files=points.digests_of(checkpoint),
        size=points.size_of(checkpoint),
    )
    (folder / points.FILE).write_bytes(msgspec.json.format(msgspec.json.encode(renewed), indent=2))


def _delete_former(checkpoint: Path) -> None:
    """Checkpoints that were moved aside know visitors of then, and nobody needs them."""
    name = re.escape(checkpoint.name)
    former = re.compile(rf"{name}\.(\d+(\.\d+)?|torn\.\d+|draft)")
    for folder in checkpoint.parent.glob(f"{checkpoint.name}.*"):
        if former.fullmatch(folder.name):
            shutil.rmtree(folder)


def _count(checkpoint: Path, erased: Erased) -> int:
    """How many names the files know now, read anew."""
    return sum(count_in(stored, erased) for stored in _seeds(checkpoint / FOLDER).values())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="clickwake erase")
    parser.add_argument("--savepoints", type=Path, required=True)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
