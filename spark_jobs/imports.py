"""``python -m spark_jobs.imports FILE …``: whole log files into the history of a running stack.

Like a replay it writes to the replay topic, whose clock is its progress. Unlike one it takes
several files, remembers how far it is, and goes on there when it was stopped or killed. What it
had sent and not yet noted is sent twice then, and the session job knows it by its event_id: the
clock never tells more than has been noted, so those events' sessions are not final.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
from kafka.errors import KafkaError
from rich.console import Console

from contracts import WATERMARK_END, WATERMARK_START, Barred, ContractError
from contracts.kafka import KafkaSettings
from contracts.settings import from_environment
from spark_jobs.barring import is_barred, read_bars
from spark_jobs.cluster import cluster_of
from spark_jobs.file_arguments import FileError, add_reading_arguments
from spark_jobs.files import FileOptions
from spark_jobs.import_choice import Given, given_files, make_plan, places_of, with_stdin
from spark_jobs.import_files import BLOCK_LINES, Block, blocks, is_file
from spark_jobs.import_plan import FilePlan, events_of, turns
from spark_jobs.import_shown import Shown
from spark_jobs.import_state import Memory, Plan, Progress
from spark_jobs.import_summary import print_summary
from spark_jobs.import_topic import Lane, was_disturbed
from spark_jobs.ledger_watch import LedgerWatch
from spark_jobs.parse import Valid
from spark_jobs.replay_lock import only_one

ROLE = "replay"
GOES_ON = "the same command goes on from there"


def main(arguments: list[str]) -> int:
    """Import; 1 with one sentence when files or Kafka cannot be used, 130 after Ctrl-C."""
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
            f"Kafka at {kafka.bootstrap_servers} failed ({error}): is the stack running? What it "
            f"has taken is noted; {GOES_ON}",
            file=sys.stderr,
        )
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"stopped; {GOES_ON}", file=sys.stderr)
        return 130
    return 1


def run(arguments: argparse.Namespace, kafka: KafkaSettings) -> int:
    """The command itself."""
    memory = Memory.of(arguments.state, cluster_of(kafka), kafka.topic_prefix)
    if arguments.give_up:
        return _give_up(memory, kafka)
    _require(arguments)
    with with_stdin(arguments, memory.folder) as chosen:
        given = given_files(chosen)
        if not given:
            print("The files are empty: there is nothing to import.")
            return 0
        if arguments.again:
            memory.give_up()
            memory.forget([one.head for one in memory.done() if _is_any(one.head, given)])
        with Shown(Console(stderr=True)) as shown:
            plans = list(_Work(memory, kafka, shown, arguments).all_of(given))
    print_summary(plans, given[0].options.site_id)
    return 0


class _Work:
    def __init__(
        self, memory: Memory, kafka: KafkaSettings, shown: Shown, arguments: argparse.Namespace
    ) -> None:
        self._memory = memory
        self._kafka = kafka
        self._topic = kafka.topic(ROLE)
        self._shown = shown
        self._rejects: Path | None = arguments.rejects
        self._waits = not arguments.no_wait
        self._barred = Barred(read_bars(kafka))

    def all_of(self, given: list[Given]) -> Iterator[Plan]:
        """What was begun, and then what is new; yields what was imported."""
        begun = self._memory.unfinished()
        if begun is not None:
            plan, progress = begun
            yield self._do(plan, places_of(plan, given), progress)
        plan = make_plan(given, self._memory.done(), self._shown, self._rejects)
        if any(file.end > file.begin for file in plan.files):
            self._memory.begin(plan)
            yield self._do(plan, given, None)

    def _do(self, plan: Plan, given: list[Given], progress: Progress | None) -> Plan:
        if progress is not None and self._must_begin_anew(plan, progress):
            progress = None
        watch = self._watch(progress)
        begin = progress or Progress(
            turns=0, ends={}, sent=0, seen=watch.counted if watch else None
        )
        sent = self._send(plan, given, begin)
        if watch is not None:
            with self._shown.stage("sessionized", "events", sent) as stage:
                for done in watch.progress(sent):
                    stage.advance(done - stage.done)
        self._memory.finish(plan)
        return plan

    def _must_begin_anew(self, plan: Plan, progress: Progress) -> bool:
        if progress.turns == _blocks(plan) or not progress.turns:
            return False
        if not was_disturbed(self._kafka, self._topic, progress.ends):
            return False
        print(
            "another replay or import came between, and closed the sessions that were open: all "
            "lines are sent again, which doubles nothing",
            file=sys.stderr,
        )
        return True

    def _watch(self, progress: Progress | None) -> LedgerWatch | None:
        since = progress.seen if progress else None
        return LedgerWatch(self._kafka, self._topic, since) if self._waits else None

    def _send(self, plan: Plan, given: list[Given], progress: Progress) -> int:
        """Send what is left; how many events all were. Each block is noted when Kafka has it."""
        readers = _Readers(plan, given)
        total = sum(file.end - file.begin for file in plan.files)
        with (
            self._shown.stage("sending", "lines", total) as stage,
            Lane(self._kafka, self._topic, progress.ends) as lane,
        ):
            if not progress.turns:
                lane.tell(WATERMARK_START, wake_all=True)
            for number, turn in enumerate(turns(plan.files), start=1):
                lines = _lines_of(plan.files[turn.file], turn.block)
                if number > progress.turns:
                    block = readers.next(turn.file, turn.block)
                    sent = lane.send(self._events(block, given[turn.file].options))
                    lane.settle()
                    progress = msgspec.structs.replace(
                        progress, turns=number, ends=lane.ends, sent=progress.sent + sent
                    )
                    self._memory.advance(progress)
                    if turn.floor < WATERMARK_END:
                        lane.tell(turn.floor)
                stage.advance(lines)
            lane.tell(WATERMARK_END, wake_all=True)
            lane.settle()
        return progress.sent

    def _events(self, block: Block, options: FileOptions) -> Iterator[tuple[Valid, bytes]]:
        """A block's events, but for those of erased visitors."""
        return (one for one in events_of(block, options) if not is_barred(one[0], self._barred))


