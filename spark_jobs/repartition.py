"""``python -m spark_jobs.repartition``: what ``./clickwake repartition`` does.

Whoever calls it sees to it that no job works on the checkpoint meanwhile. A new checkpoint is
made of seeds beside the present one and takes its place in one step; until then nothing has
changed, and after it only copying is left, which can be interrupted and begun again.
"""

import argparse
import logging
import os
import signal
import sys
from collections.abc import Iterator
from functools import partial
from math import ceil
from pathlib import Path
from threading import Event

import msgspec
from kafka.errors import KafkaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from contracts import ContractError, Tally
from contracts.kafka import KafkaSettings
from spark_jobs.bars import progress_bar
from spark_jobs.checkpoint import (
    CheckpointError,
    Manifest,
    Move,
    Offsets,
    read_manifest,
    write_manifest,
)
from spark_jobs.checkpoint_repair import last_batch
from spark_jobs.old_state import in_new_buckets, read_state, seeds_of, with_visitors
from spark_jobs.positions import Positions
from spark_jobs.preflight import JobError, repair_checkpoint, require_topics
from spark_jobs.processor import CLOCK_ROLES, PARTITION_STEP, TOPIC_STEP
from spark_jobs.seeds import FOLDER, Basis, basis_of, header_of, seed, write_seed
from spark_jobs.sender import SendError
from spark_jobs.settings import JobSettings, load
from spark_jobs.spark import cause, start_spark
from spark_jobs.swap import draft_of, finish_swap, next_epoch, swap_in
from spark_jobs.topic_copy import begin_topics, copy, partition_of

REPLAY = TOPIC_STEP * CLOCK_ROLES.index("replay")

Bases = dict[int, Basis]
"""A new partition's first bucket → what its buckets begin with."""


class Present(msgspec.Struct, frozen=True):
    """The checkpoint as it is: made with what, up to where, and where its topics stand."""

    checkpoint: Path
    manifest: Manifest
    batch: int
    offsets: Offsets
    positions: Positions


def main(arguments: list[str]) -> int:
    """Run; the exit status is 1 with one sentence when it cannot be done."""
    logging.getLogger("kafka").setLevel(logging.CRITICAL)
    parsed = _parser().parse_args(arguments)
    try:
        job, kafka = load()
        if parsed.buckets:
            change_buckets(msgspec.structs.replace(job, buckets=None), kafka, parsed.buckets)
        else:
            change_partitions(job, kafka, parsed.prefix, parsed.follow)
    except (ContractError, CheckpointError, JobError, SendError) as error:
        print(f"clickwake: {error}", file=sys.stderr)
    except KafkaError as error:
        print(f"clickwake: Kafka failed ({error}): run the command again", file=sys.stderr)
    except PySparkException as error:
        print(f"clickwake: Spark failed: {cause(error)}", file=sys.stderr)
    else:
        return 0
    return 1


def change_buckets(job: JobSettings, kafka: KafkaSettings, buckets: int) -> None:
    """Another number of buckets on the same topics."""
    checkpoint = Path(job.checkpoint)
    finish_swap(checkpoint)
    if read_manifest(checkpoint).buckets == buckets:
        print(f"{checkpoint} has {buckets} buckets already.")
        return
    present = _present(job, kafka)
    partitions = present.positions.partitions(kafka.topic("requests"))
    manifest = msgspec.structs.replace(
        _successor(present, buckets, ceil(buckets / partitions)), start=present.offsets
    )
    aside = _grow(job, present, manifest, None)
    print(f"{present.checkpoint} has {buckets} buckets now, under epoch {manifest.epoch}.")
    print(f"The former checkpoint is in {aside}.")


def change_partitions(job: JobSettings, kafka: KafkaSettings, prefix: str, follow: bool) -> None:
    """The same visitors on topics with another number of partitions, under another prefix."""
    checkpoint = Path(job.checkpoint)
    finish_swap(checkpoint)
    target = msgspec.structs.replace(kafka, topic_prefix=prefix)
    new = require_topics(target)
    partitions = new.partitions(target.topic("requests"))
    manifest = read_manifest(checkpoint)
    if manifest.topic_prefix != prefix:
        manifest = _move_state(job, kafka, target, new)
    move = manifest.moved
    if move is None:
        print(f"{checkpoint} was made for {prefix}.* and did not come from other topics.")
        return
    source = msgspec.structs.replace(kafka, topic_prefix=move.prefix)
    start = move.offsets.get(source.topic("requests"), {})
    copied = _copy(source, target, start, partitions)
    done = msgspec.structs.replace(manifest, moved=msgspec.structs.replace(move, done=True))
    write_manifest(checkpoint, done)
    print(f"Copied {copied} record(s) that the job had not read to {target.topic('requests')}.")
    print(
        f"Now set CLICKWAKE_KAFKA_TOPIC_PREFIX={prefix} for the sites, the job and the API, and "
        "start them again. Until the last site has moved, let this run beside them:\n"
        f"  ./clickwake repartition --partitions {partitions} --prefix {prefix} --follow"
    )
    if follow:
        _follow(source, target, start, partitions)


