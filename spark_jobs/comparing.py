"""A period recomputed and held against the history: what ``backfill`` and ``verify`` share."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import time

import msgspec
from kafka.errors import KafkaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from contracts import ContractError, SessionUpdate
from contracts.kafka import KafkaSettings
from spark_jobs.barring import read_bars
from spark_jobs.comparison import FROM_FILE, OWN_TO_A_RUN, Comparison, Difference
from spark_jobs.file_arguments import FileError
from spark_jobs.file_sessions import BatchSettings, read_lines, with_events
from spark_jobs.kafka_range import KafkaRange, kafka_range
from spark_jobs.kept import HistoryError, KeptSessions
from spark_jobs.period import Period, PeriodError, asked, period_of
from spark_jobs.processor import CLOCK_ROLES
from spark_jobs.progress import StageProgress
from spark_jobs.recompute import (
    Recomputation,
    RecomputeSettings,
    from_lines,
    read_range,
    visitor_of,
)
from spark_jobs.rules import Rules
from spark_jobs.sender import SendError
from spark_jobs.settings import JobSettings, load
from spark_jobs.spark import cause, start_spark

SHOWN_DIFFERENCES = 10
LONGEST_FIELD = 80


class Opened(msgspec.Struct, frozen=True):
    """What is recomputed: its rows, and the settings that do not depend on the rules.

    ``range`` is None for a file.
    """

    rows: DataFrame
    settings: RecomputeSettings
    period: Period
    range: KafkaRange | None
    kafka: KafkaSettings
    other: Rules | None
    api: str

    def anew(self, rules: Rules | None = None) -> Recomputation:
        """Recompute, by other rules than the settings' if given."""
        settings = self.settings
        if rules is not None:
            settings = msgspec.structs.replace(settings, rules=rules)
        return Recomputation(self.rows, settings)


def explained(command: Callable[[argparse.Namespace], int], arguments: argparse.Namespace) -> int:
    """Run the command; an expected failure is one sentence on stderr and exit status 2."""
    try:
        return command(arguments)
    except (FileError, ContractError, PeriodError, HistoryError, SendError) as error:
        print(error, file=sys.stderr)
    except PySparkException as error:
        print(f"Spark failed: {cause(error)}", file=sys.stderr)
    except KafkaError as error:
        print(f"Kafka failed ({error}): is the stack running?", file=sys.stderr)
    return 2


@contextmanager
def opened(arguments: argparse.Namespace) -> Iterator[Opened]:
    """Kafka's topics as they are now, or the file, ready to be recomputed."""
    job, kafka = load()
    wanted = asked(arguments, job.rules())
    found = kafka_range(kafka) if wanted.file is None else None
    period = period_of(wanted, found, job.rules())
    spark = start_spark("clickwake-recompute", job, log_level="OFF")
    try:
        with StageProgress(spark) as progress:
            progress.stage("recomputing")
            if found is not None:
                rows = read_range(spark, kafka, found)
            elif wanted.file is not None:
                batch = BatchSettings(job.rules(), job.geo_paths(), wanted.file)
                lines = read_lines(spark, arguments.file, wanted.file)
                rows = from_lines(with_events(lines, batch))
            yield Opened(
                rows,
                _settings(job, kafka, wanted.file.source if wanted.file else None),
                period,
                found,
                kafka,
                wanted.other,
                wanted.api or "",
            )
    finally:
        spark.stop()


def _settings(job: JobSettings, kafka: KafkaSettings, file: str | None) -> RecomputeSettings:
    return RecomputeSettings(
        job.rules(), job.geo_paths(), int(time()), kafka.topic_prefix, file, read_bars(kafka)
    )


def compare(source: Opened, anew: Recomputation) -> Comparison:
    """The period's sessions found anew against those of the history.

    A session may have taken in one that begins after the period's end, so both sides are read
    as far as a session can reach.
    """
    period = source.period
    end = min(period.end + source.settings.rules.max_length, 2**53)
    kept = KeptSessions(source.api, period.begin, end, period.site)
    # Kafka's records are the same ones the stream read; a file's have another broker_time.
    ignored = OWN_TO_A_RUN if source.range else OWN_TO_A_RUN | {"broker_time"}
    comparison = Comparison(ignored)
    comparison.run(anew.sessions(period.begin, end, period.site), kept)
    if comparison.unmatched:
        visitors = {visitor_of(session) for session in comparison.unmatched}
        comparison.resolve(anew.sessions_of(visitors))
    return comparison


def is_explained(orphan: SessionUpdate, source: Opened) -> bool:
    """Whether a session of the history need not have events in what was read of Kafka."""
    if source.range is None or len(source.range.begin) < len(CLOCK_ROLES):
        return True  # a file, or a replay whose records are deleted: there may be others
    if FROM_FILE in orphan.flags or orphan.start >= source.period.end:
        return True
    return not source.range.should_hold(orphan.broker_time)


def print_differences(comparison: Comparison, differences: list[Difference]) -> None:
    """The first of them, field by field."""
    for one in differences[:SHOWN_DIFFERENCES]:
        subject = one.subject
        print(f"{one.kind:<8} {subject.session_id} of {subject.site_id}/{subject.visitor_id}")
        if one.kind == "gone":
            print(f"           into {one.found.session_id}")
        elif one.kind == "changed":
            for name, before, after in one.fields(comparison.ignored):
                print(f"           {name}: {_short(before)} -> {_short(after)}")
    if len(differences) > SHOWN_DIFFERENCES:
        print(f"… and {len(differences) - SHOWN_DIFFERENCES:,} more")


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= LONGEST_FIELD else f"{text[:LONGEST_FIELD]}…"


def print_counts(comparison: Comparison, rows: list[tuple[str, int]]) -> None:
    """What a comparison came to, one count a line."""
    common = [
        ("the same", comparison.same),
        *((kind, comparison.count(kind)) for kind in ("added", "changed", "gone")),
        ("not final yet, left out", comparison.moving),
    ]
    for name, count in [*common, *rows]:
        print(f"{name:<46}{count:>12,}")
