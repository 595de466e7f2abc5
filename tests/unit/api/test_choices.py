"""How values are asked for and excluded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.choices import Choice, choice_of, parted


@pytest.mark.parametrize(
    ("text", "value", "is_excluded"),
    [
        ("DE", "DE", False),
        ("", "", False),
        ("!DE", "DE", True),
        ("!", "", True),
        ("a!b", "a!b", False),
        ("!!a", "!a", False),
        ("!!!a", "!a", True),
        ("!!", "!", False),
    ],
)
def test_a_first_mark_excludes_and_two_are_one_of_the_value(
    text: str, value: str, is_excluded: bool
) -> None:
    assert parted(text) == (value, is_excluded)


@given(st.text(alphabet="!a"), st.booleans())
def test_every_value_can_be_asked_for_and_excluded(value: str, is_excluded: bool) -> None:
    own = value.lstrip("!")
    marks = "!" * 2 * (len(value) - len(own))
    assert parted("!" * is_excluded + marks + own) == (value, is_excluded)


def test_what_is_wanted_and_excluded_too_is_excluded() -> None:
    choice = choice_of(["a", "b", "!b", "!c"])
    assert choice == Choice(frozenset({"a", "b"}), frozenset({"b", "c"}))
    assert [value for value in "abcd" if choice.takes(value)] == ["a"]
    assert [value for value in "abcd" if choice_of(["!b"]).takes(value)] == ["a", "c", "d"]
    assert not choice_of([])
