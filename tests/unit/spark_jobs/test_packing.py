"""What a bucket keeps comes back as it was, squeezed or not."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jobs.packing import SMALL, pack, unpack

VISITORS = st.dictionaries(
    st.text(max_size=30), st.tuples(st.integers(-(2**53), 2**53), st.binary(max_size=400))
)


@given(VISITORS)
def test_any_visitors_come_back(visitors: dict[str, tuple[int, bytes]]) -> None:
    assert unpack(pack(visitors)) == visitors


@pytest.mark.parametrize("count", [1, 10, 1_000, 100_000])
def test_many_come_back_and_take_less_room(count: int) -> None:
    visitors = {f"shop/{n:032x}": (n, b"Firefox on Linux in Berlin" * 8) for n in range(count)}
    plain, packed = msgspec.msgpack.encode(visitors), pack(visitors)
    assert unpack(packed) == visitors
    if len(plain) < SMALL:
        assert packed == plain
    else:
        assert len(packed) < len(plain) / 4


def test_what_an_older_version_kept_is_read() -> None:
    visitors = {f"shop/{n:032x}": (n, bytes(200)) for n in range(100)}
    assert unpack(msgspec.msgpack.encode(visitors)) == visitors
    assert unpack(b"") == {}
