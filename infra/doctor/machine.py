"""The machine under the stack: Java, jars, disk, memory, folders, ports. Changes nothing."""

import shutil
import stat
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import psutil

from contracts.findings import Finding, ok, problem, warning
from infra.errors import InfraError
from infra.jars import JAR_SETS, JarSet, is_complete
from infra.java import find_java
from infra.paths import Places
from infra.ports import PortUse, is_free

MEGABYTE = 1_000_000
FULL_BYTES = 500 * MEGABYTE
SCARCE_BYTES = 2_000 * MEGABYTE
STACK_MEMORY = 2_000 * MEGABYTE
SPARE_MEMORY = 200 * MEGABYTE


def java(environ: Mapping[str, str]) -> Finding:
    """A runtime that Kafka and Spark both run on."""
    try:
        found = find_java(environ)
    except InfraError as error:
        what, _, todo = str(error).partition(": ")
        return problem("java", f"{what}.", f"{todo[:1].upper()}{todo[1:]}")
    return ok("java", f"Java {found.version} in {found.home}.")


def jars(places: Places) -> Finding:
    """Kafka's and Spark's jars in just the versions that this one wants."""
    wrong = [text for one in JAR_SETS for text in _wrong_in(places.cache / "jars", one)]
    if wrong:
        what = f"Jars are missing or broken: {', '.join(wrong)}."
        todo = f"Delete {places.cache / 'jars'} and run `./clickwake setup`, which downloads them."
        return problem("jars", what, todo)
    return ok("jars", f"All {len(JAR_SETS)} sets are whole.")


def _wrong_in(folder: Path, one: JarSet) -> Iterator[str]:
    if not is_complete(folder, one):
        yield f"the set {one.name}"
        return
    for root in one.roots:
        _, name, version = root.split(":")
        if not zipfile.is_zipfile(folder / one.name / f"{name}-{version}.jar"):
            yield f"{one.name}/{name}-{version}.jar"
    for jar in sorted((folder / one.name).glob("*.jar")):
        if not zipfile.is_zipfile(jar) and not _is_root(one, jar):
            yield f"{one.name}/{jar.name}"


def _is_root(one: JarSet, jar: Path) -> bool:
    return any(jar.stem == "-".join(root.split(":")[1:]) for root in one.roots)


def disk(folder: Path, free_of: Callable[[Path], int] | None = None) -> Finding:
    """Room on the disk of the data. ``free_of`` says how many bytes are free."""
    there = _nearest(folder)
    free = free_of(there) if free_of else shutil.disk_usage(there).free
    what = f"{free / 1e9:.1f} GB are free on the disk of {folder}."
    todo = "Make room, or move the data with --data or CLICKWAKE_INFRA_DATA."
    if free < FULL_BYTES:
        return problem("disk", what, todo)
    if free < SCARCE_BYTES:
        return warning("disk", what, todo)
    return ok("disk", what)


def memory(is_running: bool, available: int | None = None) -> Finding:
    """Whether the stack fits, or what runs has some left."""
    if available is None:
        available = psutil.virtual_memory().available
    what = f"{available / 1e9:.1f} GB of memory are available."
    if available < (SPARE_MEMORY if is_running else STACK_MEMORY):
        todo = "End other programs, or set a smaller CLICKWAKE_JOB_DRIVER_MEMORY."
        return warning("memory", what, todo)
    return ok("memory", what)


def folders(places: Places) -> Iterator[Finding]:
    """Whether this user can write where the stack must."""
    both = (("data", places.data), ("cache", places.cache))
    for title, folder in both:
        name, variable = f"{title} folder", f"CLICKWAKE_INFRA_{title.upper()}"
        why = _unwritable(folder)
        if why:
            todo = f"Run as the user who owns it, or choose another with {variable}."
            yield problem(name, f"{folder} cannot be written: {why}.", todo)
        else:
            yield ok(name, f"{folder} can be written.")
    yield from _secret(places.data / "site-secret")


def _unwritable(folder: Path) -> str | None:
    try:
        with tempfile.TemporaryFile(dir=_nearest(folder)):
            return None
    except OSError as error:
        return error.strerror or str(error)


def _nearest(folder: Path) -> Path:
    while not folder.exists():
        folder = folder.parent
    return folder


def _secret(file: Path) -> Iterator[Finding]:
    if file.exists() and stat.S_IMODE(file.stat().st_mode) & 0o077:
        what = f"{file}, the key of the demo site's visitor ids, can be read by others."
        yield warning("site secret", what, f"chmod 600 {file}")


def ports(wanted: Mapping[int, PortUse]) -> Iterator[Finding]:
    """Whether a stack that is to start finds its ports free."""
    for port, use in wanted.items():
        name = f"port {port}"
        if is_free(port):
            yield ok(name, f"It is free for the {use.what}.")
        else:
            todo = f"End the program that listens on it, or choose another with {use.option}."
            what = f"Somebody listens on it, which the {use.what} needs when a stack starts here."
            yield warning(name, what, todo)
