"""A folder that at most one living process holds, whoever made it."""

import contextlib
import os
import tempfile
from pathlib import Path

from contracts.spool import SPOOL_EVENTS, SPOOL_LOCK, SPOOL_NAME_END

LOCK = SPOOL_LOCK
NAME_END = SPOOL_NAME_END
OURS = (LOCK, "state.json", "state.json.new", SPOOL_EVENTS)
"""All that is ever deleted in it."""
FOLDER_MODE = 0o700
FILE_MODE = 0o600


class Folder:
    """Held from ``create`` or ``seize`` until ``release`` or ``remove``.

    The hold is a ``flock`` on its file ``lock``. The kernel drops it when the process ends,
    however it ends, so a folder that can be seized has nobody any more.
    """

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock

    @classmethod
    def create(cls, directory: Path, name: str) -> "Folder":
        """A new one, its name beginning with ``name``. Raises OSError."""
        directory.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        while True:
            path = Path(tempfile.mkdtemp(prefix=f"{name}.", suffix=NAME_END, dir=directory))
            os.close(os.open(path / LOCK, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE))
            # Just before this, another process may take it for an orphan and remove it.
            folder = cls.seize(path)
            if folder is not None:
                return folder

    @classmethod
    def seize(cls, path: Path) -> "Folder | None":
        """Hold an existing one; None when somebody does, or it is not this user's. OSError."""
        try:
            if path.lstat().st_uid != os.geteuid():
                return None
            lock = os.open(path / LOCK, os.O_RDWR | os.O_NOFOLLOW)
        except (FileNotFoundError, NotADirectoryError):
            return None
        folder, is_ours = cls(path, lock), False
        try:
            is_ours = _locks(lock) and _is_file(lock, path / LOCK)
        finally:
            if not is_ours:
                folder.release()
        return folder if is_ours else None

    def release(self) -> None:
        """Let others seize it. After a fork, in the child: the parent still holds it."""
        with contextlib.suppress(OSError):
            os.close(self._lock)

    def sync(self) -> None:
        """Its files' names onto the disk itself. Raises OSError."""
        descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def remove(self) -> None:
        """Delete it with what is ours in it. Raises OSError, and is released all the same."""
        try:
            for file in self.path.iterdir():
                if file.name != LOCK and any(map(file.match, OURS)):
                    file.unlink()
            # Last, so that nobody seizes a folder that still has something in it.
            (self.path / LOCK).unlink()
            # Somebody put something else in there: it stays, and the folder is no spool any more.
            with contextlib.suppress(OSError):
                self.path.rmdir()
        finally:
            self.release()


def _locks(descriptor: int) -> bool:
    # Here, because there is none on Windows, where all but the spool works.
    import fcntl  # noqa: PLC0415

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_file(descriptor: int, path: Path) -> bool:
    """Whether the file has still this name: its folder may have been removed meanwhile."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def folders_in(directory: Path) -> list[Path]:
    """All spools' folders, the oldest first as far as their names tell. Raises OSError."""
    if not directory.exists():
        return []
    found = (path for path in directory.iterdir() if path.name.endswith(NAME_END))
    return sorted(path for path in found if path.is_dir() and not path.is_symlink())
