"""Paths as a question writes them, as SQL that means the same on SQLite and PostgreSQL.

A pattern is a whole path; ``*`` in it is any text and ``?`` any one character, so ``/blog/*`` is a
prefix. Letters' case counts. Words of a search are found anywhere in a path, and of A to Z the
case does not count: that is what both databases can do alike, without an extension to install.
"""

from typing import Any

from sqlalchemy import Boolean, ColumnElement, Text, and_, literal
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

WORD_LIMIT = 8
_ESCAPE = "\\"


class _Glob(FunctionElement[bool]):
    """A column, the pattern as GLOB takes it, and the same as LIKE takes it."""

    name = "path_glob"
    type = Boolean()
    inherit_cache = True


class _Holds(FunctionElement[bool]):
    """A column, and a LIKE pattern in which the case of ASCII letters does not count."""

    name = "path_holds"
    type = Boolean()
    inherit_cache = True


def is_like(column: Any, pattern: str) -> ColumnElement[bool]:
    """Whether the column is a path of that pattern."""
    if not set(pattern) & {"*", "?"}:
        is_same: ColumnElement[bool] = column == pattern
        return is_same
    return _Glob(column, literal(_as_glob(pattern), Text), literal(_as_like(pattern), Text))


def holds_words(column: Any, words: tuple[str, ...]) -> ColumnElement[bool]:
    """Whether the column has every one of the words somewhere."""
    return and_(*(_Holds(column, literal(f"%{_literally(word)}%", Text)) for word in words))


def _as_glob(pattern: str) -> str:
    # Brackets are the only other characters that mean something in a GLOB.
    return pattern.replace("[", "[[]")


def _as_like(pattern: str) -> str:
    return _literally(pattern).replace("*", "%").replace("?", "_")


def _literally(text: str) -> str:
    for special in (_ESCAPE, "%", "_"):
        text = text.replace(special, _ESCAPE + special)
    return text


@compiles(_Glob, "sqlite")
def _glob_of_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    column, glob, _ = element.clauses
    return f"({compiler.process(column, **options)} GLOB {compiler.process(glob, **options)})"


@compiles(_Glob, "postgresql")
def _glob_of_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    # LIKE knows where a character ends; PostgreSQL's tells cases apart and SQLite's does not.
    column, _, like = element.clauses
    return _like("LIKE", column, like, compiler, options)


@compiles(_Holds, "sqlite")
def _holds_of_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    column, pattern = element.clauses
    return _like("LIKE", column, pattern, compiler, options)


@compiles(_Holds, "postgresql")
def _holds_of_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    # The collation makes it fold A to Z only, as SQLite does, whatever the database's locale.
    column, pattern = element.clauses
    return _like('COLLATE "C" ILIKE', column, pattern, compiler, options)


def _like(operator: str, column: Any, pattern: Any, compiler: Any, options: Any) -> str:
    left, right = compiler.process(column, **options), compiler.process(pattern, **options)
    # Neither database has a default for the escape that both share: SQLite has none at all.
    return f"({left} {operator} {right} ESCAPE '{_ESCAPE}')"
