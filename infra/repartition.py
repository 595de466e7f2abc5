"""``./clickwake repartition``: another number of buckets or partitions, with nothing lost."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from contracts.kafka import KafkaSettings
from contracts.settings import from_environment
from infra.errors import InfraError
from infra.hold import job_on_hold
from infra.paths import Places, places
from infra.preparation import prepare
from infra.savepoints import has_kafka, job_environment, run_beside_job
from infra.stack import batch_defaults, spark_environment
from infra.steps import Steps
from infra.topics import ensure_topics

MODULE = "spark_jobs.repartition"


def repartition(
    buckets: Annotated[int | None, typer.Option(min=1, max=65_536, help="So many buckets.")] = None,
    partitions: Annotated[
        int | None, typer.Option(min=1, max=1024, help="So many partitions of the request topics.")
    ] = None,
    prefix: Annotated[str | None, typer.Option(help="The new topics' prefix.")] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on copying for sites that have not moved.")
    ] = False,
    data: Annotated[Path | None, typer.Option(help="The stack's data folder.")] = None,
) -> None:
    """Change how many buckets or partitions the visitors fall into.

    The job is stopped meanwhile. Interrupted, it can be run again.
    """
    here = places(data)
    if not has_kafka(here):
        raise InfraError("There is no Kafka to work with: start the stack first.")
    if buckets is not None and partitions is None and prefix is None and not follow:
        _run(here, ["--buckets", str(buckets)])
    elif buckets is None and partitions is not None and prefix is not None:
        _make_topics(here, partitions, prefix)
        if follow and _is_moved(here, prefix):
            _spark(here, ["--prefix", prefix, "--follow"])
        else:
            _run(here, ["--prefix", prefix])
            if follow:
                _spark(here, ["--prefix", prefix, "--follow"])
    else:
        raise InfraError("Say either --buckets N, or --partitions N with --prefix NEW.")


def _run(here: Places, arguments: list[str]) -> None:
    with Steps() as steps, job_on_hold(here, "buckets are being moved", steps):
        _spark(here, arguments)


def _spark(here: Places, arguments: list[str]) -> None:
    with Steps() as steps:
        prepared = prepare(here, steps, dashboard=False)
    run_beside_job(MODULE, arguments, here, batch_defaults(prepared) | spark_environment(prepared))


def _make_topics(here: Places, partitions: int, prefix: str) -> None:
    kafka = from_environment(KafkaSettings, "KAFKA", job_environment(here))
    wanted = msgspec.structs.replace(kafka, topic_prefix=prefix)
    with Steps() as steps, steps.step(f"Topics {prefix}.*") as step:
        created = ensure_topics(wanted, {"requests": partitions, "replay": partitions})
        step.done(f"{len(created)} created" if created else "all there")


def _is_moved(here: Places, prefix: str) -> bool:
    """Whether the checkpoint is on these topics and all is copied that must be before a start."""
    file = Path(job_environment(here)["CLICKWAKE_JOB_CHECKPOINT"]) / "clickwake.json"
    try:
        manifest = msgspec.json.decode(file.read_bytes())
        return manifest["topic_prefix"] == prefix and bool(manifest["moved"]["done"])
    except (OSError, KeyError, TypeError, msgspec.DecodeError):
        return False
