"""Who is erased stays out, and nobody else."""

import pytest

from contracts import Barred, Erasure
from contracts.erasures import Bar, bars_of, mark_of
from tests.support.messages import a_late_event, a_session

KEY = "0123456789abcdef" * 4
OTHER_KEY = "fedcba9876543210" * 4
NOON = 1_770_000_000_000


def an_erasure(**fields: object) -> Erasure:
    known = {
        "erasure_id": "01970000-0000-7000-8000-000000000001",
        "site_id": "shop",
        "phase": "cleaned",
        "key": KEY,
        "marks": [mark_of(KEY, "shop", "ada")],
        "requested": NOON - 5_000,
        "until": NOON,
    }
    return Erasure(**(known | fields))  # type: ignore[arg-type]


def test_a_mark_hides_the_id_and_depends_on_key_and_site() -> None:
    mark = mark_of(KEY, "shop", "ada")
    assert len(mark) == 32
    assert "ada" not in mark
    assert mark_of(OTHER_KEY, "shop", "ada") != mark
    assert mark_of(KEY, "blog", "ada") != mark


@pytest.mark.parametrize(
    ("site", "visitor", "times", "covered"),
    [
        ("shop", "ada", (NOON,), True),
        ("shop", "ada", (NOON + 1,), False),
        ("shop", "ada", (NOON + 60_000, NOON), True),  # a fast clock, but it came before
        ("shop", "ada", (NOON - 1, NOON + 60_000), True),  # an old log, sent again
        ("blog", "ada", (NOON,), False),
        ("shop", "bob", (NOON,), False),
    ],
)
def test_what_happened_or_came_until_then_is_covered(
    site: str, visitor: str, times: tuple[int, ...], covered: bool
) -> None:
    assert Barred(bars_of([an_erasure()])).covers(site, visitor, *times) is covered


def test_nothing_is_barred_before_anything_was_erased() -> None:
    assert not Barred(bars_of([an_erasure(phase="requested", until=None)]))


def test_the_later_of_two_erasures_counts_under_whatever_key() -> None:
    other = Bar(OTHER_KEY, mark_of(OTHER_KEY, "shop", "ada"), NOON + 100)
    assert Barred([*bars_of([an_erasure()]), other]).until("shop", "ada") == NOON + 100


def test_messages_are_covered_by_any_of_their_ids() -> None:
    barred = Barred(bars_of([an_erasure()]))
    times = {"start": NOON - 10, "broker_time": NOON + 10}
    assert barred.covers_message(a_session(site_id="shop", visitor_id="ada", **times))
    both = a_session(site_id="shop", visitor_id="eve", other_visitor_ids=["ada"], **times)
    assert barred.covers_message(both)
    assert not barred.covers_message(a_session(site_id="shop", visitor_id="eve", **times))
    late = a_late_event(site_id="shop", visitor_id="ada", event_time=NOON)
    assert barred.covers_message(late)
