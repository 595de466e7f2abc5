"""A chaos run as a process of its own, so that other tests need not wait while it does.

It is a session of its own, which Ctrl-C does not reach. Whatever it starts carries its data folder
in the environment, and is found by that when the run must end early.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from tests.chaos.disks import unmount_below
from tests.chaos.world import signal_all
from tests.support.job import ROOT
from tests.support.waiting import wait_until

STOP_SECONDS = 30.0
POLL_SECONDS = 0.5


class RunBeside:
    """``python -m tests.chaos`` at work, with all it has in ``folder``, until ``end``."""

    def __init__(self, folder: Path, faults: int, seed: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.data, self.output = folder, folder / "data", folder / "output.txt"
        arguments = [f"--faults={faults}", f"--seed={seed}", f"--data={self.data}"]
        with self.output.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.chaos", *arguments],
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.pid = self._process.pid
        self._failure_is_told = False

    def follow(self, say: Callable[[str], None]) -> int:
        """Its lines up to now and to come, and at its end the exit status.

        0: every promise held. Negative: the signal that ended it.
        """
        with self.output.open() as lines:
            while True:
                status = self._process.poll()
                for line in lines:
                    say(line.rstrip("\n"))
                if status is not None:
                    self._failure_is_told = status != 0
                    return status
                time.sleep(POLL_SECONDS)

    def end(self) -> None:
        """Leave nothing of it, but the folder of a run that has told of its failure."""
        self._process.kill()
        self._process.wait()
        _end_all(self.data)
        unmount_below(self.data)
        if not self._failure_is_told:
            shutil.rmtree(self.folder)


def processes_of(data: Path) -> list[int]:
    """Living processes of the product with their data in ``data``."""
    return [one.pid for one in psutil.process_iter() if _data_of(one) == str(data)]


def _data_of(process: psutil.Process) -> str | None:
    try:
        return process.environ().get("CLICKWAKE_INFRA_DATA")
    except psutil.Error:
        return None


def _end_all(data: Path) -> None:
    """The supervisor, so told, stops what it runs; whoever is deaf or frozen is killed."""
    signal_all(processes_of(data), signal.SIGTERM)
    try:
        wait_until(lambda: not processes_of(data), STOP_SECONDS)
    except AssertionError:
        signal_all(processes_of(data), signal.SIGKILL)
        wait_until(lambda: not processes_of(data), STOP_SECONDS, "the end of the chaos run")
