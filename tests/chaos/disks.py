"""Small disks that can be filled: a tmpfs each, over a folder, where mounting is permitted."""

import subprocess
import tempfile
from functools import cache
from io import FileIO
from pathlib import Path

import psutil

MEBIBYTE = 1024 * 1024
BALLAST = ".ballast"


class Disk:
    """A folder with a file system of its own."""

    def __init__(self, folder: Path, size_mb: int) -> None:
        self.folder = folder
        self._size_mb = size_mb
        self.is_mounted = False

    def mount(self) -> None:
        """Make the folder, and put an empty disk over it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        _mount(self.folder, self._size_mb)
        self.is_mounted = True

    def unmount(self, *, keep: bool) -> None:
        """Let go of the disk; with ``keep``, what is on it goes to the folder beneath."""
        if not self.is_mounted:
            return
        aside = self.folder.with_suffix(".kept")
        if keep:
            subprocess.run(["cp", "-a", "--sparse=always", self.folder, aside], check=False)
        subprocess.run(["umount", "--lazy", self.folder], check=False)
        self.is_mounted = False
        if aside.exists():
            self.folder.rmdir()
            aside.rename(self.folder)

    def fill(self) -> None:
        """Leave no byte free."""
        with (self.folder / BALLAST).open("wb", buffering=0) as ballast:
            for size in (MEBIBYTE, 4096, 1):
                _write_while_possible(ballast, bytes(size))

    def free(self) -> None:
        """Make room again."""
        (self.folder / BALLAST).unlink(missing_ok=True)


def unmount_below(folder: Path) -> None:
    """Let go of the disks that a run which could not do so left under ``folder``."""
    for one in psutil.disk_partitions(all=True):
        if Path(one.mountpoint).is_relative_to(folder):
            subprocess.run(["umount", "--lazy", one.mountpoint], check=False)


def _write_while_possible(file: FileIO, block: bytes) -> None:
    try:
        while file.write(block):
            pass
    except OSError:
        return


def _mount(folder: Path, size_mb: int) -> None:
    command = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m,mode=755", "tmpfs", str(folder)]
    subprocess.run(command, check=True, capture_output=True)


@cache
def why_no_disks() -> str:
    """Empty when disks can be made here; else the reason why not."""
    with tempfile.TemporaryDirectory() as name:
        disk = Disk(Path(name), 1)
        try:
            disk.mount()
        except (OSError, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", b"") or str(error).encode()
            return f"a tmpfs cannot be mounted here ({said.decode().strip()})"
        disk.unmount(keep=False)
    return ""
