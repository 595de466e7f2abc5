"""From the command line's words to a running stack, in the foreground or detached."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import BinaryIO

import msgspec

from contracts.kafka import KafkaSettings
from contracts.settings import from_environment
from infra.errors import InfraError
from infra.handover import require_a_key
from infra.kafka_config import HOST, BrokerLayout
from infra.paths import Places
from infra.ports import API_PORT, KAFKA_PORT, SITE_PORT, free_ports, require_free
from infra.preparation import Prepared, prepare
from infra.rotation import rotate
from infra.running import Runner, end_leftover_processes
from infra.stack import API_HOST, Kind, Stack
from infra.start import Start, begin_at
from infra.state import running_state, stack_lock
from infra.steps import Steps
from infra.system import require_disk
from infra.topics import ensure_topics

EXTERNAL_KAFKA = "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS"
KEYS_NEEDED = frozenset({API_HOST, "CLICKWAKE_API_REQUIRE_KEYS"})
"""Settings with which the API may need keys."""

DATA_BYTES = 500_000_000
"""Room for the topics, checkpoint and history of some days of a small site."""

DETACH_SECONDS = 900.0
POLL_SECONDS = 0.1


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What the operator asked for."""

    kind: Kind
    places: Places
    port_site: int = 8010
    port_api: int = 8020
    port_kafka: int = 19092
    traffic: bool = True
    start: Start = Start()


def run(wish: Wish) -> None:
    """Set up what is missing and run the stack until Ctrl-C or SIGTERM.

    Raises InfraError when it cannot be set up or started.
    """
    kafka, is_external = kafka_of(wish, os.environ)
    with Steps() as steps, stack_lock(wish.places.lock_file):
        require_disk(wish.places.data, DATA_BYTES)
        end_leftover_processes(wish.places)
        environ = begin_at(wish.start, wish.places, os.environ, steps)
        require_ports(wish, is_external)
        if wish.kind != "job" and not KEYS_NEEDED.isdisjoint(environ):
            require_a_key(wish.places, environ)
        prepared = prepare(wish.places, steps, dashboard=wish.kind != "job")
        if is_external:
            _external_topics(kafka, steps)
        broker = None if is_external else _broker(wish, prepared)
        Runner(_stack(wish, prepared, kafka, broker, environ), steps).run()


def kafka_of(wish: Wish, environ: Mapping[str, str]) -> tuple[KafkaSettings, bool]:
    """The Kafka to use, and whether it is the operator's own, named in the environment.

    ``job`` alone always runs against the operator's.
    """
    settings = from_environment(KafkaSettings, "KAFKA", environ)
    if EXTERNAL_KAFKA in environ or wish.kind == "job":
        return settings, True
    embedded = KafkaSettings(
        bootstrap_servers=f"{HOST}:{wish.port_kafka}", topic_prefix=settings.topic_prefix
    )
    return embedded, False


def require_ports(wish: Wish, is_external: bool) -> None:
    """Raise InfraError naming the first port that is taken, before anything is set up."""
    if wish.kind == "demo":
        require_free(wish.port_site, SITE_PORT)
    if wish.kind != "job":
        require_free(wish.port_api, API_PORT)
    if not is_external:
        require_free(wish.port_kafka, KAFKA_PORT)


def _external_topics(kafka: KafkaSettings, steps: Steps) -> None:
    with steps.step(f"Topics in Kafka at {kafka.bootstrap_servers}") as step:
        created = ensure_topics(kafka)
        step.done(f"{len(created)} created" if created else "all there")


def _broker(wish: Wish, prepared: Prepared) -> BrokerLayout:
    return BrokerLayout(
        folder=wish.places.data / "kafka",
        jars=prepared.jars,
        java=prepared.java,
        port=wish.port_kafka,
        controller_port=free_ports(1)[0],
    )


def _stack(
    wish: Wish,
    prepared: Prepared,
    kafka: KafkaSettings,
    broker: BrokerLayout | None,
    environ: Mapping[str, str],
) -> Stack:
    return Stack(
        kind=wish.kind,
        places=wish.places,
        prepared=prepared,
        kafka=kafka,
        broker=broker,
        environ=environ,
        port_site=wish.port_site,
        port_api=wish.port_api,
        traffic=wish.traffic,
    )


def run_detached(wish: Wish, arguments: Sequence[str]) -> int:
    """Run ``infra.cli`` with these arguments in the background; the exit status.

    Shows its lines until it serves (0), or has ended (its own status).
    """
    log = wish.places.log("supervisor")
    log.parent.mkdir(parents=True, exist_ok=True)
    rotate(log)
    with log.open("ab") as output, log.open("rb") as shown:
        shown.seek(0, os.SEEK_END)
        process = subprocess.Popen(
            [sys.executable, "-m", "infra.cli", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            return _show_until_served(process, wish.places, shown)
        except KeyboardInterrupt:
            # Whoever gives up waiting does not want half a stack in the background.
            _end_group(process)
            raise


def _show_until_served(process: "subprocess.Popen[bytes]", places: Places, log: BinaryIO) -> int:
    deadline = time.monotonic() + DETACH_SECONDS
    while time.monotonic() < deadline:
        ended, served = process.poll() is not None, _is_serving(process.pid, places)
        sys.stdout.write(log.read().decode(errors="replace"))
        sys.stdout.flush()
        if ended:
            return process.returncode
        if served:
            return 0
        time.sleep(POLL_SECONDS)
    _end_group(process)
    raise InfraError(f"The stack was not ready in time; {places.log('supervisor')} says why.")


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """End the supervisor and what it set up with; its stack it stops itself."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    process.wait()


def _is_serving(pid: int, places: Places) -> bool:
    state = running_state(places.state_file)
    return state is not None and state.supervisor.pid == pid and state.status == "serving"
