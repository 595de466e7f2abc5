"""``python -m spark_jobs.backfill``: recompute a period and put it into the history.

The differences go out on the stream's own topics under a new epoch, so history and dashboards
take them like any update, and readers never see a gap.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator

import msgspec

from contracts import SessionUpdate, partition_key
from spark_jobs.comparing import (
    Opened,
    compare,
    explained,
    opened,
    print_counts,
    print_differences,
)
from spark_jobs.comparison import FROM_FILE, Difference
from spark_jobs.kept import await_epoch
from spark_jobs.period import add_period_arguments
from spark_jobs.recompute import Recomputation, visitor_of
from spark_jobs.sender import Sender
from spark_jobs.what_if import print_what_if

PATIENCE_S = 60.0

_encode = msgspec.json.Encoder().encode
Message = tuple[str, bytes, bytes]


def main(arguments: list[str]) -> int:
    """Recompute, show, and unless it is a dry run publish."""
    return explained(run, _parser().parse_args(arguments))


def run(arguments: argparse.Namespace) -> int:
    """The command itself."""
    with opened(arguments) as source:
        if source.other is not None:
            print_what_if(source, source.other)
            return 0
        anew = source.anew()
        comparison = compare(source, anew)
        earlier = comparison.restrict(source.period.begin, source.period.end)
        print_counts(
            comparison,
            [
                ("in the history only, left alone", len(comparison.orphans)),
                ("part of sessions before the period, left alone", earlier),
            ],
        )
        print_differences(comparison, comparison.differences)
        if arguments.dry_run or not comparison.differences:
            print("Nothing was changed." if arguments.dry_run else "There is nothing to change.")
            return 0
        publish(source, anew, comparison.differences)
    return _await(comparison.differences[-1], source)


def publish(source: Opened, anew: Recomputation, differences: list[Difference]) -> None:
    """Sessions first, then their events, then what is gone: no event is ever without a session.

    Raises SendError when Kafka does not take a message; the command can be run again.
    """
    flag = FROM_FILE if source.range is None else None
    sender = Sender(source.kafka)
    try:
        for role, key, value in messages(anew, differences, source.settings.epoch, flag):
            sender.send(source.kafka.topic(role), key, value)
        sender.finish()
    finally:
        sender.close()


def messages(
    anew: Recomputation, differences: list[Difference], epoch: int, flag: str | None
) -> Iterator[Message]:
    """(topic role, key, value) of a backfill, in order. ``flag`` is added to each session."""
    found = [one.found for one in differences if one.kind != "gone"]
    for session in found:
        flags = [*session.flags, *([flag] if flag else [])]
        flagged = msgspec.structs.replace(session, flags=flags)
        yield "sessions", session.session_id.encode(), _encode(flagged)
    yield from _events(anew, found)
    for one in differences:
        if one.kept is not None and one.kind == "gone":
            merged = msgspec.structs.replace(
                one.kept, epoch=epoch, status="merged", merged_into=one.found.session_id
            )
            yield "sessions", merged.session_id.encode(), _encode(merged)


def _events(anew: Recomputation, sessions: list[SessionUpdate]) -> Iterator[Message]:
    spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for session in sessions:
        for name in (session.visitor_id, *session.other_visitor_ids):
            spans[f"{session.site_id}/{name}"].append((session.start, session.end))
    if not spans:
        return
    for event in anew.events_of({visitor_of(session) for session in sessions}):
        theirs = spans[f"{event.site_id}/{event.visitor_id}"]
        if any(start <= event.event_time <= end for start, end in theirs):
            yield "events", partition_key(event.site_id, event.visitor_id), _encode(event)


def _await(last: Difference, source: Opened) -> int:
    epoch = source.settings.epoch
    if await_epoch(source.api, last.found.session_id, epoch, PATIENCE_S):
        print(f"The history has them, as epoch {epoch}.")
        return 0
    print(
        "They are on the topics; the history has not read them yet. `./clickwake status` says "
        "what its consumer does.",
        file=sys.stderr,
    )
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="clickwake backfill",
        description="Recompute a period from Kafka, or from FILE, and replace it in the history.",
    )
    add_period_arguments(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="show the difference, change nothing"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
