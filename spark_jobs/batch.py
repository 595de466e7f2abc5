"""``python -m spark_jobs.batch FILE …``: sessions of a file, by the stream's own code.

Lines → request events (in parallel) → buckets, to each of which the stream's bucket core is
applied once, with a last watermark after every event: so all sessions come out final.
"""

import argparse
import sys
from pathlib import Path
from time import monotonic

import msgspec
from pyspark.errors import PySparkException

from contracts import ContractError
from contracts.settings import milliseconds
from spark_jobs.file_arguments import FileError, add_file_arguments, file_options
from spark_jobs.file_sessions import TASKS, BatchSettings, read_lines, sessions_of, with_events
from spark_jobs.gaps import read_gap_rules
from spark_jobs.progress import StageProgress
from spark_jobs.results import Results, is_known_output
from spark_jobs.settings import load
from spark_jobs.spark import cause, start_spark

BYTES_PER_BUCKET = 4 * 1024 * 1024


def main(arguments: list[str]) -> int:
    """Run; the exit status is 1 with one sentence for a file or setting that cannot be used."""
    parsed = _parser().parse_args(arguments)
    try:
        return run(parsed)
    except (FileError, ContractError) as error:
        print(error, file=sys.stderr)
    except PySparkException as error:
        print(f"Spark failed: {cause(error)}", file=sys.stderr)
    return 1


def run(arguments: argparse.Namespace) -> int:
    """Sessionize the file and print the summary."""
    begin = monotonic()
    out: Path = arguments.out
    if not is_known_output(out):
        raise FileError(f"--out {out}: the name must end in .ndjson, .csv or .parquet")
    options = file_options(arguments)
    job, _ = load()
    rules = msgspec.structs.replace(
        job.rules(),
        gap=milliseconds(arguments.gap),
        gaps=job.rules().gaps if arguments.gaps is None else read_gap_rules(arguments.gaps),
    )
    settings = BatchSettings(rules, job.geo_paths(), options)
    spark = start_spark("clickwake-sessionize", job, log_level="OFF")
    with StageProgress(spark) as progress:
        lines = with_events(read_lines(spark, arguments.file, options), settings)
        buckets = max(TASKS, arguments.file.stat().st_size // BYTES_PER_BUCKET)
        results = Results(out, arguments.rejects or Path(f"{arguments.file.name}.rejects"))
        progress.stage("reading and sessionizing")
        results.write(
            sessions_of(lines, settings, buckets).toLocalIterator(prefetchPartitions=True)
        )
    spark.stop()
    results.print_summary(monotonic() - begin)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="clickwake sessionize", description="Sessions of a file, by the stream's own code."
    )
    add_file_arguments(parser)
    parser.add_argument("--gap", default="30m", help="silence that ends a session (default 30m)")
    parser.add_argument(
        "--gaps", help="other gaps by site and path, as CLICKWAKE_JOB_GAPS, which is the default"
    )
    parser.add_argument("--out", type=Path, required=True, help="NAME.ndjson, .csv or .parquet")
    parser.add_argument("--rejects", type=Path, help="where unreadable lines go, with reasons")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
