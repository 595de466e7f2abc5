"""``./clickwake bench NAME``: the measurements, a command each."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from benchmarks import bounds as bounds_benchmark
from benchmarks import catchup as catchup_benchmark
from benchmarks import check as regression_check
from benchmarks import choosing, live_peer
from benchmarks import everything as all_benchmarks
from benchmarks import footprint as footprint_benchmark
from benchmarks import live as live_benchmark
from benchmarks import state as state_benchmark
from benchmarks.compare import main as comparison
from benchmarks.compare.engines import chosen
from benchmarks.fanout import main as fanout_benchmark
from benchmarks.fanout.servers import chosen as chosen_servers
from benchmarks.history import main as history_benchmark
from benchmarks.history.databases import chosen as chosen_databases
from benchmarks.interceptor import main as interceptor_benchmark
from benchmarks.interceptor.served import Plan
from benchmarks.workload import Workload

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def main() -> None:
    """Measurements of the product, printed as JSON lines."""


@app.command()
def catchup(
    events: int = 2_000_000,
    visitors: int = 100_000,
    buckets: Annotated[list[int] | None, typer.Option()] = None,
    batch: int = 400_000,
    rounds: int = 1,
) -> None:
    """A full topic through the whole job."""
    catchup_benchmark.main(events, visitors, buckets or [256], batch, rounds)


@app.command()
def compare(
    events: int = 2_000_000,
    visitors: int = 100_000,
    rounds: int = 3,
    engines: Annotated[str, typer.Option(help="Comma-separated names; all if not given.")] = "",
    workload: Annotated[str, typer.Option(help="even, zipf or accesslog.")] = "even",
    limit: Annotated[float, typer.Option(help="Seconds that one run may take.")] = 900,
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
) -> None:
    """The same topic through Clickwake and its peers, side by side."""
    wanted = msgspec.convert({"events": events, "visitors": visitors, "shape": workload}, Workload)
    comparison.main(wanted, rounds, chosen(engines), limit, out)


@app.command()
def live(
    rate: Annotated[list[int] | None, typer.Option(help="Requests a second; repeatable.")] = None,
    seconds: float = 60,
    buckets: Annotated[list[int] | None, typer.Option()] = None,
    state: Annotated[list[int] | None, typer.Option()] = None,
    engines: Annotated[str, typer.Option(help="clickwake, flink, or both")] = "clickwake",
) -> None:
    """From a site's response to a dashboard's WebSocket message, and what it takes."""
    picked = choosing.chosen(engines, live_peer.ENGINES, "engine")
    live_benchmark.main(rate or [200], seconds, buckets or [256], state or [0], picked)


@app.command()
def state(
    sessions: Annotated[list[int] | None, typer.Option()] = None,
    buckets: Annotated[list[int] | None, typer.Option()] = None,
    events: Annotated[int, typer.Option(help="At least two a session are sent.")] = 2_000_000,
) -> None:
    """Catch-up, micro-batches and a restart with many open sessions."""
    counts = sessions or [10_000, 100_000, 1_000_000]
    state_benchmark.main(counts, buckets or [256], events)


@app.command()
def footprint(
    rate: Annotated[list[int] | None, typer.Option()] = None, seconds: float = 60
) -> None:
    """CPU, memory and disk of the whole stack, and how long it takes to serve."""
    footprint_benchmark.main(rate or [200, 1_000], seconds)


@app.command()
def fanout(
    clients: Annotated[list[int] | None, typer.Option()] = None,
    rate: Annotated[list[float] | None, typer.Option(help="Updates a second.")] = None,
    servers: Annotated[str, typer.Option(help="Comma-separated names; all if not given.")] = "",
    seconds: float = 20,
    rounds: int = 5,
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
) -> None:
    """One update to many dashboards: delay, CPU and memory, beside peers."""
    counts, wanted = clients or [500, 2_000, 5_000], chosen_servers(servers)
    fanout_benchmark.main(counts, rate or [1, 4], wanted, seconds, rounds, out)


@app.command()
def dashboard(
    sessions: Annotated[int, typer.Option(help="Open ones.")] = 5_000,
    rate: Annotated[float, typer.Option(help="Updates a second.")] = 500,
    seconds: Annotated[float, typer.Option(help="For how long memory is watched.")] = 60,
    rounds: int = 3,
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
) -> None:
    """Frames, memory and loading of a busy dashboard, by the browser's own trace."""
    # The browser's driver comes with the tools for development.
    from benchmarks.dashboard import main as dashboard_benchmark

    plan = dashboard_benchmark.Plan(sessions=sessions, rate=rate, seconds=seconds)
    dashboard_benchmark.main(plan, rounds, out)


@app.command()
def history(
    sessions: int = 5_000_000,
    events: Annotated[
        int, typer.Option(help="About so many, over 90 days, loaded in bulk: not by the writer.")
    ] = 0,
    databases: Annotated[
        str,
        typer.Option("--databases", "--database", help="sqlite, postgresql; both if not given."),
    ] = "",
    seconds: Annotated[float, typer.Option(help="For each question, and for writing.")] = 10,
    rounds: int = 3,
    writing_only: Annotated[bool, typer.Option(help="Ask no questions.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
) -> None:
    """What the history's writer stores a second, and how fast the API answers from it."""
    wanted, asks = chosen_databases(databases), not writing_only
    history_benchmark.main(sessions, wanted, seconds, rounds, out, events, asks=asks)


@app.command()
def interceptor(
    requests: Annotated[int, typer.Option(help="Of each case in process.")] = 30_000,
    rate: Annotated[float, typer.Option(help="Requests a second of the modest load.")] = 500,
    seconds: Annotated[float, typer.Option(help="Of each load on a server.")] = 10,
    connections: int = 50,
    rounds: int = 5,
    parts: Annotated[str, typer.Option(help="in-process, served; both if not given.")] = "",
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
) -> None:
    """What the middleware adds to a request, and what a server does with it, beside a peer."""
    plan = Plan(rate=rate, seconds=seconds, connections=connections)
    interceptor_benchmark.main(requests, plan, rounds, interceptor_benchmark.chosen(parts), out)


@app.command()
def bounds(events: int = 1_000_000) -> None:
    """What visitors that never stop cost the session core, in process."""
    bounds_benchmark.main(events)


@app.command()
def check(
    rounds: int = 5,
    write: Annotated[bool, typer.Option(help="Make what is found the ratios to hold.")] = False,
) -> None:
    """Hot paths in process, as ratios to a yardstick; exit status 1 when one became slower."""
    verdicts = regression_check.main(rounds, write=write)
    raise typer.Exit(int(any(one.is_slower for one in verdicts)))


@app.command(name="all")
def everything(
    quick: Annotated[bool, typer.Option(help="Small sizes, to see that all of it runs.")] = False,
    only: Annotated[list[str] | None, typer.Option(help="This part; may be repeated.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
) -> None:
    """Every part, one after the other, with all results in one folder."""
    summary = all_benchmarks.main(quick=quick, only=only or [], out=out)
    raise typer.Exit(int(any(part.exit_status for part in summary.parts)))


if __name__ == "__main__":
    app(prog_name="clickwake bench")
