"""What a process tree takes, and that nothing of it outlives the measurement."""

import os
import sys
from pathlib import Path

import psutil

from benchmarks.compare.measuring import measured

PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
child.wait()
"""


def test_a_process_that_is_too_slow_ends_with_its_children(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    taken = measured([sys.executable, "-c", PARENT], dict(os.environ), log, limit=1.5)
    assert taken.timed_out
    assert taken.memory_mb > 0
    child = int(log.read_text())
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == "zombie"


def test_cpu_and_memory_are_counted_also_of_what_ends_between_two_looks(tmp_path: Path) -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    taken = measured([sys.executable, "-c", busy], dict(os.environ), tmp_path / "run.log", 60)
    assert (taken.exit_status, taken.timed_out) == (0, False)
    assert taken.cpu_s >= 0.3
    assert taken.memory_mb > 1
