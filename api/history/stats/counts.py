"""Who counts: the database, by SQL over sessions and events. Others may answer the same."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from sqlalchemy import Connection

from api.history.filters import SessionFilter
from api.history.models import SessionRow
from api.history.stats.answers import Metrics
from api.history.stats.buckets import Bucket
from api.history.stats.dimensions import Dimension
from api.history.stats.facts import facts_by
from api.history.stats.metrics import Order, among, largest, measured
from api.history.stats.quantiles import Key
from api.history.stats.returning import Grid, returns
from api.history.stats.visits import bucket_number


class Grouping(NamedTuple):
    """By what sessions are grouped: the values of some dimensions, and the buckets that they
    started in. A key is a value a dimension (empty: without one), and the bucket's number."""

    dimensions: tuple[Dimension, ...] = ()
    buckets: Sequence[Bucket] = ()


class Counts(Protocol):
    """Numbers of the wanted sessions, by group."""

    def largest(
        self, wanted: SessionFilter, dimensions: tuple[Dimension, ...], order: Order
    ) -> list[Key]:
        """The groups that the order wants, in it."""

    def measured(
        self,
        wanted: SessionFilter,
        by: Grouping,
        order: Order | None = None,
        chosen: Sequence[Key] | None = None,
    ) -> dict[Key, Metrics]:
        """The metrics of each group; of those that the order wants, in it; or of those whose
        values of dimensions are among the chosen."""

    def returns(self, wanted: SessionFilter, buckets: Sequence[Bucket]) -> Grid:
        """The visitors of the buckets but those who came before, by the bucket in which they
        came first and each in which they came."""


class SqlCounts:
    """Counts by the database, whatever the filter and the dimensions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def largest(
        self, wanted: SessionFilter, dimensions: tuple[Dimension, ...], order: Order
    ) -> list[Key]:
        """See ``Counts``."""
        return largest(self._connection, facts_by(dimensions, wanted), dimensions, order)

    def measured(
        self,
        wanted: SessionFilter,
        by: Grouping,
        order: Order | None = None,
        chosen: Sequence[Key] | None = None,
    ) -> dict[Key, Metrics]:
        """See ``Counts``."""
        names: tuple[str, ...] = by.dimensions
        if by.buckets:
            number = bucket_number(SessionRow.start, by.buckets).label("bucket")
            facts, names = facts_by(by.dimensions, wanted, number), (*names, "bucket")
        else:
            facts = facts_by(by.dimensions, wanted)
        if chosen is not None:
            facts = among(facts, by.dimensions, chosen)
        return measured(self._connection, facts, names, order)

    def returns(self, wanted: SessionFilter, buckets: Sequence[Bucket]) -> Grid:
        """See ``Counts``."""
        return returns(self._connection, wanted, buckets)
