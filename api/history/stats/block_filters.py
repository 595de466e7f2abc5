"""Which sessions of blocks a filter wants. Pure; ``api.history.filters`` says the same in SQL."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import cast

import numpy as np

from api.choices import Choice
from api.history.blocks.columns import BOT, BOUNCED, Array, Name, TextName
from api.history.blocks.reading import Sessions
from api.history.filters import CHOSEN, MERGED, UNKNOWN_COUNTRY, WITHOUT, SessionFilter

IsWanted = Callable[[str | None], bool]


def is_in_blocks(wanted: SessionFilter) -> bool:
    """Whether blocks hold what the filter looks at: no events, no single visitors."""
    asks_more = wanted.words or wanted.path or wanted.visitor_id is not None
    return not asks_more and MERGED not in wanted.statuses


def names_for(wanted: SessionFilter) -> list[Name]:
    """The columns that the filter looks at."""
    found: list[Name] = [name for name, _ in _text_conditions(wanted)]
    if wanted.bots != "include" or wanted.bounced is not None:
        found.append("flags")
    if (wanted.duration_min, wanted.duration_max) != (None, None):
        found.append("duration")
    if (wanted.events_min, wanted.events_max) != (None, None):
        found.append("events")
    return list(dict.fromkeys(found))


def filtered(sessions: Sessions, wanted: SessionFilter) -> Sessions:
    """Those that the filter wants. Their starts it does not look at."""
    conditions = [
        *_text_masks(sessions, wanted),
        *_flag_masks(sessions, wanted),
        *_between(sessions, "duration", wanted.duration_min, wanted.duration_max),
        *_between(sessions, "events", wanted.events_min, wanted.events_max),
    ]
    if not conditions:
        return sessions
    is_wanted = conditions[0]
    for condition in conditions[1:]:
        is_wanted = is_wanted & condition
    return sessions.where(is_wanted)


def _text_conditions(wanted: SessionFilter) -> Iterator[tuple[TextName, IsWanted]]:
    for field, name in CHOSEN.items():
        if choice := getattr(wanted, field):
            yield cast("TextName", name), _chosen(choice, WITHOUT)
    if wanted.countries:
        yield "country", _chosen(wanted.countries, UNKNOWN_COUNTRY)
    if wanted.statuses:
        yield "status", _one_of(wanted.statuses)
    if wanted.site_id is not None:
        yield "site", _one_of(frozenset({wanted.site_id}))
    if wanted.entry:
        yield "entry", _is_like(wanted.entry)
    if wanted.exit:
        yield "exit", _is_like(wanted.exit)


def _chosen(choice: Choice, none_is: str) -> IsWanted:
    return lambda text: choice.takes(none_is if text is None else text)


def _one_of(values: frozenset[str]) -> IsWanted:
    return lambda text: text in values


def _is_like(choice: Choice) -> IsWanted:
    wanted, excluded = map(_pages, (choice.wanted, choice.excluded))

    def is_wanted(text: str | None) -> bool:
        if text is None or (excluded is not None and excluded(text)):
            return False
        return wanted is None or wanted(text) is not None

    return is_wanted


def _pages(patterns: frozenset[str]) -> Callable[[str], object] | None:
    """What matches one of the patterns; None if there are none."""
    if not patterns:
        return None
    return re.compile("|".join(map(_expression, sorted(patterns))), re.DOTALL).fullmatch


def _expression(pattern: str) -> str:
    parts = {"*": ".*", "?": "."}
    return "".join(parts.get(character, re.escape(character)) for character in pattern)


def _text_masks(sessions: Sessions, wanted: SessionFilter) -> Iterator[Array]:
    for name, is_wanted in _text_conditions(wanted):
        values: Sequence[str | None] = sessions.dictionary[name].values
        verdicts = np.array([is_wanted(value) for value in values], bool)
        numbers = sessions.columns[name]
        yield verdicts[numbers] if len(values) else np.zeros(len(numbers), bool)


def _flag_masks(sessions: Sessions, wanted: SessionFilter) -> Iterator[Array]:
    flags = sessions.columns.get("flags")
    if flags is None:
        return
    if wanted.bots != "include":
        yield ((flags & BOT) != 0) == (wanted.bots == "only")
    if wanted.bounced is not None:
        yield ((flags & BOUNCED) != 0) == wanted.bounced


def _between(
    sessions: Sessions, name: Name, least: int | None, most: int | None
) -> Iterator[Array]:
    if least is not None:
        yield sessions.columns[name] >= least
    if most is not None:
        yield sessions.columns[name] <= most
