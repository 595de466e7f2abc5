"""All checks in their order. One that fails itself is a finding, not an end."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from contracts.base import ContractError
from contracts.findings import Finding, problem
from contracts.kafka import KafkaSettings
from contracts.settings import from_environment
from infra.doctor import files, machine, parts, running
from infra.doctor import kafka as broker
from infra.launching import EXTERNAL_KAFKA
from infra.paths import Places
from infra.ports import API_PORT, KAFKA_PORT, SITE_PORT
from infra.processes import is_running
from infra.stack import checkpoint_of
from infra.state import StackState, read_state

PORTS = {8010: SITE_PORT, 8020: API_PORT, 19092: KAFKA_PORT}


class Examination:
    """Looks at the stack of a data folder, whether or not it runs."""

    def __init__(self, places: Places, environ: Mapping[str, str]) -> None:
        self._places = places
        self._environ = environ
        self._state = read_state(places.state_file)
        self._runs = self._state is not None and is_running(self._state.supervisor)

    def findings(self) -> Iterator[Finding]:
        """As they come: the machine first, then what runs on it."""
        here, environ = self._places, self._environ
        yield from _looked("java", lambda: [machine.java(environ)])
        yield from _looked("jars", lambda: [machine.jars(here)])
        yield from _looked("disk", lambda: [machine.disk(here.data)])
        yield from _looked("memory", lambda: [machine.memory(self._runs)])
        yield from _looked("folders", lambda: machine.folders(here))
        yield from _looked("geo", lambda: files.geo(here, environ, time.time()))
        yield from _looked("spool", lambda: files.spools(environ))
        yield from _looked("stack", lambda: [running.stack(self._state)])
        if self._state is not None and self._runs:
            yield from self._running(self._state)
        else:
            yield from _looked("ports", lambda: machine.ports(PORTS))
            folder = Path(checkpoint_of(here, environ))
            yield from _looked("checkpoint", lambda: [parts.checkpoint(folder, environ)])
            yield from _looked("history database", lambda: [parts.database(here, environ)])
        yield from _looked("Kafka", self._kafka)

    def _running(self, state: StackState) -> Iterator[Finding]:
        """Job and API look after checkpoint and database themselves, and say so."""
        yield from _looked("processes", lambda: running.processes(state))
        address = state.addresses.get("Dashboard")
        if address is not None:
            yield from _looked("API", lambda: running.api(address))

    def _kafka(self) -> Iterator[Finding]:
        """That of the running stack, or one that the environment names; else there is none."""
        settings = from_environment(KafkaSettings, "KAFKA", self._environ)
        is_external = EXTERNAL_KAFKA in self._environ
        if self._runs and self._state is not None and not is_external:
            settings = KafkaSettings(
                bootstrap_servers=self._state.kafka, topic_prefix=self._state.topic_prefix
            )
        elif not is_external:
            return
        found, told = broker.kafka(settings, is_ours=not is_external)
        yield from found
        if found[0].level == "ok":
            yield from broker.job(told, int(time.time() * 1000), must_run=self._runs)


def _looked(check: str, look: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    try:
        yield from look()
    except ContractError as error:
        yield problem(check, f"A setting is wrong: {error}.", "Correct or unset the variable.")
    except Exception as error:
        what = f"This could not be looked at: {type(error).__name__}: {error}."
        yield problem(check, what, "See whether its files and folders can be read, or report it.")
