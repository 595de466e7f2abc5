"""Where things are: the project, its cache, and one stack's data."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from contracts.settings import from_environment
from infra.settings import InfraSettings

PROJECT = Path(__file__).resolve().parents[1]


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """The folders of one stack. ``cache`` can be downloaded again; ``data`` cannot."""

    project: Path = PROJECT
    cache: Path = PROJECT / ".clickwake" / "cache"
    data: Path = PROJECT / ".clickwake" / "data"

    @property
    def work(self) -> Path:
        """What belongs to this checkout and to no stack: set-up records and logs."""
        return self.project / ".clickwake"

    @property
    def logs(self) -> Path:
        """One log file a process."""
        return self.data / "logs"

    @property
    def run(self) -> Path:
        """The lock and the state of the stack that runs now."""
        return self.data / "run"

    @property
    def state_file(self) -> Path:
        """What runs: see ``infra.state``."""
        return self.run / "stack.json"

    @property
    def lock_file(self) -> Path:
        """Held for as long as a supervisor runs on this data."""
        return self.run / "lock"

    @property
    def hold_file(self) -> Path:
        """Who keeps a process of the stack from running: see ``infra.hold``."""
        return self.run / "hold.json"

    @property
    def steering(self) -> Path:
        """Where the demo's studio leaves its wishes: see ``contracts.steering``."""
        return self.run / "steering"

    @property
    def savepoints(self) -> Path:
        """Where savepoints are kept unless ``--folder`` says otherwise."""
        return self.data / "savepoints"

    @property
    def imports(self) -> Path:
        """Where it is kept how far imports of log files are."""
        return self.data / "imports"

    @property
    def backfills(self) -> Path:
        """Where the API leaves orders of backfills: see ``infra.orders``."""
        return self.data / "backfills"

    @property
    def dashboard(self) -> Path:
        """The dashboard's sources."""
        return self.project / "frontend" / "dashboard"

    def log(self, name: str) -> Path:
        """The log file of the process with that name."""
        return self.logs / f"{name}.log"


def places(data: Path | None = None, environ: Mapping[str, str] = os.environ) -> Places:
    """The default places, but for what ``CLICKWAKE_INFRA_*`` and then ``data`` say.

    Raises ContractError naming a variable that is unknown.
    """
    known, settings = Places(), from_environment(InfraSettings, "INFRA", environ)
    chosen = data or (Path(settings.data) if settings.data else known.data)
    return Places(
        cache=Path(settings.cache).absolute() if settings.cache else known.cache,
        data=chosen.absolute(),
    )
