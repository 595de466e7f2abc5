"""Whether a savepoint can go on here, and putting it in the checkpoint's place."""

from pathlib import Path

import msgspec

from contracts.kafka import KafkaSettings
from spark_jobs.bars import Advance
from spark_jobs.checkpoint import READABLE_STATES, write_manifest
from spark_jobs.positions import Positions, misfit
from spark_jobs.savepoint import Savepoint, SavepointError, copy_hashed, verify
from spark_jobs.settings import JobSettings
from spark_jobs.swap import draft_of, epoch_of, next_epoch, swap_in
from spark_jobs.versions import spark_line

PLACES = {"checkpoint", "jars", "geo", "master", "driver_memory", "start_from", "buckets"}
"""Settings that belong to a machine or to the checkpoint itself, not to what a session is."""


class Restored(msgspec.Struct, frozen=True):
    """``aside`` is where the former checkpoint is now, if there was one."""

    savepoint: Savepoint
    epoch: int
    aside: Path | None


def misfits(
    savepoint: Savepoint, job: JobSettings, kafka: KafkaSettings, positions: Positions | None
) -> list[str]:
    """Why it cannot go on with these settings on this Kafka; empty when it can.

    ``positions`` is None when there is no Kafka to ask; the job asks when it starts.
    """
    manifest, found = savepoint.manifest, []
    if manifest.state_version not in READABLE_STATES:
        found.append(
            f"its state has version {manifest.state_version} and this Clickwake reads "
            f"{READABLE_STATES[-1]} at most: use Clickwake {savepoint.versions.get('clickwake')}"
        )
    if spark_line(savepoint.versions["spark"]) != spark_line():
        found.append(f"it is Spark {savepoint.versions['spark']}'s and this is {spark_line()}")
    if job.buckets not in (None, manifest.buckets):
        found.append(
            f"it has {manifest.buckets} buckets and CLICKWAKE_JOB_BUCKETS is {job.buckets}: "
            "unset that"
        )
    if manifest.topic_prefix != kafka.topic_prefix:
        found.append(
            f"it is of the topics {manifest.topic_prefix}.* and CLICKWAKE_KAFKA_TOPIC_PREFIX is "
            f"{kafka.topic_prefix}"
        )
    return found or _of_kafka(savepoint, positions)


def _of_kafka(savepoint: Savepoint, positions: Positions | None) -> list[str]:
    if positions is None:
        return []
    known = savepoint.cluster or savepoint.manifest.cluster
    if known and positions.cluster and known != positions.cluster:
        return [f"it is of the Kafka cluster {known} and this one is {positions.cluster}"]
    why = misfit(savepoint.offsets or savepoint.manifest.start or {}, positions)
    return [why] if why else []


def other_rules(savepoint: Savepoint, job: JobSettings) -> dict[str, tuple[object, object]]:
    """Settings that were not what they are now: name → (then, now)."""
    now = settings_of(job)
    return {
        name: (then, now[name])
        for name, then in savepoint.settings.items()
        if name in now and now[name] != then
    }


def settings_of(job: JobSettings) -> dict[str, str | int | None]:
    """What a session depends on, and none of the machine's paths. There are no secrets in it."""
    return {
        name: value for name, value in msgspec.structs.asdict(job).items() if name not in PLACES
    }


def restore(
    place: Path, savepoint: Savepoint, checkpoint: Path, advance: Advance = lambda size: None
) -> Restored:
    """Put a copy of it in the checkpoint's place, under an epoch above all earlier ones.

    The former checkpoint is moved aside. Raises SavepointError, with nothing changed, for a
    savepoint that is damaged.
    """
    verify(place, savepoint, advance)
    draft = draft_of(checkpoint)
    if copy_hashed(place / "checkpoint", draft, advance) != savepoint.files:
        raise SavepointError(f"the savepoint in {place} changed while it was read: try again")
    epoch = next_epoch(savepoint.manifest.epoch, epoch_of(checkpoint))
    manifest = msgspec.structs.replace(
        savepoint.manifest,
        epoch=epoch,
        restored=savepoint.name,
        cluster=savepoint.cluster,
        retold=None,
    )
    write_manifest(draft, manifest)
    return Restored(savepoint, epoch, swap_in(draft, checkpoint))