def _move_state(
    job: JobSettings, kafka: KafkaSettings, target: KafkaSettings, new: Positions
) -> Manifest:
    present = _present(job, kafka)
    _require_replays_read(present, kafka)
    counts = {role: new.partitions(target.topic(role)) for role in CLOCK_ROLES}
    if len(set(counts.values())) != 1:
        raise JobError(f"{target.topic_prefix}.* have different numbers of partitions: {counts}")
    begin_topics(target, counts)
    partitions = counts["requests"]
    buckets = present.manifest.buckets
    manifest = msgspec.structs.replace(
        _successor(present, buckets, ceil(buckets / partitions)),
        topic_prefix=target.topic_prefix,
        start=None,
        moved=Move(kafka.topic_prefix, present.offsets),
    )
    _grow(job, present, manifest, partitions)
    return manifest


def _present(job: JobSettings, kafka: KafkaSettings) -> Present:
    checkpoint = Path(job.checkpoint)
    manifest = read_manifest(checkpoint)
    if manifest.topic_prefix != kafka.topic_prefix:
        raise JobError(
            f"{checkpoint} is of the topics {manifest.topic_prefix}.*: "
            f"set CLICKWAKE_KAFKA_TOPIC_PREFIX={manifest.topic_prefix}"
        )
    repair_checkpoint(checkpoint)
    batch, offsets = last_batch(checkpoint)
    if batch < 0:
        raise JobError(f"{checkpoint} has no finished batch yet: run the job first")
    return Present(checkpoint, manifest, batch, offsets, require_topics(kafka))


def _successor(present: Present, buckets: int, per_partition: int) -> Manifest:
    return msgspec.structs.replace(
        present.manifest,
        epoch=next_epoch(present.manifest.epoch),
        buckets=buckets,
        per_partition=per_partition,
        cluster=present.positions.cluster,
        restored="",
        moved=None,
        retold=None,
    )


def _require_replays_read(present: Present, kafka: KafkaSettings) -> None:
    topic = kafka.topic("replay")
    if present.offsets.get(topic) != present.positions.end.get(topic):
        raise JobError(
            f"{topic} has records that the job has not read: let the replay finish first"
        )


def _grow(
    job: JobSettings, present: Present, manifest: Manifest, partitions: int | None
) -> Path | None:
    """Make the new checkpoint of the present one's state; where that is now."""
    spark = start_spark("clickwake-repartition", job, log_level="ERROR")
    state = read_state(spark, present.checkpoint, present.batch)
    # Read twice, and Spark would look the state up anew each time.
    state = state.persist()
    bases = new_bases(state, partitions)
    place = partial(_place, partitions=partitions) if partitions else None
    visitors = in_new_buckets(
        with_visitors(state, rebase=partitions is not None), manifest.per_partition, place
    )
    draft = draft_of(present.checkpoint)
    (draft / FOLDER).mkdir()
    _write_seeds(draft / FOLDER, seeds_of(visitors, bases), bases, manifest.per_partition)
    spark.stop()
    write_manifest(draft, manifest)
    os.sync()
    return swap_in(draft, present.checkpoint)


def _place(key: bytes, partitions: int) -> int:
    return partition_of(key, 0, partitions)


def new_bases(state: DataFrame, partitions: int | None) -> Bases:
    """What each new partition's buckets begin with.

    With another number of partitions, a topic's first one takes over the ledger of all.
    """
    step = PARTITION_STEP if partitions is None else TOPIC_STEP
    groups: dict[int, list[bytes]] = {}
    for row in state.select("bucket", "header").collect():
        groups.setdefault(row.bucket - row.bucket % step, []).append(bytes(row.header))
    bases = {first: basis_of(map(header_of, headers)) for first, headers in groups.items()}
    if partitions is None:
        return bases
    return {
        first + number * PARTITION_STEP: Basis(one.watermark, one.tally if not number else Tally())
        for first, one in bases.items()
        for number in range(partitions)
    }


def _write_seeds(folder: Path, seeds: DataFrame, bases: Bases, per_partition: int) -> None:
    with progress_bar("Buckets", len(bases) * per_partition) as advance:
        written = set()
        for row in seeds.toLocalIterator():
            write_seed(folder, row.bucket, (bytes(row.header), bytes(row.body)))
            written.add(row.bucket)
            advance(1)
        for bucket in _all_buckets(bases, per_partition):
            if bucket not in written:
                basis = bases[bucket - bucket % PARTITION_STEP]
                stored = seed({}, basis, is_first=bucket % PARTITION_STEP == 0)
                write_seed(folder, bucket, stored)
                advance(1)


def _all_buckets(bases: Bases, per_partition: int) -> Iterator[int]:
    for first in sorted(bases):
        yield from range(first, first + per_partition)


def _copy(source: KafkaSettings, target: KafkaSettings, start: dict[str, int], count: int) -> int:
    with progress_bar("Records", None) as advance:
        return copy(source, target, start, count, tell=advance)


def _follow(source: KafkaSettings, target: KafkaSettings, start: dict[str, int], n: int) -> None:
    stopped = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *unused: stopped.set())
    print("Copying what still comes, until Ctrl-C.", flush=True)
    copied = copy(source, target, start, n, stop=stopped.is_set)
    print(f"{copied} record(s) more were copied.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="clickwake repartition")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--buckets", type=int)
    what.add_argument("--prefix")
    parser.add_argument("--follow", action="store_true")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
