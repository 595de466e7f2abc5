"""``./clickwake erase``: ask an API to erase a visitor, and watch it."""

import os
import time
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlencode

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from contracts.client import key_headers
from infra.errors import InfraError
from infra.ledger import api_address
from infra.paths import places
from infra.readiness import fetch

SECONDS = 30.0
POLL_SECONDS = 0.5
PATIENCE_SECONDS = 60.0
"""How long the API may be away while it is watched."""


def erase(
    visitor: Annotated[str, typer.Argument(help="The visitor's id.")],
    site: Annotated[str, typer.Option(help="The visitor's site.")],
    wait: Annotated[bool, typer.Option("--wait", help="Until a scan finds nothing.")] = False,
    api: Annotated[str | None, typer.Option(help="An API elsewhere, by its address.")] = None,
    data: Annotated[Path | None, typer.Option(help="The stack's data folder.")] = None,
) -> None:
    """Erase a visitor everywhere.

    History, live view, the job's state, topics, files. Needs a key with the scope erase where
    the API needs keys.
    """
    address = api_address(places(data), api)
    query = urlencode({"site": site})
    state = _asked(f"{address}/api/v1/visitors/{quote(visitor, safe='')}?{query}", "DELETE")
    where = f"{address}/api/v1/erasures/{state['erasure_id']}"
    ids = state["ids"]
    typer.echo(f"Erasing the visitor, who has {ids} id{'s' if ids != 1 else ''}: {where}")
    if wait:
        state = _watch(where, state)
        rows = ", ".join(f"{count} {table}" for table, count in sorted(state["deleted"].items()))
        typer.echo(f"{state['detail']} Deleted from the history: {rows or 'nothing'}.")


def _asked(address: str, method: str = "GET") -> dict[str, Any]:
    status, document = fetch(address, SECONDS, key_headers(os.environ), method)
    if status in {200, 202} and isinstance(document, dict):
        return document
    if status == 0:
        raise InfraError("The API does not answer: `./clickwake status` says why.")
    detail = document.get("detail") if isinstance(document, dict) else None
    raise InfraError(f"The API refuses: {detail or status}")


def _watch(where: str, state: dict[str, Any]) -> dict[str, Any]:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    last_heard = time.monotonic()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(state["phase"], total=1.0)
        while state["phase"] != "done":
            if state["phase"] == "cleaned" and state["found"]:
                raise InfraError(state["detail"])
            time.sleep(POLL_SECONDS)
            try:
                state, last_heard = _asked(where), time.monotonic()
            except InfraError:
                if time.monotonic() > last_heard + PATIENCE_SECONDS:
                    raise
            progress.update(task, completed=state["progress"], description=state["phase"])
    return state
