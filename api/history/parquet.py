"""An export as a Parquet file: times with their zone, lists as lists, a row group at a time."""

import io

import pyarrow as pa
import pyarrow.parquet as pq

from api.history.flat import Column, Kind, columns, rows
from api.history.listing import Item

GROUP_ROWS = 10_000

_TYPES: dict[Kind, pa.DataType] = {
    "text": pa.string(),
    "number": pa.int64(),
    "decimal": pa.float64(),
    "flag": pa.bool_(),
    "texts": pa.list_(pa.string()),
    "time": pa.timestamp("ms", tz="UTC"),
}


class _Sink(io.RawIOBase):
    """A file that is only written to, and gives what was written since the last time."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        return True

    def write(self, piece: object) -> int:
        written = bytes(piece)  # type: ignore[call-overload]
        self._pieces.append(written)
        self._position += len(written)
        return len(written)

    def tell(self) -> int:
        return self._position

    def taken(self) -> bytes:
        """What was written since the last time."""
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken


class Parquet:
    """A Parquet file, compressed with Zstandard. Its end has the index: a part is no file."""

    def __init__(self, fields: tuple[str, ...] | None) -> None:
        self._columns = columns(fields)
        self._schema = pa.schema([(one.name, _TYPES[one.kind]) for one in self._columns])
        self._sink = _Sink()
        file = pa.PythonFile(self._sink, mode="w")
        self._writer = pq.ParquetWriter(file, self._schema, compression="zstd")
        self._waiting: list[pa.RecordBatch] = []

    def begin(self) -> bytes:
        """The format's mark."""
        return self._sink.taken()

    def page(self, items: list[Item]) -> bytes:
        """A row group, whenever enough sessions are there."""
        self._waiting.append(self._batch(items))
        if sum(batch.num_rows for batch in self._waiting) >= GROUP_ROWS:
            self._write_group()
        return self._sink.taken()

    def finish(self) -> bytes:
        """The last row group and the index."""
        if self._waiting:
            self._write_group()
        self._writer.close()
        return self._sink.taken()

    def _batch(self, items: list[Item]) -> pa.RecordBatch:
        values = rows([item.message for item in items], self._columns)
        arrays = [
            pa.array([row[n] for row in values], type=_type(column))
            for n, column in enumerate(self._columns)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _write_group(self) -> None:
        table = pa.Table.from_batches(self._waiting)
        self._waiting = []
        self._writer.write_table(table, row_group_size=table.num_rows)


def _type(column: Column) -> pa.DataType:
    return _TYPES[column.kind]
