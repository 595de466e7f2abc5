"""What process trees take: CPU and memory between two moments."""

import time

import psutil


class Usage:
    """CPU and memory of the stack's processes between two moments.

    Each name stands for a process and its children, but those that an earlier name has.
    """

    def __init__(self, pids: dict[str, int]) -> None:
        self._begin = time.monotonic()
        self._trees: dict[str, list[psutil.Process]] = {}
        known: set[psutil.Process] = set()
        for name, pid in pids.items():
            self._trees[name] = [process for process in _tree(pid) if process not in known]
            known.update(self._trees[name])
        self._before = {name: _cpu(tree) for name, tree in self._trees.items()}

    def since(self) -> dict[str, dict[str, float]]:
        """Per process tree: share of one core, and proportional memory in MB."""
        took = time.monotonic() - self._begin
        return {
            name: {
                "cpu": round((_cpu(tree) - self._before[name]) / took, 3),
                "memory_mb": round(sum(_memory(process) for process in tree) / 1e6),
            }
            for name, tree in self._trees.items()
        }


def usage_of(pids: dict[str, int], seconds: float) -> dict[str, dict[str, float]]:
    """What they take while nothing else is done for so long."""
    usage = Usage(pids)
    time.sleep(seconds)
    return usage.since()


def _tree(pid: int) -> list[psutil.Process]:
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def _cpu(tree: list[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in tree if process.is_running())


def _memory(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.Error:
        return 0
