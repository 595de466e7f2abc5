"""The files that an import was asked for, and what of them is new."""

import argparse
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from spark_jobs.file_arguments import FileError, file_options
from spark_jobs.files import FileOptions
from spark_jobs.import_files import Head, head_of, is_file
from spark_jobs.import_plan import FilePlan, Reject, Scan
from spark_jobs.import_shown import Shown
from spark_jobs.import_state import Done, Plan, choices_of

STDIN = Path("-")


class Given(msgspec.Struct, frozen=True):
    """A file, how to read it, and what it begins with."""

    path: Path
    options: FileOptions
    head: Head

    @property
    def choices(self) -> str:
        """What decides over its lines."""
        return choices_of(self.options)


def given_files(arguments: argparse.Namespace) -> list[Given]:
    """Each once, the empty ones left out. FileError when one cannot be used."""
    found: dict[Head, Given] = {}
    for path in arguments.files:
        one = _given(path, arguments)
        known = found.get(one.head)
        # Of two copies the one that has more.
        if one.head.length and (known is None or _size(known) < _size(one)):
            found[one.head] = one
    return list(found.values())


def _given(path: Path, arguments: argparse.Namespace) -> Given:
    if not path.is_file():
        raise FileError(f"{path} is not a file that can be read: check the path")
    head = head_of(path)
    options = file_options(argparse.Namespace(**vars(arguments), file=path))
    return Given(path, options, head)


def _size(one: Given) -> int:
    return one.path.stat().st_size


@contextmanager
def with_stdin(arguments: argparse.Namespace, folder: Path) -> Iterator[argparse.Namespace]:
    """``-`` becomes a file while the block runs, since an import reads its files twice."""
    if STDIN not in arguments.files:
        yield arguments
        return
    copy = folder / "stdin"
    try:
        with copy.open("wb") as file, open(0, "rb", closefd=False) as stdin:
            copy.chmod(0o600)
            shutil.copyfileobj(stdin, file)
        files = [copy if path == STDIN else path for path in arguments.files]
        yield argparse.Namespace(**vars(arguments) | {"files": files})
    finally:
        copy.unlink(missing_ok=True)


def make_plan(given: list[Given], done: list[Done], shown: Shown, rejects: Path | None) -> Plan:
    """Read what is new in the files. FileError when that is not possible."""
    with shown.stage("reading", "bytes", sum(map(_size, given))) as stage:
        files = []
        for one, name in zip(given, _reject_names(given, rejects), strict=True):
            begin = lines_done(one, done)
            with _rejects(name, begin) as reject:
                scan = Scan(one.options, reject.append)
                files.append(scan.plan(one.path, one.head, begin, stage.advance))
    return Plan(choices=given[0].choices, files=files)


def lines_done(one: Given, done: list[Done]) -> int:
    """How many of its lines are imported, under whatever name."""
    return max(
        (
            known.lines
            for known in done
            if known.choices == one.choices and is_file(one.path, known.head)
        ),
        default=0,
    )


def places_of(plan: Plan, given: list[Given]) -> list[Given]:
    """Where the files of an unfinished import are by now, in its order.

    FileError when one of them is not among the given ones.
    """
    return [_place_of(file, plan, given) for file in plan.files]


def _place_of(file: FilePlan, plan: Plan, given: list[Given]) -> Given:
    for one in given:
        if one.choices == plan.choices and is_file(one.path, file.head):
            return one
    named = next((one for one in given if str(one.path) == file.name), None)
    if named is not None and named.choices == plan.choices:
        raise FileError(
            f"{file.name} begins otherwise than when its import began: was it rotated? Name the "
            "file that has its lines now, or leave it at what was imported with --give-up"
        )
    raise FileError(
        f"an import of {', '.join(file.name for file in plan.files)} is unfinished: run the same "
        "command again to go on, or leave it at what was imported with --give-up"
    )


def _reject_names(given: list[Given], chosen: Path | None) -> Iterator[Path]:
    """``access.log.rejects`` where the command is run; a second file of that name gets a number."""
    names: dict[str, int] = {}
    for one in given:
        name = chosen.name if chosen else f"{one.path.name}.rejects"
        names[name] = number = names.get(name, 0) + 1
        stem = name if number == 1 else f"{name}.{number}"
        yield chosen.with_name(stem) if chosen else Path(stem)


@contextmanager
def _rejects(file: Path, begin: int) -> Iterator["_Rejects"]:
    """Complete when the block ends, and then in the file; what is older than ``begin`` stays."""
    rejects = _Rejects(file.with_name(f"{file.name}.new"))
    try:
        if begin and file.exists():
            rejects.keep(file, begin)
        yield rejects
        rejects.close()
        if rejects.count:
            rejects.path.replace(file)
    finally:
        rejects.close()
        rejects.path.unlink(missing_ok=True)


class _Rejects:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self._file = path.open("w", encoding="utf-8", errors="replace")

    def append(self, reject: Reject) -> None:
        number, reason, detail = reject
        self.count += 1
        self._file.write(f"{number}\t{reason}\t{detail}\n")

    def keep(self, former: Path, begin: int) -> None:
        with former.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                number, _, _ = line.partition("\t")
                if number.isdigit() and int(number) <= begin:
                    self.count += 1
                    self._file.write(line)

    def close(self) -> None:
        self._file.close()
