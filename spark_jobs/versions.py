"""Which code is running."""

import subprocess
import sys
import tomllib

from pyspark import __version__ as spark_version

from spark_jobs.spark import PACKAGE_ROOT


def versions() -> dict[str, str]:
    """Clickwake's and its commit's (empty outside a checkout), Spark's, Python's."""
    return {
        "clickwake": clickwake_version(),
        "commit": _commit(),
        "spark": str(spark_version),
        "python": sys.version.split()[0],
    }


def spark_line(version: str = str(spark_version)) -> str:
    """Major and minor: within them Spark reads its own checkpoints."""
    return ".".join(version.split(".")[:2])


def clickwake_version() -> str:
    """As the project declares it; "" when that file is not there."""
    file = PACKAGE_ROOT / "pyproject.toml"
    return str(tomllib.loads(file.read_text())["project"]["version"]) if file.exists() else ""


def _commit() -> str:
    try:
        done = subprocess.run(  # noqa: S603 (fixed words)
            ["git", "-C", str(PACKAGE_ROOT), "rev-parse", "HEAD"],  # noqa: S607
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    return done.stdout.strip()
