"""Become another program that does not outlive its supervisor.

``python -I launch.py PARENT COMMAND …``: ask Linux to end this process when the process PARENT
ends, then turn into COMMAND. A process may only ask this for itself, so the supervisor starts
its children through here. Standard library alone: it must start in milliseconds.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Never returns."""
    parent, command = int(arguments[0]), arguments[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        # The parent may have ended before we asked.
        if os.getppid() != parent:
            sys.exit(1)
    os.execvp(command[0], command)  # noqa: S606 (no shell is the point)


if __name__ == "__main__":
    main(sys.argv[1:])
