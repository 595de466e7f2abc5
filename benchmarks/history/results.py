"""What was measured, and what it comes to. Pure."""

from collections.abc import Sequence

import msgspec

from benchmarks.bars import Bar
from benchmarks.figures import middle, spread

DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


class Stored(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="stored"):
    """What the writer stored in some batches, and its time for them alone.

    ``part``: ``fill`` a tenth of all sessions, so that ``number`` 1 to 10 show whether a larger
    history is slower; ``write`` a round of living sessions, ``updates`` of their updates alone,
    ``plain`` the same without COPY. ``sessions`` are in the history
    after a fill's part, before a round. ``cpu`` is a share of one core, without the database's
    own process. ``disk_mb`` is known of fills only.
    """

    database: str
    part: str
    number: int
    sessions: int
    updates: int
    events: int
    seconds: float
    updates_per_s: int
    events_per_s: int
    cpu: float
    disk_mb: int


class Asked(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="asked"):
    """One question, asked again and again over one connection; ms from request to whole answer.

    ``failure`` is what the API said first when it did not answer (``failures`` times).
    """

    database: str
    question: str
    number: int
    count: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    longest_ms: float
    answer_kb: float
    failures: int = 0
    failure: str | None = None


class Loaded(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="loaded"):
    """A history that was loaded in bulk.

    ``rows_s`` it took without indexes, ``seconds`` with them, ``blocks_s`` to build the blocks.
    """

    database: str
    sessions: int
    events: int
    days: int
    rows_s: float
    seconds: float
    blocks_s: float
    disk_mb: int
    blocks_mb: int


Result = Stored | Asked | Loaded


def titles(databases: Sequence[str]) -> list[str]:
    """A column for each database."""
    return ["what", *(DATABASES[name] for name in databases)]


def rows(results: Sequence[Result], databases: Sequence[str]) -> list[list[str]]:
    """The writer's rates and size, then a row for each question."""
    stored = [one for one in results if isinstance(one, Stored)]
    asked = [one for one in results if isinstance(one, Asked)]
    return [
        *_of_loads(results, databases),
        *_of_writer(stored, databases),
        *_of_api(asked, databases),
    ]


def _of_loads(results: Sequence[Result], databases: Sequence[str]) -> list[list[str]]:
    loaded = {one.database: one for one in results if isinstance(one, Loaded)}
    if not loaded:
        return []
    return [["loaded", *(_load(loaded.get(name)) for name in databases)]]


def _load(one: Loaded | None) -> str:
    if one is None:
        return "–"
    return (
        f"{one.sessions:,} sessions, {one.events:,} events in {one.seconds:,.0f} s, "
        f"{one.disk_mb / 1000:.1f} GB; blocks {one.blocks_mb:,} MB in {one.blocks_s:,.0f} s"
    )


def _of_writer(stored: list[Stored], databases: Sequence[str]) -> list[list[str]]:
    if not stored:
        return []
    return [
        ["stored: first tenth", *(_tenth(stored, name, 1) for name in databases)],
        ["stored: last tenth", *(_tenth(stored, name, 10) for name in databases)],
        *([title, *(_lives(stored, name, part) for name in databases)] for part, title in _LIVES),
        ["size of the database", *(_size(stored, name) for name in databases)],
    ]


def _of_api(asked: list[Asked], databases: Sequence[str]) -> list[list[str]]:
    questions = list(dict.fromkeys(one.question for one in asked))
    return [[text, *(_answers(asked, name, text) for name in databases)] for text in questions]


def bars(results: Sequence[Result], databases: Sequence[str]) -> list[Bar]:
    """The median answer to each question, by database."""
    asked = [one for one in results if isinstance(one, Asked) and one.count > one.failures]
    found = []
    for question in dict.fromkeys(one.question for one in asked):
        for name in databases:
            mine = [one.p50_ms for one in asked if (one.question, one.database) == (question, name)]
            if mine:
                label = f"{question}, {DATABASES[name]}"
                found.append(Bar(label, middle(mine), _ms(middle(mine)), name == "sqlite"))
    return found


def _tenth(stored: list[Stored], database: str, number: int) -> str:
    wanted = (database, "fill", number)
    return _rates([one for one in stored if (one.database, one.part, one.number) == wanted])


_LIVES = (
    ("write", "stored: living sessions"),
    ("updates", "stored: updates of sessions alone"),
    ("plain", "the same, a statement for each row"),
)


def _lives(stored: list[Stored], database: str, part: str) -> str:
    return _rates([one for one in stored if (one.database, one.part) == (database, part)])


def _rates(found: list[Stored]) -> str:
    if not found:
        return "–"
    updates = middle(one.updates_per_s for one in found)
    events = middle(one.events_per_s for one in found)
    with_events = f" + {events:,.0f} events/s" if events else ""
    return f"{updates:,.0f} updates/s{with_events}" + _spread(
        [float(one.updates_per_s) for one in found]
    )


def _size(stored: list[Stored], database: str) -> str:
    sizes = [one.disk_mb for one in stored if one.database == database and one.part == "fill"]
    return f"{max(sizes) / 1000:.1f} GB" if sizes else "–"


def _answers(asked: list[Asked], database: str, question: str) -> str:
    found = [one for one in asked if (one.database, one.question) == (database, question)]
    answered = [one for one in found if one.count > one.failures]
    failed = next((one.failure for one in found if one.failure), None)
    if not answered:
        return f"failed: {failed}" if failed else "–"
    parts = [
        middle(getattr(one, part) for one in answered) for part in ("p50_ms", "p95_ms", "p99_ms")
    ]
    text = " / ".join(map(_ms, parts)) + _spread([one.p50_ms for one in answered])
    return text + (f", some failed: {failed}" if failed else "")


def _ms(value: float) -> str:
    return f"{value:.1f} ms" if value < 100 else f"{value:,.0f} ms"


def _spread(values: list[float]) -> str:
    return f" (± {spread(values) / 2:.0%})" if len(values) > 1 else ""
