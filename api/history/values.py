"""The types of the history's query parameters: read, checked, and described for the documents."""

from collections.abc import Callable
from datetime import date
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.json_schema import WithJsonSchema

from api import calendar
from api.choices import EXCLUDES, choice_of
from api.history import moments
from api.history.cursor import Sealed, unseal
from api.history.fields import chosen_fields
from api.history.filters import UNKNOWN_COUNTRY
from api.history.patterns import WORD_LIMIT

STATUSES = frozenset({"open", "closed", "final"})
TEXT_LIMIT = 2_048
"""Characters of a text; no path or name in an event is longer."""

LIST_LIMIT = 100
"""Values of one parameter."""

PATTERN_LIMIT = 10
"""Patterns of one parameter: each is compared with every path there is."""


def _given(value: Any) -> list[str]:
    """A parameter's texts: it may be given more than once."""
    texts = [str(text) for text in (value if isinstance(value, list) else [value])]
    if len(texts) > LIST_LIMIT:
        raise ValueError(f"must not have more than {LIST_LIMIT} values")
    for text in texts:
        _text(text)
    return texts


def _text(value: Any) -> Any:
    if "\0" in str(value):
        raise ValueError("must not hold a null character")
    if len(str(value)) > TEXT_LIMIT:
        raise ValueError(f"must not be longer than {TEXT_LIMIT} characters")
    return value


def _parts(value: Any) -> list[str]:
    """``a,b`` and a parameter given twice mean the same."""
    parts = [part.strip() for text in _given(value) for part in text.split(",")]
    if len(parts) > LIST_LIMIT:
        raise ValueError(f"must not have more than {LIST_LIMIT} values")
    return parts


def _country(part: str) -> str:
    code = UNKNOWN_COUNTRY if part.lower() == UNKNOWN_COUNTRY else part.upper()
    if code != UNKNOWN_COUNTRY and not _is_country(code):
        raise ValueError("must be ISO 3166-1 alpha-2 codes such as DE,FR, or unknown")
    return code


def _is_country(code: str) -> bool:
    return len(code) == 2 and code.isascii() and code.isalpha()


def _list_of_statuses(value: Any) -> frozenset[str]:
    """Those that are left: sessions have no other ones."""
    choice = choice_of(_parts(value))
    if not choice.wanted | choice.excluded <= STATUSES:
        raise ValueError("must be one or more of open, closed, final, separated by commas")
    left = frozenset(status for status in STATUSES if choice.takes(status))
    if not left:
        raise ValueError("must leave one of open, closed, final")
    return left


def _patterns(value: Any) -> list[str]:
    texts = _given(value)
    if len(texts) > PATTERN_LIMIT:
        raise ValueError(f"must not have more than {PATTERN_LIMIT} values")
    return texts


def _pattern(value: Any) -> Any:
    if not value:
        raise ValueError("must be a path such as /cart, or a pattern such as /blog/*")
    return _text(value)


def _words(value: Any) -> tuple[str, ...]:
    words = tuple(word for text in _given(value) for word in text.split())
    if not 0 < len(words) <= WORD_LIMIT:
        raise ValueError(f"must be one to {WORD_LIMIT} words, separated by blanks")
    return words


def _chosen(read: Callable[[str], str] = str) -> AfterValidator:
    # A set of texts before and a Choice after: that a parameter may be given more than once,
    # the framework learns from the type.
    return AfterValidator(lambda texts: choice_of(texts, read))


def _fields(value: Any) -> tuple[str, ...]:
    return chosen_fields(part.strip() for text in _given(value) for part in text.split(","))


def _of_text(read: Callable[[str], Any]) -> Callable[[Any], Any]:
    return lambda value: read(str(value))


NO_NULL = r"^[^\x00]*$"
SAYS_SOMETHING = r"^[^\x00]*[^\x00\s][^\x00]*$"
"""Of a text that people write: not only blanks, and no null character."""

_TEXT = {"type": "string", "maxLength": TEXT_LIMIT, "pattern": NO_NULL}
_PATH = {**_TEXT, "format": "path-pattern", "minLength": 1}

Moment = Annotated[
    moments.Moment,
    BeforeValidator(_of_text(moments.parse_moment)),
    WithJsonSchema(
        {"type": "string", "format": "moment", "examples": ["2026-03-01T12:00:00Z", "-24h"]}
    ),
]
Duration = Annotated[
    int,
    BeforeValidator(_of_text(moments.parse_duration)),
    WithJsonSchema({"type": "string", "format": "short-duration", "examples": ["90s", "5m"]}),
]
Countries = Annotated[
    frozenset[str],
    BeforeValidator(_parts),
    _chosen(_country),
    WithJsonSchema(
        {
            "type": "string",
            "format": "countries",
            "examples": ["DE,FR", UNKNOWN_COUNTRY, f"{EXCLUDES}DE"],
        }
    ),
]
Statuses = Annotated[
    frozenset[str],
    BeforeValidator(_list_of_statuses),
    WithJsonSchema(
        {
            "type": "string",
            "format": "statuses",
            "examples": ["open", "closed,final", f"{EXCLUDES}open"],
        }
    ),
]
Names = Annotated[
    frozenset[str],
    BeforeValidator(_parts),
    _chosen(),
    WithJsonSchema(
        {"type": "string", "format": "names", "examples": ["search,social", f"{EXCLUDES}direct"]}
    ),
]
"""Values from a small vocabulary, none of which holds a comma."""

Values = Annotated[
    frozenset[str],
    BeforeValidator(_given),
    _chosen(),
    WithJsonSchema({**_TEXT, "examples": ["Paris", f"{EXCLUDES}Paris"]}),
]
"""Any texts, each a parameter of its own; the empty one is for sessions without a value."""

Words = Annotated[
    tuple[str, ...],
    BeforeValidator(_words),
    WithJsonSchema({"type": "string", "format": "words", "examples": ["blog kafka"]}),
]
Pattern = Annotated[
    str,
    BeforeValidator(_pattern),
    WithJsonSchema({**_PATH, "examples": ["/cart", "/blog/*"]}),
]
Patterns = Annotated[
    frozenset[str],
    BeforeValidator(_patterns),
    _chosen(_pattern),
    WithJsonSchema({**_PATH, "examples": ["/cart", "/blog/*", f"{EXCLUDES}/cart"]}),
]
"""Patterns, each a parameter of its own."""

Fields = Annotated[
    tuple[str, ...],
    BeforeValidator(_fields),
    WithJsonSchema(
        {"type": "string", "format": "fields", "examples": ["session_id,start,geo.country"]}
    ),
]
After = Annotated[
    Sealed,
    BeforeValidator(_of_text(unseal)),
    WithJsonSchema({"type": "string", "format": "cursor"}),
]
Day = Annotated[
    date,
    BeforeValidator(_of_text(calendar.parse_day)),
    WithJsonSchema({"type": "string", "format": "date", "examples": ["2026-03-01"]}),
]
TimeZone = Annotated[
    str,
    AfterValidator(lambda name: calendar.time_zone(name).key),
    WithJsonSchema({"type": "string", "format": "iana-time-zone", "examples": ["Europe/Berlin"]}),
]
Identity = Annotated[
    str, BeforeValidator(_text), Field(min_length=1, max_length=128, pattern=NO_NULL)
]
SessionId = Annotated[
    str, BeforeValidator(_text), Field(min_length=1, max_length=512, pattern=NO_NULL)
]
