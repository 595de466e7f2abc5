"""What an import says at its end."""

from collections import Counter
from collections.abc import Iterable

from spark_jobs.import_state import Plan


def print_summary(plans: Iterable[Plan], site: str) -> None:
    """Each reason with its count, and one sentence."""
    files = [file for plan in plans for file in plan.files]
    lines = sum(file.end - file.begin for file in files)
    if not lines:
        print(f"Nothing new: all lines are imported already as site {site}.")
        return
    left_out = _print_counts("left out", (file.left_out for file in files))
    unreadable = _print_counts("unreadable", (file.unreadable for file in files))
    print(
        f"{lines:,} lines of {_files(len({file.name for file in files}))} imported as site {site}: "
        f"{sum(sum(file.counts) for file in files):,} events, {left_out:,} left out, "
        f"{unreadable:,} unreadable."
    )


def _print_counts(what: str, counts: Iterable[dict[str, int]]) -> int:
    total = Counter[str]()
    for one in counts:
        total.update(one)
    for reason, count in sorted(total.items()):
        print(f"  {what}, {reason}: {count:,}")
    return total.total()


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"
