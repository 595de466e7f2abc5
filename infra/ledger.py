"""``./clickwake ledger``: what became of every request, as the API tells it."""

import os
from collections.abc import Iterator
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from contracts.client import key_headers
from contracts.ledger import Ledger, LedgerInterceptors
from contracts.outcomes import InterceptorStats, Tally
from infra.control import require_running
from infra.errors import InfraError
from infra.paths import Places
from infra.readiness import fetch

SECONDS = 30.0
COLUMNS = ("requests", "events", "duplicates", "late", "dead letters", "cut", "erased")


def api_address(places: Places, given: str | None) -> str:
    """The given API's address, or that of the running stack. Raises InfraError without one."""
    if given is not None:
        if not given.startswith(("http://", "https://")):
            raise InfraError(f"{given!r} is no address: write one such as http://127.0.0.1:8020")
        return given.rstrip("/")
    address = require_running(places).addresses.get("Dashboard")
    if address is None:
        raise InfraError("The running stack has no API: name another with --api.")
    return address.rstrip("/")


def read_ledger(api: str) -> Ledger:
    """The ledger of the API at that address. InfraError says why there is none."""
    status, document = fetch(f"{api}/api/v1/ledger", SECONDS, key_headers(os.environ))
    if status == 0:
        raise InfraError(f"The API at {api} does not answer: `./clickwake status` says why.")
    if status != 200:
        raise InfraError(f"The API at {api} has no ledger: {_reason(status, document)}")
    try:
        return msgspec.convert(document, Ledger)
    except msgspec.ValidationError as error:
        raise InfraError(f"What answers at {api} is no Clickwake API: {error}") from None


def _reason(status: int, document: Any) -> str:
    detail = document.get("detail") if isinstance(document, dict) else None
    return str(detail or f"it answers {status}.")


def show(ledger: Ledger, console: Console, *, buckets: bool) -> None:
    """Print it for people."""
    console.print(_columns(ledger, buckets=buckets))
    console.print(f"{'balances' if ledger.balances else 'DOES NOT BALANCE'}  {ledger.detail}")
    for line in _remarks(ledger):
        console.print(line)
    console.print()
    console.print(_counts(ledger.interceptors))
    console.print(ledger.interceptors.detail)
    for line in _disks(ledger.interceptors):
        console.print(line)


def _columns(ledger: Ledger, *, buckets: bool) -> Table:
    table = Table(title="What became of every request")
    table.add_column("buckets" if buckets else "topic", overflow="fold")
    for name in COLUMNS:
        table.add_column(name, justify="right")
    table.add_column("")
    if buckets:
        for row in ledger.buckets:
            name = f"{row.topic}/{row.partition} bucket {row.bucket}"
            table.add_row(name, *_cells(row.tally), _mark(row.balances))
        table.add_section()
    for topic in ledger.topics:
        name = f"{topic.topic}, {topic.buckets} bucket{'s' if topic.buckets != 1 else ''}"
        table.add_row(name, *_cells(topic.tally), _mark(topic.balances))
    table.add_section()
    table.add_row("all", *_cells(ledger.total), _mark(ledger.balances))
    return table


def _cells(tally: Tally) -> Iterator[str]:
    return (f"{count:,}" for count in msgspec.structs.astuple(tally))


def _mark(balances: bool) -> str:
    return "ok" if balances else "WRONG"


def _remarks(ledger: Ledger) -> Iterator[str]:
    if ledger.behind is None:
        yield "No session job has said anything yet: start it with `./clickwake job`."
    else:
        yield f"{ledger.behind:,} unread records when the job last spoke."
    if ledger.late_listed:
        placed = f"{ledger.late_placed:,} of them are in sessions by now, by a backfill"
        yield f"{ledger.late_listed:,} late events are listed in the history; {placed}."


def _counts(found: LedgerInterceptors) -> Table:
    table = Table(title="What the sites' own processes counted")
    table.add_column("process", overflow="fold")
    for name in ("observed", "adopted", "sent", "queued", "spooled", "dropped", "lost"):
        table.add_column(name, justify="right")
    for one in found.newest:
        table.add_row(f"{one.site_id} {one.instance}", *_process(one))
    table.add_section()
    table.add_row(f"all {found.processes}", *_process(found))
    return table


def _disks(found: LedgerInterceptors) -> Iterator[str]:
    """Spooled events stand in the rows of the processes that left them, too."""
    waiting = found.spooled - found.adopted
    if waiting > 0:
        yield f"{waiting:,} events lie on the sites' disks until Kafka takes them."
    if found.spool_errors:
        yield (
            f"The sites' disks failed {found.spool_errors:,} times: their logs say how, and what "
            "to do."
        )


def _process(found: InterceptorStats | LedgerInterceptors) -> Iterator[str]:
    counts = (found.observed, found.adopted, found.sent, found.queued, found.spooled)
    yield from (f"{count:,}" for count in counts)
    yield from (_reasons(found.dropped), _reasons(found.lost))


def _reasons(counts: dict[str, int]) -> str:
    """Each on a line of its own; the names are the codes of the interceptor."""
    return "\n".join(f"{name} {count:,}" for name, count in counts.items()) or "0"
