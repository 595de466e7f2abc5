"""The command line that ``./clickwake`` hands over to."""

import shutil
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from contracts.base import ContractError
from infra import control, handover, ledger, logs, repartition, savepoints
from infra.doctor.command import doctor
from infra.erasing.command import erase
from infra.errors import InfraError
from infra.launching import Wish, run, run_detached
from infra.paths import places
from infra.preparation import prepare
from infra.resting import Rest, at_rest, in_words
from infra.start import Start
from infra.state import running_state
from infra.steps import Steps

app = typer.Typer(
    help="Watch a website's visitors as live, exact sessions.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(savepoints.app, name="savepoint")
app.command(name="repartition")(repartition.repartition)
app.command(name="doctor")(doctor)
app.command(name="erase")(erase)

Data = Annotated[Path | None, typer.Option(help="Where everything is kept.", file_okay=False)]
Detach = Annotated[bool, typer.Option("--detach", help="Return when it serves.")]
Port = Annotated[int, typer.Option(min=1, max=65535)]
PASS_THROUGH = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


@app.command()
def demo(
    *,
    detach: Detach = False,
    no_traffic: Annotated[
        bool, typer.Option("--no-traffic", help="No sample visitors yet.")
    ] = False,
    port_site: Port = 8010,
    port_api: Port = 8020,
    port_kafka: Port = 19092,
    data: Data = None,
) -> None:
    """Run the whole product with a demo site and sample visitors.

    Kafka, the session job, the API with the dashboard, the demo site, sample traffic.
    """
    wish = Wish(
        kind="demo",
        places=places(data),
        traffic=not no_traffic,
        port_site=port_site,
        port_api=port_api,
        port_kafka=port_kafka,
    )
    _run(wish, detach)


@app.command()
def up(
    detach: Detach = False, port_api: Port = 8020, port_kafka: Port = 19092, data: Data = None
) -> None:
    """Run the product for a site of your own.

    Kafka, the session job and the API with the dashboard.
    """
    _run(Wish(kind="up", places=places(data), port_api=port_api, port_kafka=port_kafka), detach)


@app.command()
def job(
    start: Annotated[
        str | None,
        typer.Option("--from", help="Where a new checkpoint begins: earliest, latest or a time."),
    ] = None,
    new_checkpoint: Annotated[
        bool, typer.Option("--new-checkpoint", help="Move the present checkpoint aside.")
    ] = False,
    data: Data = None,
) -> None:
    """Run only the session job, on a Kafka of your own.

    CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS says where that is.
    """
    begin = Start(start, new_checkpoint)
    _run(Wish(kind="job", places=places(data), start=begin), detach=False)


@app.command()
def traffic(data: Data = None) -> None:
    """Send sample visitors to the running demo site until Ctrl-C."""
    here = places(data)
    state = control.require_running(here)
    site = control.site_of(state)
    handover.traffic(here, site, state.addresses.get("Dashboard", "").rstrip("/"))


def _run(wish: Wish, detach: bool) -> None:
    if not detach:
        run(wish)
        return
    raise typer.Exit(run_detached(wish, [text for text in sys.argv[1:] if text != "--detach"]))


@app.command()
def stop(data: Data = None) -> None:
    """Stop the running stack, and whatever a killed one left behind."""
    with Steps() as steps:
        control.stop(places(data), steps)


@app.command()
def status(
    data: Data = None, json: Annotated[bool, typer.Option("--json", help="For programs.")] = False
) -> None:
    """Show the stack's processes, addresses and health.

    While none runs, what its data folder keeps.
    """
    here = places(data)
    if running_state(here.state_file) is None:
        _show_rest(at_rest(here), json=json)
    state = control.require_running(here)
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(state), indent=2).decode())
        return
    console = Console(highlight=False)
    table = Table("process", "status", "pid", "up", "memory", "restarts", title=state.status)
    for row in control.process_rows(state):
        table.add_row(*row)
    console.print(table)
    for child in state.children:
        if child.detail:
            console.print(f"{child.name}: {child.detail}", markup=False)
    for name, (is_ok, detail) in control.health(state).items():
        console.print(f"{'ok' if is_ok else 'NOT OK':<7} {name}  {detail}", markup=False)
    for title, address in state.addresses.items():
        console.print(f"{title}: {address}", markup=False)


def _show_rest(rest: Rest, *, json: bool) -> None:
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(rest), indent=2).decode())
        raise typer.Exit(1)
    for line in in_words(rest):
        typer.echo(line)


