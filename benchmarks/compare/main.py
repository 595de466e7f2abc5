"""Catch-up, side by side: the same topic through every engine, in interleaved rounds."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from kafka import KafkaConsumer, TopicPartition
from kafka.admin import KafkaAdminClient
from rich.console import Console

from benchmarks.answer import GAP_MS
from benchmarks.compare import plot, table
from benchmarks.compare.engines import Engine
from benchmarks.compare.environments import BENCH, Ready, UnavailableError, ready
from benchmarks.compare.machine import machine
from benchmarks.compare.results import Comparison, Missing, Round, reasons, rows
from benchmarks.compare.running import DELAY_MS, Place, Topic, run
from benchmarks.stack import broker
from benchmarks.workload import Workload, produce
from contracts.kafka import KafkaSettings
from contracts.topics import topic as contract_topic

PARTITIONS = 2
WIDTH = 130
"""Columns that the table needs, also when the output is no terminal."""


def main(
    workload: Workload, rounds: int, engines: tuple[Engine, ...], limit: float, out: Path | None
) -> Comparison:
    """Install, fill, run, report. Returns what it wrote to the folder that it names."""
    console = Console(stderr=True, highlight=False)
    begun = datetime.now(UTC)
    folder = out or BENCH / begun.strftime("%Y-%m-%dT%H-%M-%SZ")
    folder.mkdir(parents=True, exist_ok=True)
    here, missing = _install(engines, console)
    with broker(PARTITIONS) as kafka:
        topics = _fill(kafka, workload, list(here), console)
        results = Comparison(
            begun=begun.isoformat(timespec="seconds"),
            machine=machine(),
            configuration=_configuration(workload, rounds),
            versions={engine.name: found.versions for engine, found in here.items()},
            answers={engine.name: topics[engine.at_most].answer for engine in here},
            rounds=[],
            missing=missing,
        )
        for one in _rounds(here, topics, rounds, Place(folder, limit)):
            results.rounds.append(one)
            console.print(_line(one))
            write(results, engines, folder)
    shown = Console(width=max(WIDTH, console.width))
    shown.print(table.terminal(rows(results, engines), reasons(results)))
    console.print(f"Written to {folder}")
    return results


def write(results: Comparison, engines: tuple[Engine, ...], folder: Path) -> None:
    """results.json, table.md and plot.svg."""
    found = rows(results, engines)
    text = msgspec.json.format(msgspec.json.encode(results), indent=2)
    (folder / "results.json").write_bytes(text)
    (folder / "table.md").write_text(table.markdown(found, reasons(results)))
    title = "Catch-up, events per second: " + results.configuration["workload"]
    (folder / "plot.svg").write_text(plot.svg(found, title))


def _install(
    engines: tuple[Engine, ...], console: Console
) -> tuple[dict[Engine, Ready], list[Missing]]:
    here: dict[Engine, Ready] = {}
    missing = []
    for engine in engines:
        try:
            with console.status(f"installing {engine.title}"):
                here[engine] = ready(engine)
        except UnavailableError as error:
            console.print(f"{engine.title}: not run: {error}", markup=False)
            missing.append(Missing(engine.name, str(error)))
    return here, missing


def _fill(
    kafka: KafkaSettings, workload: Workload, engines: list[Engine], console: Console
) -> dict[int, Topic]:
    """The topic, and a smaller one for each limit that is below its size."""
    topics: dict[int, Topic] = {}
    for most in sorted({engine.at_most for engine in engines}, reverse=True):
        if most >= workload.events and topics:
            topics[most] = next(iter(topics.values()))
            continue
        size = min(most, workload.events)
        visitors = max(1, workload.visitors * size // workload.events)
        smaller = msgspec.structs.replace(workload, events=size, visitors=visitors)
        role = "replay" if size == workload.events else f"sample-{size}"
        with console.status(f"writing {size:,} events"):
            topics[most] = _filled(kafka, smaller, role)
    return topics


def _filled(kafka: KafkaSettings, workload: Workload, role: str) -> Topic:
    name = kafka.topic(role)
    if role != "replay":
        configs = contract_topic("replay").config()
        with _admin(kafka) as admin:
            admin.create_topics({name: {"num_partitions": PARTITIONS, "configs": configs}})
            admin.wait_for_topics([name], timeout_ms=30_000)
    answer = produce(workload, kafka, role, PARTITIONS)
    consumer = KafkaConsumer(**kafka.client_options())
    ends = consumer.end_offsets([TopicPartition(name, number) for number in range(PARTITIONS)])
    consumer.close()
    return Topic(kafka, role, PARTITIONS, sum(ends.values()), answer)


@contextmanager
def _admin(kafka: KafkaSettings) -> Iterator[KafkaAdminClient]:
    admin = KafkaAdminClient(**kafka.client_options())
    try:
        yield admin
    finally:
        admin.close()


def _rounds(
    here: dict[Engine, Ready], topics: dict[int, Topic], rounds: int, place: Place
) -> Iterator[Round]:
    for number in range(1, rounds + 1):
        for engine, found in here.items():
            yield run(engine, found, topics[engine.at_most], number, place)


def _configuration(workload: Workload, rounds: int) -> dict[str, str]:
    return {
        "workload": f"{workload.events:,} events, {workload.visitors:,} visitors, {workload.shape}",
        "seed": str(workload.seed),
        "rounds": str(rounds),
        "partitions": str(PARTITIONS),
        "gap": f"{GAP_MS // 60_000} min",
        "watermark delay of peers": f"{DELAY_MS // 1000} s",
    }


def _line(one: Round) -> str:
    if one.failure:
        return f"round {one.number}: {one.engine}: {one.failure}"
    state = "right" if one.right else _wrong(one)
    return (
        f"round {one.number}: {one.engine}: {one.per_s:,} events/s, {one.seconds:.0f} s in all, "
        f"{one.cpu_s:.0f} s CPU, {one.memory_mb:,} MB, {state}"
    )


def _wrong(one: Round) -> str:
    return f"WRONG ({one.sessions_found:,}, {one.events_found:,}, {one.checksum_found:08x})"
