"""``python -m tests.fuzz [TARGET …] --seconds 60``: fuzz for a while, fail at what is found.

Atheris is not among the locked packages, since it is large and needs CPython on Linux or macOS:
it is fetched into the cache at the first run. Each target's corpus stays in the cache, so that
the next run goes on from it.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from infra.paths import places
from infra.uv import find_uv
from tests.fuzz.table import TARGETS

ATHERIS = "atheris==3.0.0"
LIMITS = ("-timeout=10", "-max_len=8192", "-print_final_stats=1")
"""An input of so many bytes at most, which may take so many seconds at most."""


def main(arguments: list[str]) -> int:
    """Run the targets one after the other; 1 when one of them failed."""
    parsed = _parser().parse_args(arguments)
    here = places()
    folder = here.cache / "fuzz"
    if not (folder / "packages" / "atheris").is_dir():
        _fetch(here.project, folder / "packages")
    names = parsed.targets or list(TARGETS)
    failed = [name for name in names if _fuzz(name, folder, parsed.seconds) != 0]
    print(f"found something in: {', '.join(failed)}" if failed else "nothing found")
    return 1 if failed else 0


def _fetch(project: Path, packages: Path) -> None:
    packages.mkdir(parents=True, exist_ok=True)
    command = [find_uv(project), "pip", "install", "--python", sys.executable]
    command += ["--quiet", "--no-deps", "--only-binary", ":all:", "--target", str(packages)]
    subprocess.run([*command, ATHERIS], check=True)


def _fuzz(name: str, folder: Path, seconds: int) -> int:
    corpus, found = folder / "corpus" / name, folder / "found"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    for number, seed in enumerate(TARGETS[name].seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    print(f"{name}: {seconds} s, corpus in {corpus}", flush=True)
    options = [f"-max_total_time={seconds}", f"-artifact_prefix={found}/{name}-", *LIMITS]
    path = os.pathsep.join([str(folder / "packages"), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "tests.fuzz.one", name, str(corpus), *options],
        env=os.environ | {"PYTHONPATH": path},
        check=False,
    ).returncode


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default 60)")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
