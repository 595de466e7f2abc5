"""Choices of values and of patterns as SQL conditions."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, and_, not_, or_

from api.choices import Choice
from api.history.patterns import is_like


def is_chosen(column: Any, choice: Choice, without: str) -> ColumnElement[bool]:
    """Whether a column's value is chosen; ``without`` is the value that stands for none."""
    conditions: list[ColumnElement[bool]] = []
    if choice.wanted:
        conditions.append(_is_one_of(column, choice.wanted, without))
    if choice.excluded:
        conditions.append(_is_none_of(column, choice.excluded, without))
    return and_(*conditions)


def _is_one_of(column: Any, values: frozenset[str], without: str) -> ColumnElement[bool]:
    known: ColumnElement[bool] = column.in_(sorted(values))
    return known | column.is_(None) if without in values else known


def _is_none_of(column: Any, values: frozenset[str], without: str) -> ColumnElement[bool]:
    others: ColumnElement[bool] = column.not_in(sorted(values))
    # Nothing is known of a null: it is none of the values only if that is said.
    return others if without in values else others | column.is_(None)


def is_one_like(column: Any, patterns: Iterable[str]) -> ColumnElement[bool]:
    """Whether a path is of one of these patterns."""
    return or_(*(is_like(column, pattern) for pattern in sorted(patterns)))


def is_none_like(column: Any, patterns: Iterable[str]) -> ColumnElement[bool]:
    """Whether a path is of none of these patterns."""
    return not_(is_one_like(column, patterns))
