"""The interceptor: what it adds to a request in process, and what a server does with it."""

from contextlib import ExitStack
from pathlib import Path

import msgspec
import psutil

from benchmarks import choosing
from benchmarks.fanout.limits import allow_files, cores, give_way, pinned
from benchmarks.interceptor import in_process, served
from benchmarks.interceptor.results import (
    IN_PROCESS_TITLES,
    SERVED_TITLES,
    InProcess,
    Served,
    in_process_bars,
    in_process_rows,
    notes,
    served_bars,
    served_rows,
)
from benchmarks.interceptor.served import Plan
from benchmarks.report import Report
from benchmarks.stack import running_broker
from infra.kafka_broker import EmbeddedBroker

PACKAGES = ("httptools", "kafka-python", "starlette", "uvicorn", "uvloop")
PARTS = ("in-process", "served")
FAILURES = (SystemExit, OSError, msgspec.MsgspecError, psutil.Error)
"""What a server that does not answer makes of a round."""


def chosen(names: str) -> list[str]:
    """Those of a comma-separated list; both when it is empty."""
    return choosing.chosen(names, PARTS, "part")


def main(
    requests: int, plan: Plan, rounds: int, parts: list[str], out: Path | None
) -> tuple[list[InProcess], list[Served]]:
    """Measure each case once a round, and print a line for each and the medians."""
    allow_files(plan.connections)
    report = Report("interceptor", _configuration(requests, plan, rounds), PACKAGES, out)
    called: list[InProcess] = []
    asked: list[Served] = []
    with ExitStack() as stack:
        # Everything but what is measured stays off its core: broker and client.
        stack.enter_context(pinned(cores()[1]))
        broker = stack.enter_context(running_broker())
        # The client shares its core with the broker, and must not be what is waited for.
        give_way(broker.pid)
        for number in range(1, rounds + 1):
            report.say(f"round {number} of {rounds}")
            if "in-process" in parts:
                called += _in_process(report, requests, number, broker)
            if "served" in parts:
                asked += _served(report, plan, number, broker)
    _told(report, called, asked)
    return called, asked


def _in_process(
    report: Report, requests: int, number: int, broker: EmbeddedBroker
) -> list[InProcess]:
    found = []
    for one in in_process.measured(requests, number, broker.settings):
        report.add(one)
        found.append(one)
    return found


def _served(report: Report, plan: Plan, number: int, broker: EmbeddedBroker) -> list[Served]:
    found = []
    for name in served.CASES:
        try:
            one = served.measured(plan, name, number, broker)
        except FAILURES as error:
            # One server that breaks down must not take the others' results with it.
            one = Served(case=name, number=number, failure=str(error) or type(error).__name__)
        report.add(one)
        found.append(one)
    return found


def _told(report: Report, called: list[InProcess], asked: list[Served]) -> None:
    if called:
        bars = in_process_bars(called, in_process.CASES)
        report.plot("Interceptor: added to a request in process, median", bars, "in-process")
        report.table(IN_PROCESS_TITLES, in_process_rows(called, in_process.CASES))
    if asked:
        bars = served_bars(asked, served.TITLES)
        report.plot("Interceptor: requests a second of a uvicorn on one core", bars)
        rows = served_rows(asked, served.TITLES)
        report.table(SERVED_TITLES, rows, notes(asked, served.TITLES))


def _configuration(requests: int, plan: Plan, rounds: int) -> dict[str, str]:
    return {
        "requests in process": str(requests),
        "requests a second of the modest load": f"{plan.rate:g}",
        "seconds of each load": f"{plan.seconds:g}",
        "connections": str(plan.connections),
        "rounds": str(rounds),
        "server's core": ", ".join(map(str, cores()[0])),
        "other cores": ", ".join(map(str, cores()[1])),
    }
