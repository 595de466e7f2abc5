"""What an import will do, found out before anything is sent. Pure, but for reading the files.

The first pass over the files finds each block's earliest event. So while events are sent, it is
known after each block which events are all still to come, and the topic's clock can tell it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from heapq import heapify, heappop, heappush
from pathlib import Path

import msgspec

from contracts import WATERMARK_END
from spark_jobs.files import FileOptions, Skipped, read_line
from spark_jobs.import_files import Block, Head, blocks
from spark_jobs.parse import Invalid, Valid

Reject = tuple[int, str, str]
"""Number of the line, reason, detail."""


class FilePlan(msgspec.Struct, frozen=True, kw_only=True):
    """One file's new lines: those after ``begin`` and up to ``end``.

    ``floors`` has the earliest event_time (ms) of each block, WATERMARK_END for one without
    events; ``checks`` its checksum; ``counts`` its events.
    """

    name: str
    head: Head
    begin: int
    end: int
    floors: list[int]
    checks: list[int]
    counts: list[int]
    left_out: dict[str, int]
    unreadable: dict[str, int]


class Turn(msgspec.Struct, frozen=True):
    """Send block ``block`` of file ``file``; then every event before ``floor`` has been sent."""

    file: int
    block: int
    floor: int


class Scan:
    """Reads the new lines of a file; ``reject`` is told of the unreadable ones."""

    def __init__(self, options: FileOptions, reject: Callable[[Reject], None]) -> None:
        self._options = options
        self._reject = reject
        self._floors: list[int] = []
        self._checks: list[int] = []
        self._counts: list[int] = []
        self._left_out = Counter[str]()
        self._unreadable = Counter[str]()

    def plan(self, file: Path, head: Head, begin: int, passed: Callable[[int], None]) -> FilePlan:
        """The file's plan. FileError when it cannot be read."""
        end = begin
        for block in blocks(file, begin, passed):
            end = self._take(block)
        return FilePlan(
            name=str(file),
            head=head,
            begin=begin,
            end=end,
            floors=self._floors,
            checks=self._checks,
            counts=self._counts,
            left_out=dict(self._left_out),
            unreadable=dict(self._unreadable),
        )

    def _take(self, block: Block) -> int:
        """Note what is in it; the number of its last line."""
        times = []
        for number, line in enumerate(block.lines, start=block.first):
            outcome = read_event(line, number, self._options)[0]
            if isinstance(outcome, Valid):
                times.append(outcome.time)
            elif isinstance(outcome, Skipped):
                self._left_out[outcome.reason] += 1
            elif block.is_open and number == block.first + len(block.lines) - 1:
                # Somebody is writing it: it is for the next import.
                block = without_last(block)
            else:
                self._note(number, outcome)
        if block.lines:
            self._floors.append(min(times, default=WATERMARK_END))
            self._checks.append(block.check())
            self._counts.append(len(times))
        return block.first + len(block.lines) - 1

    def _note(self, number: int, why: Invalid) -> None:
        self._unreadable[why.reason] += 1
        self._reject((number, why.reason, why.detail))


def read_event(
    line: bytes, number: int, options: FileOptions
) -> tuple[Valid | Invalid | Skipped, bytes]:
    """What a line is, and the event's JSON; a CSV's first line names its columns."""
    if options.format == "csv" and number == 1:
        return Skipped("header"), b""
    return read_line(line, number, options)


def without_last(block: Block) -> Block:
    """Without its last line."""
    return Block(block.first, block.lines[:-1], False)


def turns(plans: Iterable[FilePlan]) -> Iterator[Turn]:
    """All blocks, so that time goes on as evenly as the files allow.

    The file whose remaining events are the earliest has the turn: it is the one that holds the
    clock back. Several servers' logs of one day so go side by side, and the job has to keep in
    mind no more than the events of a while.
    """
    floors = [_from_here_on(plan.floors) for plan in plans]
    waiting = [(ahead[0], file, 0) for file, ahead in enumerate(floors) if ahead[:-1]]
    heapify(waiting)
    while waiting:
        _, file, block = heappop(waiting)
        if block + 2 < len(floors[file]):
            heappush(waiting, (floors[file][block + 1], file, block + 1))
        yield Turn(file, block, waiting[0][0] if waiting else WATERMARK_END)


def _from_here_on(floors: list[int]) -> list[int]:
    """The earliest in each block and all after it; at last that of nothing."""
    found = [WATERMARK_END]
    for floor in reversed(floors):
        found.append(min(floor, found[-1]))
    return found[::-1]


def events_of(block: Block, options: FileOptions) -> Iterator[tuple[Valid, bytes]]:
    """The events of a block, each with its JSON."""
    for number, line in enumerate(block.lines, start=block.first):
        outcome, value = read_event(line, number, options)
        if isinstance(outcome, Valid):
            yield outcome, value
