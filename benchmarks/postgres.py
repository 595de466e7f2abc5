"""A private PostgreSQL cluster: made, started, and thrown away."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from infra.ports import free_ports

_DEBIAN = Path("/usr/lib/postgresql")


class PostgresMissingError(Exception):
    """There is no PostgreSQL, and only root on Debian may install one. Install it."""


class Postgres:
    """A running cluster. PostgreSQL refuses to run as root, so root runs it as ``postgres``."""

    def __init__(self, folder: Path, programs: Path, options: str) -> None:
        self._folder = folder
        self._programs = programs
        self._options = options
        (self._port,) = free_ports(1)
        self.url = f"postgresql://postgres@127.0.0.1:{self._port}/postgres"

    def create(self) -> None:
        """Make the cluster's files."""
        self._run("initdb", "-D", self._data, "-U", "postgres", "-A", "trust", "-E", "UTF8")

    def start(self) -> None:
        """Serve on loopback only."""
        options = f"-p {self._port} -k {self._folder} -c listen_addresses=127.0.0.1 {self._options}"
        log = str(self._folder / "log")
        self._run("pg_ctl", "-D", self._data, "-l", log, "-o", options, "-w", "start")

    def stop(self, mode: str = "fast") -> None:
        """``fast`` closes connections; ``immediate`` is as good as a crash."""
        self._run("pg_ctl", "-D", self._data, "-m", mode, "-w", "stop")

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    def _run(self, program: str, *arguments: str) -> None:
        as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        command = [*as_user, str(self._programs / program), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self._folder)


@contextlib.contextmanager
def private_postgres(options: str = "") -> Iterator[Postgres]:
    """A fresh cluster during the block, with the server's options besides (``-c name=value``).

    Installs PostgreSQL on Debian when root may. Raises PostgresMissingError.
    """
    programs = _programs() or _install()
    folder = Path(tempfile.mkdtemp(prefix="clickwake-postgres-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        postgres = Postgres(folder, programs, options)
        postgres.create()
        postgres.start()
        try:
            yield postgres
        finally:
            with contextlib.suppress(subprocess.CalledProcessError):
                postgres.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path | None:
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    versions = sorted(_DEBIAN.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return versions[-1].parent if versions else None


def _install() -> Path:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise PostgresMissingError("PostgreSQL is missing: install it (Debian: postgresql)")
    # Only the programs are wanted: keep Debian from making and starting a cluster of its own.
    config = Path("/etc/postgresql-common/createcluster.d")
    config.mkdir(parents=True, exist_ok=True)
    (config / "clickwake-tests.conf").write_text("create_main_cluster = false\n")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update"], ["install", "-y", "--no-install-recommends", "postgresql"]):
        subprocess.run(
            ["apt-get", "-qq", *arguments], check=True, env=quiet, stdout=subprocess.DEVNULL
        )
    programs = _programs()
    assert programs is not None
    return programs
