"""Writes what the batch job found: sessions, rejected lines, and a summary."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, Protocol

import msgspec
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet

from contracts import SessionUpdate, Tally

RESULT_SCHEMA = "kind string, place long, payload binary"
ROWS_PER_WRITE = 10_000
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""A cell that begins so is run by spreadsheets; a leading apostrophe keeps it text."""


class _Writer(Protocol):
    def write(self, sessions: list[SessionUpdate]) -> None: ...
    def close(self) -> None: ...


def is_known_output(path: Path) -> bool:
    """Whether the name's ending says a format that can be written."""
    return path.suffix in _WRITERS


class Results:
    """Sorts the batch job's rows into files and counts."""

    def __init__(self, out: Path, rejects: Path) -> None:
        self._out = out
        self._rejects = rejects
        self._sessions = 0
        self._tally = Counter[str]()
        self._skipped = Counter[str]()
        self._rejected = Counter[str]()

    def write(self, rows: Iterable[Any]) -> None:
        """Take rows of RESULT_SCHEMA; sessions come ordered by start."""
        writer = _WRITERS[self._out.suffix](self._out)
        waiting: list[SessionUpdate] = []
        self._rejects.unlink(missing_ok=True)
        for row in rows:
            if row.kind == "session":
                waiting.append(msgspec.json.decode(bytes(row.payload), type=SessionUpdate))
                if len(waiting) >= ROWS_PER_WRITE:
                    self._flush(writer, waiting)
            else:
                self._count(row.kind, int(row.place), bytes(row.payload))
        self._flush(writer, waiting)
        writer.close()

    def print_summary(self, seconds: float) -> None:
        """Lines, events, sessions, duplicates, and what did not become an event, to stdout."""
        rows = [
            ("lines", self._tally["requests"]),
            ("events", self._tally["events"]),
            ("sessions", self._sessions),
            ("duplicates", self._tally["duplicates"]),
            ("over the per-minute bound", self._tally["cut"]),
            *((f"not a view: {reason}", count) for reason, count in self._skipped.most_common()),
            ("dead letters", self._tally["dead_letters"]),
            *((f"  {reason}", count) for reason, count in self._rejected.most_common()),
        ]
        for name, count in rows:
            print(f"{name:<28}{count:>12,}")
        print(f"sessions are in {self._out} ({seconds:.1f} s)")
        if self._rejected:
            print(f"unreadable lines are in {self._rejects}")

    def _flush(self, writer: _Writer, waiting: list[SessionUpdate]) -> None:
        writer.write(waiting)
        self._sessions += len(waiting)
        waiting.clear()

    def _count(self, kind: str, place: int, payload: bytes) -> None:
        if kind == "tally":
            self._tally.update(msgspec.structs.asdict(msgspec.json.decode(payload, type=Tally)))
        elif kind == "skip":
            self._skipped[payload.decode()] += place
        else:
            reason, _, detail = payload.decode().partition("\t")
            self._rejected[reason] += 1
            with self._rejects.open("a") as file:
                file.write(f"{place}\t{reason}\t{detail}\n")


class _Ndjson:
    def __init__(self, path: Path) -> None:
        self._file: IO[bytes] = path.open("wb")

    def write(self, sessions: list[SessionUpdate]) -> None:
        for session in sessions:
            self._file.write(msgspec.json.encode(session) + b"\n")

    def close(self) -> None:
        self._file.close()


class _Arrow:
    """CSV or Parquet: one column a field, nested parts flattened to ``geo_country`` and so on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: Any = None

    def write(self, sessions: list[SessionUpdate]) -> None:
        table = pa.Table.from_pylist(
            [_flat(session, inert=self._path.suffix == ".csv") for session in sessions],
            schema=_SCHEMA,
        )
        if self._writer is None:
            kind = pa_csv.CSVWriter if self._path.suffix == ".csv" else pa_parquet.ParquetWriter
            self._writer = kind(str(self._path), _SCHEMA)
        self._writer.write_table(table)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


_WRITERS: dict[str, type[_Ndjson] | type[_Arrow]] = {
    ".ndjson": _Ndjson,
    ".csv": _Arrow,
    ".parquet": _Arrow,
}


def _flat(session: SessionUpdate, *, inert: bool) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, value in msgspec.to_builtins(session).items():
        if isinstance(value, dict):
            row |= {f"{name}_{inner}": part for inner, part in value.items()}
        else:
            row[name] = ",".join(value) if isinstance(value, list) else value
    return {name: _inert(value) for name, value in row.items()} if inert else row


def _inert(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return "'" + value
    return value


def _schema() -> pa.Schema:
    """Columns in the contract's order; the types come from the contract."""
    fields: list[pa.Field[Any]] = []
    for field in msgspec.structs.fields(SessionUpdate):
        fields += _columns(field.name, msgspec.inspect.type_info(field.type))
    return pa.schema(fields)


def _columns(name: str, kind: msgspec.inspect.Type) -> list["pa.Field[Any]"]:
    if isinstance(kind, msgspec.inspect.UnionType):
        kind = next(one for one in kind.types if not isinstance(one, msgspec.inspect.NoneType))
    if isinstance(kind, msgspec.inspect.StructType):
        return [
            column for part in kind.fields for column in _columns(f"{name}_{part.name}", part.type)
        ]
    return [pa.field(name, _ARROW.get(type(kind), pa.string()))]


_ARROW: dict[type, pa.DataType] = {
    msgspec.inspect.IntType: pa.int64(),
    msgspec.inspect.FloatType: pa.float64(),
    msgspec.inspect.BoolType: pa.bool_(),
}
_SCHEMA = _schema()
