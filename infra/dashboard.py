"""Build the dashboard when its sources changed since the last build."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

from infra.errors import InfraError
from infra.node import Node
from infra.paths import Places

NOT_SOURCES = frozenset({"node_modules", "dist", ".vite", "coverage"})


def _silent(text: str) -> None:
    """Nobody wants to know."""


def built_folder(places: Places) -> Path:
    """Where the built files are."""
    return places.dashboard / "dist"


def is_built(places: Places) -> bool:
    """Whether the built files are those of the present sources."""
    if not (places.dashboard / "package.json").is_file():
        return False
    has_page = (built_folder(places) / "index.html").is_file()
    return has_page and _read(_record(places)) == sources_checksum(places.dashboard)


def ensure_dashboard(places: Places, node: Node, tell: Callable[[str], None] = _silent) -> Path:
    """The folder of the built files, built if needed. Raises InfraError with npm's reason."""
    source = places.dashboard
    if not (source / "package.json").is_file():
        raise InfraError(f"The dashboard's sources are missing: restore {source} with git.")
    if is_built(places):
        return built_folder(places)
    # Before the build: a change that comes during it must lead to another one.
    checksum = sources_checksum(source)
    tell("npm ci")
    ensure_packages(places, node)
    tell("npm run build")
    node.run(["run", "build"], source)
    _record(places).parent.mkdir(parents=True, exist_ok=True)
    _record(places).write_text(checksum)
    return built_folder(places)


def _record(places: Places) -> Path:
    return places.work / "dashboard.checksum"


def ensure_packages(places: Places, node: Node) -> None:
    """Install the dashboard's npm packages when its lock file changed."""
    source = places.dashboard
    record = source / "node_modules" / ".clickwake-lock"
    checksum = hashlib.sha256((source / "package-lock.json").read_bytes()).hexdigest()
    if _read(record) == checksum:
        return
    node.run(["ci", "--no-audit", "--no-fund"], source)
    record.write_text(checksum)


def sources_checksum(folder: Path) -> str:
    """A checksum over the names and contents of all source files."""
    digest = hashlib.sha256()
    for file in _source_files(folder):
        digest.update(f"{file.relative_to(folder)}\0{file.stat().st_size}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _source_files(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.name in NOT_SOURCES:
            continue
        if entry.is_dir():
            yield from _source_files(entry)
        elif entry.is_file():
            yield entry


def _read(file: Path) -> str | None:
    try:
        return file.read_text()
    except OSError:
        return None
