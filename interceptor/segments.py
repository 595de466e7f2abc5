"""The files of a spool, each a run of frames with a number for its name."""

import contextlib
import os
from itertools import islice
from pathlib import Path

from interceptor.frames import Frame, frames
from interceptor.spool_folder import FILE_MODE

SUFFIX = ".events"


class Segment:
    """``length`` bytes of it are good; ``count`` of its records are still to be read."""

    def __init__(self, path: Path, length: int = 0, count: int = 0, read_at: int = 0) -> None:
        self.path, self.length, self.count, self.read_at = path, length, count, read_at

    @property
    def number(self) -> int:
        """Its place in the order."""
        return int(self.path.stem)

    @classmethod
    def found(cls, path: Path, read_at: int) -> "Segment":
        """One that another process wrote. Raises OSError."""
        data = path.read_bytes()
        return cls(path, len(data), sum(1 for _ in frames(data, read_at)), read_at)

    def next(self, limit: int) -> list[Frame]:
        """Its next readable records. Raises OSError, but not when somebody deleted the file."""
        try:
            with self.path.open("rb") as file:
                data = file.read(self.length)
        except FileNotFoundError:
            return []
        return list(islice(frames(data, self.read_at), limit))

    def delete(self) -> None:
        """Raises OSError."""
        self.path.unlink(missing_ok=True)


class Appender:
    """The end of the newest segment."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW
        self._descriptor = os.open(segment.path, flags, FILE_MODE)

    def append(self, frame: bytes) -> None:
        """Raises OSError; then nothing may follow, since readers stop at a torn frame."""
        rest = memoryview(frame)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        self.segment.length += len(frame)
        self.segment.count += 1

    def sync(self) -> None:
        """Onto the disk itself. Raises OSError."""
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Nothing more is appended."""
        with contextlib.suppress(OSError):
            os.close(self._descriptor)


def segments_in(folder: Path) -> list[Path]:
    """In the order in which they were written. Raises OSError."""
    files = (file for file in folder.iterdir() if file.suffix == SUFFIX and file.stem.isdigit())
    return sorted(files, key=lambda file: int(file.stem))


def segment_path(folder: Path, number: int) -> Path:
    """``00000001.events`` and so on."""
    return folder / f"{number:08d}{SUFFIX}"