class _Readers:
    """The files' blocks, each file from the block at which it is first asked for."""

    def __init__(self, plan: Plan, given: list[Given]) -> None:
        self._plan = plan
        self._given = given
        self._open: dict[int, Iterator[Block]] = {}

    def next(self, file: int, number: int) -> Block:
        """Block ``number`` of the file. FileError when it is not what the plan saw."""
        plan, path = self._plan.files[file], self._given[file].path
        if file not in self._open:
            self._open[file] = blocks(path, plan.begin + number * BLOCK_LINES)
        found = next(self._open[file], None)
        block = found and _planned(found, plan)
        if block is None or block.check() != plan.checks[number]:
            raise FileError(
                f"{path} has changed since its import began, around line "
                f"{plan.begin + number * BLOCK_LINES + 1:,}: --again imports it as it is now"
            )
        return block


def _planned(block: Block, plan: FilePlan) -> Block:
    """Without the lines that the file has got since."""
    lines = block.lines[: plan.end - block.first + 1]
    return Block(block.first, lines, False)


def _lines_of(file: FilePlan, block: int) -> int:
    return min(BLOCK_LINES, file.end - file.begin - block * BLOCK_LINES)


def _blocks(plan: Plan) -> int:
    return sum(len(file.floors) for file in plan.files)


def _is_any(head: object, given: list[Given]) -> bool:
    return any(is_file(one.path, head) for one in given)  # type: ignore[arg-type]


def _give_up(memory: Memory, kafka: KafkaSettings) -> int:
    begun = memory.unfinished()
    if begun is None:
        print("No import is unfinished.")
        return 0
    with Lane(kafka, kafka.topic(ROLE), {}) as lane:
        lane.tell(WATERMARK_END, wake_all=True)
        lane.settle()
    memory.give_up()
    print("Given up: what was sent becomes final sessions.")
    return 0


def _require(arguments: argparse.Namespace) -> None:
    missing = [name for name in ("format", "site") if getattr(arguments, name) is None]
    if not arguments.files:
        raise FileError("name one or more files, or - for what is piped in")
    if missing:
        raise FileError(f"--{missing[0]} is missing: ./clickwake import --help says more")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="clickwake import",
        description="Log files into the history of the running stack. Stopped or killed, the same "
        "command goes on where it was; lines that are imported are not imported again.",
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        type=Path,
        nargs="*",
        help="files in any order; .gz and .zst are unpacked, - is what is piped in",
    )
    add_reading_arguments(parser, is_optional=True)
    parser.add_argument("--rejects", type=Path, help="where unreadable lines go, with reasons")
    parser.add_argument("--no-wait", action="store_true", help="do not wait for the session job")
    parser.add_argument(
        "--again", action="store_true", help="from the first line, whatever is imported already"
    )
    parser.add_argument(
        "--give-up", action="store_true", help="leave the unfinished import at what was sent"
    )
    parser.add_argument(
        "--state",
        type=Path,
        metavar="FOLDER",
        default=Path(".clickwake/data/imports"),
        help="where it is kept how far imports are (default: imports in the stack's data folder)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
