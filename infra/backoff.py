"""How long to wait before a process that ended is started again."""

LONGEST_SECONDS = 30.0
STEADY_SECONDS = 2.0
"""Who was ready this long is well again: its next failure counts as the first.

Back-off is for those that end again and again while they start. Who did its work was ended by
something from outside, and must not wait: its start takes seconds as it is.
"""
NEEDS_A_PERSON = 78
"""The exit status (EX_CONFIG of sysexits.h) of who cannot start until someone does something."""
PERSON_SECONDS = 300.0


def delay_seconds(failures: int) -> float:
    """0, 1, 2, 4, 8, 16, 30, 30, … for the first, second, third … failure in a row."""
    return min(LONGEST_SECONDS, 2.0 ** (failures - 2)) if failures > 1 else 0.0


def delay_after(code: int | None, failures: int) -> float:
    """The same, but long for who needs a person: starting in vain costs others the cores."""
    return PERSON_SECONDS if code == NEEDS_A_PERSON else delay_seconds(failures)


def failures_after(failures: int, ready_seconds: float) -> int:
    """The count of failures in a row, after one more that came when it was ready that long."""
    return 1 if ready_seconds >= STEADY_SECONDS else failures + 1
