"""Find a Java runtime that Kafka 4.2 and Spark 4.2 both run on: 17 or 21."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from infra.errors import InfraError

SUPPORTED = (17, 21)
PACKAGE = "openjdk-17-jre-headless"
FOLDER_OF_RUNTIMES = Path("/usr/lib/jvm")


class Java(msgspec.Struct, frozen=True, kw_only=True):
    """A runtime: its folder, its major version, its ``java`` command."""

    home: Path
    version: int

    @property
    def command(self) -> str:
        """The path of the ``java`` binary."""
        return str(self.home / "bin" / "java")


def major_version(text: str) -> int | None:
    """The major version in what ``java -version`` prints; None when it is not there.

    ``openjdk version "17.0.15"`` → 17; the old ``java version "1.8.0_402"`` → 8.
    """
    match = re.search(r'version "(\d+)(?:\.(\d+))?', text)
    if match is None:
        return None
    first, second = int(match[1]), match[2]
    return int(second) if first == 1 and second else first


def find_java(environ: Mapping[str, str] = os.environ) -> Java:
    """The first supported runtime: JAVA_HOME, then PATH, then /usr/lib/jvm.

    Raises InfraError that names what was found instead, or what to install.
    """
    unsupported: list[str] = []
    for home in _candidates(environ):
        version = _version_of(home)
        if version in SUPPORTED:
            return Java(home=home, version=version)
        if version is not None:
            unsupported.append(f"Java {version} in {home}")
    if unsupported:
        raise InfraError(
            f"Clickwake needs a Java 17 or 21 runtime but found {', '.join(unsupported)}: "
            f"install one (Debian: {PACKAGE}) or point JAVA_HOME at it."
        )
    raise InfraError(
        f"Clickwake needs a Java 17 or 21 runtime: install one (Debian: {PACKAGE}) "
        "or point JAVA_HOME at it."
    )


def _candidates(environ: Mapping[str, str]) -> Iterator[Path]:
    seen: set[Path] = set()
    for home in _unchecked_candidates(environ):
        real = home.resolve()
        if real not in seen and (real / "bin" / "java").is_file():
            seen.add(real)
            yield real


def _unchecked_candidates(environ: Mapping[str, str]) -> Iterator[Path]:
    if environ.get("JAVA_HOME"):
        yield Path(environ["JAVA_HOME"])
    on_path = shutil.which("java", path=environ.get("PATH"))
    if on_path:
        yield Path(on_path).resolve().parent.parent
    if FOLDER_OF_RUNTIMES.is_dir():
        yield from sorted(FOLDER_OF_RUNTIMES.iterdir())


def _version_of(home: Path) -> int | None:
    try:
        done = subprocess.run(
            [str(home / "bin" / "java"), "-version"],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return major_version(done.stderr + done.stdout)
