"""Fan-out: one update to many dashboards. Delay, CPU and memory by number of clients and rate."""

from contextlib import ExitStack
from http.client import HTTPException
from itertools import product
from pathlib import Path

import psutil
from kafka.errors import KafkaError
from msgspec import MsgspecError

from benchmarks.fanout.centrifugo import VERSION
from benchmarks.fanout.limits import allow_files, cores, pinned
from benchmarks.fanout.measuring import measured
from benchmarks.fanout.results import TITLES, Plan, Round, bars, notes, rows
from benchmarks.fanout.servers import unavailable
from benchmarks.report import Report
from benchmarks.stack import broker

WARM_UP_S = 5.0
PACKAGES = ("fastapi", "kafka-python", "starlette", "uvicorn", "uvloop", "websockets")


def main(
    clients: list[int],
    rates: list[float],
    servers: list[str],
    seconds: float,
    rounds: int,
    out: Path | None,
    warm_up_s: float = WARM_UP_S,
) -> list[Round]:
    """Measure each case once a round, and print a line for each and the medians."""
    allow_files(max(clients))
    report = Report("fanout", _configuration(clients, rates, seconds, rounds), PACKAGES, out)
    missing = {name: why for name in servers if (why := unavailable(name)) is not None}
    report.versions["centrifugo"] = VERSION
    here = [name for name in servers if name not in missing]
    found: list[Round] = []
    # Everything but the server stays off the server's core: publisher, broker and clients.
    with ExitStack() as stack:
        stack.enter_context(pinned(cores()[1]))
        kafka = stack.enter_context(broker()) if "clickwake" in here else None
        cases = list(product(range(1, rounds + 1), clients, rates, here))
        for done, (number, count, rate, name) in enumerate(cases, start=1):
            report.say(f"{done} of {len(cases)}: {name}, {count:,} clients, {rate:g}/s")
            plan = Plan(clients=count, rate=rate, seconds=seconds, warm_up_s=warm_up_s)
            try:
                one = measured(plan, name, number, kafka)
            except FAILURES as error:
                # One server that breaks down must not take the others' results with it.
                one = Round(
                    server=name,
                    number=number,
                    clients=count,
                    rate=rate,
                    failure=str(error) or type(error).__name__,
                )
            found.append(one)
            report.add(one)
    report.plot("Fan-out: from a frame's making to the client, 99th percentile", bars(found))
    report.table(TITLES, rows(found), notes(found, missing))
    return found


FAILURES = (SystemExit, OSError, HTTPException, KafkaError, MsgspecError, psutil.Error)
"""What a server that is asked too much of makes of a round."""


def _configuration(
    clients: list[int], rates: list[float], seconds: float, rounds: int
) -> dict[str, str]:
    return {
        "clients": ", ".join(map(str, clients)),
        "updates a second": ", ".join(f"{rate:g}" for rate in rates),
        "seconds": f"{seconds:g}",
        "rounds": str(rounds),
        "server's core": ", ".join(map(str, cores()[0])),
        "other cores": ", ".join(map(str, cores()[1])),
    }