@app.command(name="ledger")
def show_ledger(
    data: Data = None,
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    buckets: Annotated[bool, typer.Option("--buckets", help="Each bucket's columns too.")] = False,
    api: Annotated[str | None, typer.Option(help="An API elsewhere, by its address.")] = None,
) -> None:
    """Show what became of every request.

    Asks the running stack's API. The exit status is 1 when a request is unaccounted for.
    """
    found = ledger.read_ledger(ledger.api_address(places(data), api))
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    else:
        ledger.show(found, Console(highlight=False, markup=False), buckets=buckets)
    raise typer.Exit(0 if found.balances else 1)


@app.command(name="logs")
def show_logs(
    name: Annotated[str | None, typer.Argument(help="kafka, job, api, site, traffic")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as it grows.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0)] = 50,
    data: Data = None,
) -> None:
    """Show the last lines of the processes' logs."""
    logs.show(places(data), name, lines, follow)


@app.command()
def clean(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False, data: Data = None
) -> None:
    """Delete all recorded data.

    Topics, checkpoint, history, shop, logs.
    """
    here = places(data)
    control.require_stopped(here)
    if not here.data.exists():
        typer.echo(f"There is no data in {here.data}.")
        return
    if not yes:
        typer.confirm(f"Delete everything in {here.data}?", abort=True)
    shutil.rmtree(here.data)
    typer.echo(f"Deleted {here.data}.")


@app.command()
def setup() -> None:
    """Get what a first run needs, without running anything."""
    with Steps() as steps:
        prepare(places(), steps)


@app.command(context_settings=PASS_THROUGH)
def sessionize(context: typer.Context) -> None:
    """Find the sessions in a log file."""
    handover.to_spark("spark_jobs.batch", context.args, places())


@app.command(context_settings=PASS_THROUGH)
def replay(context: typer.Context) -> None:
    """Send a log file through the running stack."""
    handover.to_spark("spark_jobs.replay", context.args, places())


@app.command(name="import", context_settings=PASS_THROUGH)
def import_logs(context: typer.Context, data: Data = None) -> None:
    """Take log files into the history.

    Stopped or killed, the same command goes on where it was.
    """
    here = places(data)
    handover.to_spark("spark_jobs.imports", [f"--state={here.imports}", *context.args], here)


@app.command(context_settings=PASS_THROUGH)
def verify(context: typer.Context) -> None:
    """Compare the history with what the batch job finds."""
    handover.to_spark("spark_jobs.verify", context.args, places(), needs_api=True)


@app.command(context_settings=PASS_THROUGH)
def backfill(context: typer.Context) -> None:
    """Recompute a period and replace it in the history."""
    handover.to_spark("spark_jobs.backfill", context.args, places(), needs_api=True)


@app.command(context_settings=PASS_THROUGH)
def keys(context: typer.Context, data: Data = None) -> None:
    """Make, list and revoke API keys."""
    handover.to_keys(context.args, places(data))


@app.command(context_settings=PASS_THROUGH)
def bench(context: typer.Context) -> None:
    """Run a measurement: ./clickwake bench NAME."""
    handover.to_spark("benchmarks", context.args, places())


@app.command(context_settings=PASS_THROUGH)
def chaos(context: typer.Context) -> None:
    """Attack a stack of its own with faults, and judge what it kept."""
    handover.to_spark("tests.chaos", context.args, places())


@app.command(context_settings=PASS_THROUGH | {"help_option_names": ["--help"]})
def test(context: typer.Context) -> None:
    """Run all checks and tests; pytest's arguments may follow.

    Gets what they need first. With arguments, only pytest runs.
    """
    raise typer.Exit(handover.test(context.args, places()))


@app.command()
def check() -> None:
    """Check form, lint, types, imports, generated files."""
    raise typer.Exit(handover.check(places()))


@app.command()
def lock() -> None:
    """Resolve the dependencies anew into requirements.lock."""
    raise typer.Exit(handover.lock(places()))


def main() -> None:
    """Run a command; an expected failure is one sentence and exit status 1."""
    try:
        app(prog_name="clickwake")
    except (InfraError, ContractError) as error:
        _fail(str(error))
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        _fail(f"{error.strerror or error}{where}")


def _fail(sentence: str) -> NoReturn:
    print(f"clickwake: {sentence}", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    main()
