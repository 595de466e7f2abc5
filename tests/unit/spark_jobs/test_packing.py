"""What a bucket keeps comes back as it was: squeezed or not, in one page or in many."""

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jobs.packing import PAGE_BYTES, PER_PAGE, SMALL, Shelf, alias, aliased, pack, unpack

NEVER = 2**60
DUES = st.integers(-(2**53), 2**53)
STATES = st.binary(max_size=400)
VISITORS = st.dictionaries(st.text(max_size=30), st.tuples(DUES, STATES))


def many(count: int) -> dict[str, tuple[int, bytes]]:
    return {f"shop/{n:032x}": (n, b"Firefox on Linux in Berlin" * 8) for n in range(count)}


@given(VISITORS)
def test_any_visitors_come_back(visitors: dict[str, tuple[int, bytes]]) -> None:
    assert unpack(pack(visitors)) == visitors


@pytest.mark.parametrize("count", [1, 10, 1_000, 100_000])
def test_many_come_back_and_take_less_room(count: int) -> None:
    visitors = many(count)
    plain, packed = msgspec.msgpack.encode(visitors), pack(visitors)
    assert unpack(packed) == visitors
    assert len(packed) < (len(plain) + 20 if len(plain) < SMALL else len(plain) / 4)


@given(
    st.lists(
        st.lists(
            st.tuples(st.integers(0, 9 * PER_PAGE), st.none() | st.tuples(DUES, STATES)),
            max_size=6 * PER_PAGE,
        ),
        max_size=4,
    )
)
def test_a_shelf_is_a_dictionary_that_is_packed_between_batches(batches) -> None:
    known, body = {}, b""
    for batch in batches:
        shelf = Shelf(body)
        for number, state in batch:
            key = f"shop/{number}"
            assert shelf.get(key) == (known[key][1] if key in known else None)
            if state is None:
                shelf.drop(key)
                known.pop(key, None)
            else:
                shelf.put(key, *state)
                known[key] = state
        for watermark in (-1, 0, *(due + 1 for due, _ in [*known.values()][:3])):
            due = [key for key, (deadline, _) in known.items() if deadline < watermark]
            assert sorted(shelf.overdue(watermark)) == sorted(due)
        assert len(shelf) == len(known)
        assert shelf.next_due(NEVER) == min((due for due, _ in known.values()), default=NEVER)
        body = shelf.pack()
        assert unpack(body) == known
    assert bool(body) == bool(known)


def test_one_click_opens_one_page_of_many() -> None:
    body = pack(many(50 * PER_PAGE))
    shelf = Shelf(body)
    shelf.put("shop/new", 5, b"new")
    assert len(shelf._open) == 1
    shelf.pack()
    assert len(shelf._open) == 1


def test_long_sessions_get_pages_of_their_own() -> None:
    """One click must not open a hundred visitors with hundreds of events each."""
    long = {f"shop/{n}": (n, bytes([n]) * PAGE_BYTES) for n in range(100)}
    shelf = Shelf(pack(long))
    shelf.put("shop/0", 5, b"new")
    (page,) = shelf._open.values()
    assert len(page) <= 8
    assert unpack(shelf.pack()) == long | {"shop/0": (5, b"new")}


def test_pages_become_fewer_when_sessions_become_short() -> None:
    shelf = Shelf(pack({f"shop/{n}": (n, bytes([n]) * PAGE_BYTES) for n in range(100)}))
    for n in range(100):
        shelf.put(f"shop/{n}", n, b"short")
    assert len(Shelf(shelf.pack())._pages) == 1


@given(st.text(max_size=300))
def test_an_alias_is_told_from_a_state(name: str) -> None:
    assert aliased(alias(name)) == name
    assert aliased(msgspec.msgpack.encode([])) is None
    assert aliased(msgspec.msgpack.encode([[]] * 20)) is None


def test_what_older_versions_kept_is_read() -> None:
    visitors = {f"shop/{n:032x}": (n, bytes(200)) for n in range(100)}
    plain = msgspec.msgpack.encode(visitors)
    squeezed = pa.Codec("zstd").compress(plain, asbytes=True)
    for body in (plain, b"\x01" + len(plain).to_bytes(4, "big") + squeezed):
        assert unpack(body) == visitors
        shelf = Shelf(body)
        assert (len(shelf), shelf.next_due(NEVER)) == (100, 0)
        assert unpack(shelf.pack()) == visitors
    assert unpack(b"") == {}
