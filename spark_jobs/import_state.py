"""What imports remember: one that is unfinished, and how far each file is imported.

Everything is replaced in one step, and only after Kafka has acknowledged what it says.
"""

import os
import re
from pathlib import Path
from typing import TypeVar

import msgspec

from spark_jobs.file_arguments import FileError
from spark_jobs.files import FileOptions
from spark_jobs.import_files import Head
from spark_jobs.import_plan import FilePlan

T = TypeVar("T")

PLAN, PROGRESS, DONE = "plan.json", "progress.json", "done.json"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """An import. ``choices`` are those that decide what becomes of a line."""

    choices: str
    files: list[FilePlan]


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far it is: ``turns`` are acknowledged by Kafka.

    ``ends`` are the replay topic's offsets behind our last records, by partition. ``sent`` counts
    all events sent, ``seen`` is what the job had counted on that topic before, None
    when nobody waited for it.
    """

    turns: int
    ends: dict[str, int]
    sent: int
    seen: int | None


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """The first ``lines`` lines of a file are imported with these choices."""

    choices: str
    head: Head
    lines: int
    name: str


class Memory:
    """The folder in which imports into one Kafka are remembered."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of(cls, folder: Path, cluster: str, prefix: str) -> "Memory":
        """Make it. OSError when that is not possible."""
        name = re.sub(r"[^\w.-]", "_", f"{cluster or 'kafka'}.{prefix}")
        path = folder / name
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return cls(path)

    def unfinished(self) -> tuple[Plan, Progress | None] | None:
        """The import that was begun and not finished, if there is one."""
        plan = self._read(PLAN, Plan)
        return None if plan is None else (plan, self._read(PROGRESS, Progress))

    def begin(self, plan: Plan) -> None:
        """Remember what will be done."""
        self._path(PROGRESS).unlink(missing_ok=True)
        self._write(PLAN, plan)

    def advance(self, progress: Progress) -> None:
        """Remember what has been done."""
        self._write(PROGRESS, progress)

    def finish(self, plan: Plan) -> None:
        """All of it is done: the files' lines are imported."""
        new = {(plan.choices, file.head): file for file in plan.files}
        kept = [one for one in self.done() if (one.choices, one.head) not in new]
        kept += [
            Done(choices=plan.choices, head=file.head, lines=file.end, name=file.name)
            for file in plan.files
        ]
        self._write(DONE, kept)
        self.give_up()

    def give_up(self) -> None:
        """Forget the unfinished import."""
        # The plan first: progress without a plan is nothing.
        self._path(PLAN).unlink(missing_ok=True)
        self._path(PROGRESS).unlink(missing_ok=True)

    def done(self) -> list[Done]:
        """What is imported."""
        return self._read(DONE, list[Done]) or []

    def forget(self, heads: list[Head]) -> None:
        """Imports of these files never were."""
        self._write(DONE, [one for one in self.done() if one.head not in heads])

    def _path(self, name: str) -> Path:
        return self.folder / name

    def _read(self, name: str, kind: type[T]) -> T | None:
        path = self._path(name)
        try:
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except FileNotFoundError:
            return None
        except msgspec.DecodeError as error:
            raise FileError(
                f"{path} cannot be read ({error}): remove it to begin anew; what is in the "
                "history already is not doubled"
            ) from None

    def _write(self, name: str, value: object) -> None:
        new = self._path(f"{name}.new")
        with new.open("wb") as file:
            file.write(msgspec.json.encode(value))
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._path(name))


def choices_of(options: FileOptions) -> str:
    """All of the options that do not say where a file is or how its columns are called."""
    columns = (options.visitor_column, options.time_column, options.page_column)
    views = (sorted(options.rules.health_paths), options.rules.api_prefixes, options.excluded)
    parts = (options.site_id, options.format, options.identity, options.count, options.drop_bots)
    return msgspec.json.encode([*parts, *columns, *views]).decode()
