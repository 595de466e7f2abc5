"""Where Spark's Python worker meets the bucket core: Arrow to lists and back, without pandas.

``applyInPandasWithState`` makes data frames of every group's rows and of its answer, and joins,
checks and converts them: a third of a worker's time. A bucket needs lists of bytes. So the worker
is given another serializer and another caller. They speak the same protocol with the JVM as
Spark's own (``ApplyInPandasWithStateSerializer`` in pyspark/sql/pandas/serializers.py, and
``wrap_grouped_map_pandas_udf_with_state`` in pyspark/worker.py), of the one version that is named
here: with any other, workers keep Spark's own and the session job is only slower.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa
import pyspark
import pyspark.worker
from pyspark.sql.pandas.serializers import ApplyInPandasWithStateSerializer, ArrowStreamSerializer
from pyspark.sql.streaming.state import GroupState

VERSION = "4.2.0"

Rows = tuple[list[Any], ...]
"""A column each, all of one length."""

OUTPUT = pa.struct([("role", pa.int32()), ("key", pa.binary()), ("value", pa.binary())])
COUNTS = pa.struct([("dataCount", pa.int32()), ("stateCount", pa.int32())])
STATE = pa.struct(
    [
        ("properties", pa.string()),
        ("keyRowAsUnsafe", pa.binary()),
        ("object", pa.binary()),
        ("oldTimeoutTimestamp", pa.int64()),
    ]
)


def install() -> bool:
    """Let this process's workers use it; False when Spark's version is another."""
    if pyspark.__version__ != VERSION:
        return False
    worker: Any = pyspark.worker
    worker.ApplyInPandasWithStateSerializer = BucketSerializer
    worker.wrap_grouped_map_pandas_udf_with_state = wrap
    return True


def wrap(function: Any, return_type: Any, _runner_conf: Any) -> Callable[..., list[Any]]:
    """The worker's caller of a function that takes lists and gives lists."""

    def call(keys: Iterable[tuple[str, list[Any]]], chunks: Iterable[Any], state: Any) -> Any:
        key = tuple(column[0] for _, column in keys)
        return function(key, map(dict, chunks), state), state

    return lambda keys, chunks, state: [(call(keys, chunks, state), return_type)]


class BucketSerializer(ApplyInPandasWithStateSerializer):  # type: ignore[misc]
    """Groups with their state in; rows of OUTPUT with the new state out."""

    def load_stream(self, stream: Any) -> Iterator[Any]:
        """(a group's chunks, its state). A chunk is (name, list) for each column, and the state."""
        batches = ArrowStreamSerializer.load_stream(self, stream)
        for state, chunks in groupby(self._chunks(batches), key=lambda chunk: chunk[1]):
            yield chunks, state

    def _chunks(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[Any, GroupState]]:
        """A state lasts over several chunks, and batches, until its last chunk."""
        state: GroupState | None = None
        for batch in batches:
            names = batch.schema.names[:-1]
            columns = [_values(column) for column in batch.columns[:-1]]
            groups = batch.columns[-1]
            # After the last group's entry the column has nulls, to be as long as the others.
            infos: list[Any] = groups.slice(0, len(groups) - groups.null_count).to_pylist()
            for info in infos:
                state = state or self._state(info)
                begin, end = info["startOffset"], info["startOffset"] + info["numRows"]
                chunk = [
                    (name, column[begin:end]) for name, column in zip(names, columns, strict=True)
                ]
                yield chunk, state
                if info["isLastChunk"]:
                    state = None

    def _state(self, info: dict[str, Any]) -> GroupState:
        properties = json.loads(info["properties"])
        stored = info["object"]
        properties["optionalValue"] = self.pickleSer.loads(stored) if stored else None
        return GroupState(
            keyAsUnsafe=info["keyRowAsUnsafe"],
            valueSchema=self.state_object_schema,
            **properties,
        )

    def dump_stream(self, iterator: Iterable[Any], stream: Any) -> None:
        """Write the answers of groups; ``iterator`` is what ``wrap``'s callers return."""
        batches = self._write_stream_start(self._batches(iterator), stream)
        ArrowStreamSerializer.dump_stream(self, batches, stream)

    def _batches(self, answers: Iterable[Any]) -> Iterator[pa.RecordBatch]:
        rows: Rows = ([], [], [])
        states: list[dict[str, Any]] = []
        for answer in answers:
            (parts, state), _type = answer[0]
            for part in parts:
                for column, more in zip(rows, part, strict=True):
                    column.extend(more)
                if len(rows[0]) > self.arrow_max_records_per_batch:
                    yield record_batch(rows, states)
                    rows, states = ([], [], []), []
            # Only now has the function ended and the state its new value.
            states.append(self._stored(state))
        if rows[0] or states:
            yield record_batch(rows, states)

    def _stored(self, state: GroupState) -> dict[str, Any]:
        value = state._value_schema.toInternal(state._value) if state.exists else None
        return {
            "properties": state.json(),
            "keyRowAsUnsafe": state._keyAsUnsafe,
            "object": None if value is None else self.pickleSer.dumps(value),
            "oldTimeoutTimestamp": state.oldTimeoutTimestamp,
        }


def record_batch(rows: Rows, states: list[dict[str, Any]]) -> pa.RecordBatch:
    """Counts, rows and states side by side, the shorter one filled up with nulls."""
    length = max(1, len(rows[0]), len(states))
    counts = [np.full(length, count, np.int32) for count in (len(rows[0]), len(states))]
    fields = [[state[field.name] for state in states] for field in STATE]
    columns = [
        _struct([pa.array(one) for one in counts], COUNTS),
        _struct(_filled(rows, OUTPUT, length), OUTPUT),
        _struct(_filled(fields, STATE, length), STATE),
    ]
    return pa.RecordBatch.from_arrays(columns, names=["_0", "_1", "_2"])


def _struct(arrays: list[Any], type_: pa.StructType) -> pa.StructArray:
    return pa.StructArray.from_arrays(arrays, fields=list(type_))


def _filled(columns: Iterable[list[Any]], type_: pa.StructType, length: int) -> list[Any]:
    filled = []
    for column, field in zip(columns, type_, strict=True):
        array = pa.array(column, field.type)
        missing = length - len(column)
        filled.append(
            pa.concat_arrays([array, pa.nulls(missing, field.type)]) if missing else array
        )
    return filled


def _values(column: Any) -> list[Any]:
    """numpy makes Python objects of a column many times faster than Arrow itself does."""
    values: list[Any] = column.to_numpy(zero_copy_only=False).tolist()
    return values
