"""Every target by its name: what it does with bytes, and what its corpus begins with."""

from collections.abc import Callable
from typing import NamedTuple

from tests.fuzz import records, requests, seeds, texts


class Target(NamedTuple):
    """``run`` raises when the code under test broke a promise."""

    run: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]


TARGETS = {
    "scope": Target(requests.scope, seeds.requests),
    "environ": Target(requests.environ, seeds.requests),
    "address": Target(texts.address, seeds.addresses),
    "texts": Target(texts.address_texts, seeds.address_texts),
    "record": Target(records.record, seeds.records),
    "log-line": Target(records.log_line, seeds.log_lines),
    "spool": Target(records.spool, seeds.spools),
}
