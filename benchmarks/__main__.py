"""``python -m benchmarks NAME``: the measurements, a command each."""

from typing import Annotated

import typer

from benchmarks import catchup as catchup_benchmark

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def main() -> None:
    """Measurements of the product, printed as JSON lines."""


@app.command()
def catchup(
    events: int = 2_000_000,
    visitors: int = 100_000,
    buckets: Annotated[list[int] | None, typer.Option()] = None,
    batch: int = 200_000,
    rounds: int = 1,
) -> None:
    """A full topic through the whole job."""
    catchup_benchmark.main(events, visitors, buckets or [256], batch, rounds)


if __name__ == "__main__":
    app()
