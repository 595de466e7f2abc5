"""Small values: instants, cursors, settings."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.history.cursor import LATEST_MS, Cursor, seal, unseal
from api.history.moments import at, parse_duration, parse_moment
from api.settings import ApiSettings
from contracts.instants import format_instant, parse_instant
from contracts.settings import from_environment


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("0", 0),
        ("-1", -1),
        ("1772366400000", 1_772_366_400_000),
        ("2026-03-01T12:00:00Z", 1_772_366_400_000),
        ("2026-03-01t12:00:00z", 1_772_366_400_000),
        ("2026-03-01T12:00:00.25Z", 1_772_366_400_250),
        ("2026-03-01T13:30:00+01:30", 1_772_366_400_000),
        ("2026-03-01T13:30:00 01:30", 1_772_366_400_000),
    ],
)
def test_instants(text: str, instant: int) -> None:
    assert parse_instant(text) == instant


@pytest.mark.parametrize(
    "text", ["", "now", "2026-03-01", "2026-03-01T12:00:00", "1e3", "1.5", "9007199254740993", "٣"]
)
def test_what_is_no_instant(text: str) -> None:
    with pytest.raises(ValueError, match=r"RFC 3339|number|invalid"):
        parse_instant(text)


def test_instants_for_people() -> None:
    assert format_instant(1_772_366_400_000) == "2026-03-01 12:00:00 UTC"


@given(
    st.integers(-(2**53), 2**53),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.none() | st.integers(0, LATEST_MS - 1),
)
def test_cursors_come_back(value: int, session_id: str, as_of: int | None) -> None:
    cursor = Cursor(value, session_id.replace("\0", ""), 5, as_of)
    sealed = unseal(seal(cursor, b"key", b"question"))
    assert sealed.require(b"key", b"question") == cursor
    for key, question in ((b"kez", b"question"), (b"key", b"questiom")):
        with pytest.raises(ValueError, match="same question"):
            sealed.require(key, question)


@given(st.text() | st.binary().map(lambda raw: base64.urlsafe_b64encode(raw).decode()))
def test_any_other_text_is_no_cursor(text: str) -> None:
    with pytest.raises(ValueError, match="next_cursor"):
        unseal(text).require(b"key", b"question")


@pytest.mark.parametrize(
    ("text", "instant"), [("now", 100_000), ("-1s", 99_000), ("-2m", -20_000), ("5", 5)]
)
def test_moments(text: str, instant: int) -> None:
    assert at(parse_moment(text), 100_000) == instant


@pytest.mark.parametrize(
    ("text", "ms"), [("0", 0), ("90", 90), ("5ms", 5), ("2s", 2_000), ("3h", 10_800_000)]
)
def test_durations(text: str, ms: int) -> None:
    assert parse_duration(text) == ms


def test_settings_hide_the_database_password() -> None:
    settings = from_environment(
        ApiSettings,
        "API",
        {
            "CLICKWAKE_API_DATABASE_URL": "postgresql://u:secret@h/d",
            "CLICKWAKE_API_ALLOWED_ORIGINS": "https://a.example/, https://b.example",
        },
    )
    assert "secret" not in repr(settings)
    assert settings.origins() == {"https://a.example", "https://b.example"}
