"""Small values: instants, cursors, settings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.history.cursor import Cursor, decode_cursor, encode_cursor
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


@given(st.integers(-(2**53), 2**53), st.text(st.characters(exclude_categories=["Cs"])))
def test_cursors_come_back(start: int, session_id: str) -> None:
    cursor = Cursor(start, session_id.replace("\0", ""))
    assert decode_cursor(encode_cursor(cursor)) == cursor


@given(st.text())
def test_any_other_text_is_no_cursor(text: str) -> None:
    try:
        decode_cursor(text)
    except ValueError as error:
        assert "next_cursor" in str(error)  # noqa: PT017


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
