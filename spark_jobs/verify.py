"""``python -m spark_jobs.verify``: does the history hold what the batch job finds?

Exit status 0 when they agree, 1 when they differ, 2 when they could not be compared.
"""

import argparse
import sys

from spark_jobs.comparing import (
    Opened,
    compare,
    explained,
    is_explained,
    opened,
    print_counts,
    print_differences,
)
from spark_jobs.comparison import Comparison
from spark_jobs.period import add_period_arguments
from spark_jobs.what_if import print_what_if


def main(arguments: list[str]) -> int:
    """Recompute, compare, and say so."""
    return explained(run, _parser().parse_args(arguments))


def run(arguments: argparse.Namespace) -> int:
    """The command itself."""
    with opened(arguments) as source:
        if source.other is not None:
            print_what_if(source, source.other)
            return 0
        anew = source.anew()
        comparison = compare(source, anew)
    return _judge(comparison, source)


def _judge(comparison: Comparison, source: Opened) -> int:
    earlier = comparison.restrict(source.period.begin, source.period.end)
    others = comparison.leave_out(lambda orphan: is_explained(orphan, source))
    orphans = comparison.orphans
    print(f"recomputed  {comparison.found.count:>10,} sessions, digest {comparison.found}")
    print(f"history     {comparison.kept.count:>10,} sessions, digest {comparison.kept}")
    print_counts(
        comparison,
        [
            ("in the history without any event in Kafka", len(orphans)),
            ("not in what was read of Kafka, left out", others),
            ("part of sessions before the period, left out", earlier),
        ],
    )
    print_differences(comparison, comparison.differences)
    for one in orphans[:10]:
        print(f"orphan   {one.session_id} of {one.site_id}/{one.visitor_id}")
    if comparison.differences or orphans:
        print("They differ. `./clickwake backfill --dry-run` shows what a backfill would change.")
        return 1
    print("They agree.")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="clickwake verify",
        description="Recompute a period with the batch job and compare it with the history.",
    )
    add_period_arguments(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
