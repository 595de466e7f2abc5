"""``python -m spark_jobs.replay FILE …``: a file's events through the running stack.

They go to a topic of their own, whose clock is the replay's progress: old times are not late,
and live traffic's clock is not disturbed. The last watermark record makes all sessions final.
"""

import argparse
import os
import sys
from array import array
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep, time

import msgspec
from kafka import KafkaProducer
from kafka.errors import KafkaError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from contracts import (
    NOBODY_BARRED,
    WATERMARK_END,
    WATERMARK_START,
    Barred,
    ContractError,
    RequestEvent,
    partition_key,
)
from contracts.kafka import KafkaSettings
from contracts.settings import from_environment
from spark_jobs.barring import is_barred, read_bars
from spark_jobs.clock import Clock, make_producer
from spark_jobs.file_arguments import FileError, add_file_arguments, file_options, open_lines
from spark_jobs.files import FileOptions, read_line
from spark_jobs.ledger_watch import LedgerWatch
from spark_jobs.parse import Valid
from spark_jobs.replay_lock import only_one

TELL_EVERY_S = 0.5
ROLE = "replay"


def main(arguments: list[str]) -> int:
    """Replay; 1 with one sentence when the file or Kafka cannot be used, 130 after Ctrl-C."""
    parsed = _parser().parse_args(arguments)
    kafka = KafkaSettings()
    try:
        kafka = from_environment(KafkaSettings, "KAFKA", os.environ)
        with only_one(kafka):
            return run(parsed, kafka)
    except (FileError, ContractError) as error:
        print(error, file=sys.stderr)
    except KafkaError as error:
        print(
            f"Kafka at {kafka.bootstrap_servers} failed ({error}): is the stack running?",
            file=sys.stderr,
        )
    except KeyboardInterrupt:
        print("stopped; what was sent becomes final sessions", file=sys.stderr)
        return 130
    return 1


class Plan(msgspec.Struct, frozen=True):
    """What the first pass over the file found. ``times`` and ``floor`` have one entry an event.

    ``floor[i]`` is the smallest event_time among event i and all after it, in ms: so after
    event i - 1 it is true that every event before ``floor[i]`` has been sent.
    Events of erased visitors (``barred``) are passed over.
    """

    times: "array[int]"
    floor: "array[int]"
    lines: int
    passed_over: dict[str, int]
    barred: Barred = NOBODY_BARRED


def run(arguments: argparse.Namespace, kafka: KafkaSettings) -> int:
    """Read once to plan, read again to send, then wait for the job to have seen it all."""
    options = file_options(arguments)
    barred = Barred(read_bars(kafka))
    watch = None if arguments.no_wait else LedgerWatch(kafka, kafka.topic(ROLE))
    with _progress(Console(stderr=True)) as progress:
        reading = progress.add_task("reading", total=None)
        plan = make_plan(arguments.file, options, barred)
        progress.update(reading, total=plan.lines, completed=plan.lines)
        pace = Pace(_shift(plan, arguments), arguments.speed)
        task = progress.add_task("sending", total=len(plan.times))
        for _ in send(arguments.file, options, plan, kafka, pace):
            progress.advance(task)
        if watch is not None:
            _wait(progress, watch, len(plan.times))
    _summary(plan, options)
    return 0


def make_plan(file: Path, options: FileOptions, barred: Barred = NOBODY_BARRED) -> Plan:
    """Read the file once: times, and what is no event or is an erased visitor's."""
    times: array[int] = array("q")
    passed_over = Counter[str]()
    lines = 0
    for number, line in _numbered(file, options):
        lines += 1
        outcome, _ = read_line(line, number, options)
        if isinstance(outcome, Valid) and is_barred(outcome, barred):
            passed_over["erased"] += 1
        elif isinstance(outcome, Valid):
            times.append(outcome.time)
        else:
            passed_over[outcome.reason] += 1
    return Plan(times, _suffix_minimum(times), lines, dict(passed_over), barred)


def _suffix_minimum(times: "array[int]") -> "array[int]":
    floor = array("q", times)
    for index in range(len(floor) - 2, -1, -1):
        floor[index] = min(floor[index], floor[index + 1])
    return floor


class Pace(msgspec.Struct, frozen=True):
    """``shift``: ms added to every event_time. ``speed``: times faster than life, or no pauses."""

    shift: int = 0
    speed: float | None = None


def send(
    file: Path, options: FileOptions, plan: Plan, kafka: KafkaSettings, pace: Pace
) -> Iterator[None]:
    """Send event by event, yielding after each; always ends with the last watermark record."""
    producer = make_producer(kafka)
    clock = Clock(producer, kafka.topic(ROLE))
    try:
        clock.tell(WATERMARK_START, wake_all=True)
        told, begin = monotonic(), monotonic()
        for index, event in enumerate(_events(file, options, plan.barred)):
            if pace.speed is not None:
                _hold(begin, (plan.times[index] - plan.times[0]) / 1000 / pace.speed)
            _send_event(producer, kafka.topic(ROLE), event, plan.times[index] + pace.shift)
            if monotonic() - told > TELL_EVERY_S and index + 1 < len(plan.floor):
                clock.tell(plan.floor[index + 1] + pace.shift)
                told = monotonic()
            yield
    finally:
        # Even an interrupted replay must leave no session open for ever.
        clock.tell(WATERMARK_END, wake_all=True)
        producer.flush(timeout=60)
        producer.close(timeout=10)


def _send_event(producer: KafkaProducer, topic: str, event: RequestEvent, time: int) -> None:
    producer.send(
        topic,
        key=partition_key(event.site_id, event.visitor_id),
        value=msgspec.json.encode(msgspec.structs.replace(event, event_time=time)),
    )


def _events(file: Path, options: FileOptions, barred: Barred) -> Iterator[RequestEvent]:
    for number, line in _numbered(file, options):
        outcome, _ = read_line(line, number, options)
        if isinstance(outcome, Valid) and not is_barred(outcome, barred):
            yield outcome.event


def _numbered(file: Path, options: FileOptions) -> Iterator[tuple[int, bytes]]:
    lines = open_lines(file)
    if options.format == "csv":
        next(lines, None)
    return lines


def _hold(begin: float, due: float) -> None:
    ahead = begin + due - monotonic()
    if ahead > 0:
        sleep(ahead)


def _shift(plan: Plan, arguments: argparse.Namespace) -> int:
    """ms to add to every event_time: the first is now when paced, else the last."""
    if not arguments.shift_to_now or not plan.times:
        return 0
    anchor = plan.times[0] if arguments.speed is not None else max(plan.times)
    return int(time() * 1000) - anchor


def _wait(progress: Progress, watch: LedgerWatch, total: int) -> None:
    task = progress.add_task("sessionized", total=total)
    for done in watch.progress(total):
        progress.update(task, completed=done)


def _summary(plan: Plan, options: FileOptions) -> None:
    print(f"{plan.lines:,} lines, {len(plan.times):,} events sent as site {options.site_id}")
    for reason, count in sorted(plan.passed_over.items()):
        print(f"  not sent, {reason}: {count:,}")


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, TimeRemainingColumn(), console=console)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="clickwake replay", description="A file's events through the running stack."
    )
    add_file_arguments(parser)
    parser.add_argument(
        "--speed", type=float, help="times faster than the events happened (default: no pauses)"
    )
    parser.add_argument(
        "--shift-to-now", action="store_true", help="move the times to now (default: as they are)"
    )
    parser.add_argument("--no-wait", action="store_true", help="do not wait for the session job")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
