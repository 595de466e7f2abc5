"""Texts in the order of their code points, on any database and in Python alike."""

from typing import Any

from sqlalchemy import Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class by_code_point(FunctionElement[str]):  # noqa: N801 (it reads as a function)
    """A text to order by. SQLite's order is that of code points already."""

    name = "by_code_point"
    type = Text()
    inherit_cache = True


@compiles(by_code_point, "sqlite")
def _of_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    (column,) = element.clauses
    return str(compiler.process(column, **options))


@compiles(by_code_point, "postgresql")
def _of_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    (column,) = element.clauses
    return f'{compiler.process(column, **options)} COLLATE "C"'
