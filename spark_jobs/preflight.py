"""Everything that must be right before Spark starts: Kafka, its topics, the checkpoint."""

import logging
from pathlib import Path

import msgspec
from kafka.errors import KafkaError

from contracts.instants import start_instant
from contracts.kafka import KafkaSettings
from spark_jobs.checkpoint import (
    Manifest,
    expect_retelling,
    is_new,
    open_manifest,
    unusable,
)
from spark_jobs.checkpoint_repair import examine, last_batch, set_aside
from spark_jobs.positions import Positions, misfit, read_positions, resolve
from spark_jobs.processor import CLOCK_ROLES
from spark_jobs.settings import JobSettings
from spark_jobs.swap import finish_swap

log = logging.getLogger("spark_jobs")

EARLIEST = -2
"""Spark's number for a partition's first offset."""


class JobError(Exception):
    """The job cannot start. The message says what to do."""


def prepare(settings: JobSettings, kafka: KafkaSettings) -> tuple[Manifest, str]:
    """The checkpoint's manifest, and where a new one begins to read, as Spark writes it.

    What a torn write left in the checkpoint is set aside, with a warning. Raises JobError
    without Kafka or topics, and CheckpointError for a checkpoint that nobody can go on from.
    """
    start_instant(settings.start_from)
    finish_swap(Path(settings.checkpoint))
    positions = require_topics(kafka)
    if not is_new(settings.checkpoint):
        repair_checkpoint(Path(settings.checkpoint))
    manifest = open_manifest(
        settings.checkpoint,
        settings.buckets,
        positions.partitions(kafka.topic("requests")),
        kafka.topic_prefix,
        cluster=positions.cluster,
        start=lambda: resolve(settings.start_from, kafka),
        end=positions.end,
    )
    _, offsets = last_batch(Path(settings.checkpoint))
    why = misfit(offsets or manifest.start or {}, positions)
    if why is not None:
        raise unusable(settings.checkpoint, why)
    return manifest, starting_offsets(manifest, positions, kafka)


def repair_checkpoint(checkpoint: Path) -> None:
    """Set aside what a torn write left; raises CheckpointError if that does not help."""
    repair = examine(checkpoint)
    if repair.aside:
        # A batch that is planned anew has other borders, and part of its output may be in Kafka.
        expect_retelling(checkpoint)
        aside = set_aside(checkpoint, repair)
        log.warning(
            "%d file(s) of the newest batches in %s were torn or of no use without torn ones; they "
            "are now in %s, and the job repeats what came after batch %d, which changes no result",
            len(repair.aside), checkpoint, aside, repair.batch,
        )  # fmt: skip


def require_topics(kafka: KafkaSettings) -> Positions:
    """Where the request topics stand; JobError when there are none, or no Kafka."""
    try:
        positions = read_positions(kafka)
    except KafkaError as error:
        raise JobError(
            f"Kafka at {kafka.bootstrap_servers} does not answer ({error}): "
            "start it, or set CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS"
        ) from None
    for topic in map(kafka.topic, CLOCK_ROLES):
        if not positions.partitions(topic):
            raise JobError(
                f"the topic {topic} does not exist: `./clickwake job` creates it and starts the job"
            )
    return positions


def starting_offsets(manifest: Manifest, positions: Positions, kafka: KafkaSettings) -> str:
    """Spark's ``startingOffsets``: a partition that came later is read from its first record."""
    if manifest.start is None:
        return "earliest"
    start = {
        topic: {
            partition: manifest.start.get(topic, {}).get(partition, EARLIEST)
            for partition in positions.end[topic]
        }
        for topic in map(kafka.topic, CLOCK_ROLES)
    }
    return msgspec.json.encode(start).decode()
