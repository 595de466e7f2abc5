"""The package installer that ``./clickwake`` set the environment up with."""

import shutil
from pathlib import Path

from infra.errors import InfraError


def find_uv(project: Path) -> str:
    """uv on PATH, or the private one. Raises InfraError when there is neither."""
    private = project / ".clickwake" / "bootstrap" / "bin" / "uv"
    found = shutil.which("uv") or (str(private) if private.exists() else None)
    if found is None:
        raise InfraError("uv is missing: remove the folder .venv and run the same command again.")
    return found
