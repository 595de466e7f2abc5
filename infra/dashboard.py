"""Build the dashboard when its sources changed since the last build."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from infra.errors import InfraError
from infra.node import Node
from infra.paths import Places

NOT_SOURCES = frozenset({"node_modules", "dist", ".vite", "coverage"})


def ensure_dashboard(places: Places, node: Node) -> Path:
    """The folder of the built files, built if needed. Raises InfraError with npm's reason."""
    source, built = places.dashboard, places.dashboard / "dist"
    if not (source / "package.json").is_file():
        raise InfraError(f"The dashboard's sources are missing: restore {source} with git.")
    record = places.work / "dashboard.checksum"
    checksum = sources_checksum(source)
    if (built / "index.html").is_file() and _read(record) == checksum:
        return built
    ensure_packages(places, node)
    node.run(["run", "build"], source)
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text(checksum)
    return built


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
