"""Salts in files that the processes of one machine share, also when Kafka is away."""

import contextlib
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from interceptor.salts import day_number, day_text

NAME_END = ".clickwake-salt"
"""What the files end with: the folder may hold others, and another site's."""
FOLDER_MODE = 0o700
SALT = re.compile(rb"[0-9a-f]{64}\n", re.ASCII)


class SaltFolder:
    """One file a day and site, which appears whole or not at all; whoever is first wins.

    All methods raise OSError.
    """

    def __init__(self, path: Path, site_id: str) -> None:
        self._path, self._site_id = path, site_id

    def agree(self, proposals: Mapping[int, bytes]) -> dict[int, bytes]:
        """The salts of all days that have one, after the proposals have become files.

        A proposal for a day that has a file already is void.
        """
        self._path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        found = self._read()
        for day, salt in proposals.items():
            if day not in found:
                self._create(day, salt)
        return found if found.keys() >= proposals.keys() else self._read()

    def correct(self, salts: Mapping[int, bytes]) -> None:
        """Make the files say what the processes of all machines have agreed on."""
        found = self._read()
        for day, salt in salts.items():
            if found.get(day) != salt:
                self._written(salt).replace(self._file(day))

    def forget(self, before: int) -> None:
        """Delete the salts of earlier days."""
        for day, file in self._days().items():
            if day < before:
                file.unlink(missing_ok=True)

    def _read(self) -> dict[int, bytes]:
        found = {}
        for day, file in self._days().items():
            with contextlib.suppress(FileNotFoundError):
                content = file.read_bytes()
                if SALT.fullmatch(content):
                    found[day] = bytes.fromhex(content.decode())
                else:
                    # A disk that lost power, or an editor: it is worth nothing to anybody.
                    file.unlink(missing_ok=True)
        return found

    def _days(self) -> dict[int, Path]:
        """The site's files by day. Names of other sites do not parse as a day."""
        begin, found = f"{self._site_id}.", {}
        for file in self._path.glob(f"*{NAME_END}"):
            if file.name.startswith(begin):
                with contextlib.suppress(ValueError):
                    found[day_number(file.name[len(begin) : -len(NAME_END)])] = file
        return found

    def _create(self, day: int, salt: bytes) -> None:
        new = self._written(salt)
        try:
            # Unlike a rename, a link does not replace what somebody else was quicker to make.
            with contextlib.suppress(FileExistsError):
                os.link(new, self._file(day))
        finally:
            new.unlink()

    def _written(self, salt: bytes) -> Path:
        """A new file, readable by its owner only, that is on the disk."""
        descriptor, name = tempfile.mkstemp(suffix=".new", dir=self._path)
        with open(descriptor, "wb") as file:
            file.write(salt.hex().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        return Path(name)

    def _file(self, day: int) -> Path:
        return self._path / f"{self._site_id}.{day_text(day)}{NAME_END}"
