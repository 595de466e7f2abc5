"""Files beside the stack: the geo databases and what sites left on this machine's disk."""

import fcntl
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import maxminddb

from contracts.findings import Finding, note, ok, problem, warning
from contracts.spool import SPOOL_EVENTS, SPOOL_LOCK, SPOOL_NAME_END
from infra.geo import geo_files
from infra.paths import Places

OLD_DAYS = 400
DAY_SECONDS = 86_400
GEO_VARIABLE = "CLICKWAKE_JOB_GEO"
SPOOL_VARIABLE = "CLICKWAKE_SITE_SPOOL_DIRECTORY"


def geo(places: Places, environ: Mapping[str, str], now: float) -> Iterator[Finding]:
    """Whether the databases can be read, and how old they are. ``now``: seconds since 1970."""
    named = [Path(text.strip()) for text in environ.get(GEO_VARIABLE, "").split(",") if text]
    files = named or list(geo_files(places.cache))
    if not files:
        todo = f"`./clickwake setup` fetches one; or point {GEO_VARIABLE} at an MMDB file."
        yield warning("geo", "There is no geo database: sessions get no country.", todo)
    for file in files:
        yield _database(file, now)


def _database(file: Path, now: float) -> Finding:
    try:
        with maxminddb.open_database(file) as reader:
            about = reader.metadata()
    except (OSError, maxminddb.InvalidDatabaseError, ValueError) as error:
        todo = f"Put a whole MMDB file there, or correct {GEO_VARIABLE}, and restart the job."
        return warning("geo", f"{file} cannot be read: {error}.", todo)
    days = int((now - about.build_epoch) / DAY_SECONDS)
    what = f"{file.name} ({about.database_type}) is {days} days old."
    if days > OLD_DAYS:
        return warning("geo", what, "Addresses move: get a newer one, and restart the job.")
    return ok("geo", what)


def spools(environ: Mapping[str, str]) -> Iterator[Finding]:
    """What processes of a site that ended have left for an heir."""
    name = environ.get(SPOOL_VARIABLE)
    if not name:
        return
    directory = Path(name)
    if directory.exists() and not os.access(directory, os.W_OK | os.X_OK):
        todo = f"Let the site's user write it, or set another {SPOOL_VARIABLE}."
        yield problem("spool", f"{directory} cannot be written.", todo)
        return
    if not directory.is_dir():
        yield note("spool", f"{directory} is not there yet: the site's first event makes it.")
        return
    yield _leftovers(directory)


def _leftovers(directory: Path) -> Finding:
    left = [
        folder for folder in sorted(directory.glob(f"*{SPOOL_NAME_END}")) if not _is_held(folder)
    ]
    waiting = {folder: _bytes_in(folder) for folder in left}
    size = sum(waiting.values())
    if size == 0:
        return ok("spool", f"No ended process has left events in {directory}.")
    what = (
        f"{size:,} bytes of events that nobody sends lie in {len(left)} folder(s) of {directory}."
    )
    return warning("spool", what, "Start the site again on this machine: its process sends them.")


def _is_held(folder: Path) -> bool:
    """Whether a living process has it. To look takes the lock for a moment, as an heir would."""
    try:
        lock = os.open(folder / SPOOL_LOCK, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def _bytes_in(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob(SPOOL_EVENTS))
