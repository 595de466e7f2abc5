"""What other rules would have made of the same events, as counts; nothing is touched."""

from collections.abc import Iterator

import msgspec

from contracts import SessionUpdate
from spark_jobs.comparing import Opened
from spark_jobs.rules import Rules


class Counts(msgspec.Struct):
    """Sums over sessions; durations in ms."""

    sessions: int = 0
    events: int = 0
    pages: int = 0
    single: int = 0
    duration_ms: int = 0
    longest_ms: int = 0
    cut: int = 0

    def add(self, session: SessionUpdate) -> None:
        """Take a session in."""
        self.sessions += 1
        self.events += session.events
        self.pages += session.pages
        self.single += session.events == 1
        self.duration_ms += session.duration_ms
        self.longest_ms = max(self.longest_ms, session.duration_ms)
        self.cut += bool({"cut_length", "cut_count", "thinned"} & set(session.flags))

    def rows(self) -> Iterator[tuple[str, float]]:
        """(name, number) for people."""
        each = max(1, self.sessions)
        yield "sessions", self.sessions
        yield "events in them", self.events
        yield "with one event", self.single
        yield "cut or thinned by a bound", self.cut
        yield "pages a session", round(self.pages / each, 2)
        yield "average duration, s", round(self.duration_ms / each / 1000, 1)
        yield "longest, s", round(self.longest_ms / 1000, 1)


def print_what_if(source: Opened, rules: Rules) -> None:
    """The period's counts under the rules as they are, under the others, and the difference."""
    now, then = (_counts(source, one) for one in (source.settings.rules, rules))
    print(f"{'':<28}{'as it is':>14}{'what if':>14}{'difference':>14}")
    for (name, before), (_, after) in zip(now.rows(), then.rows(), strict=True):
        print(f"{name:<28}{before:>14,}{after:>14,}{round(after - before, 2):>+14,}")


def _counts(source: Opened, rules: Rules) -> Counts:
    anew = source.anew(rules)
    counts = Counts()
    period = source.period
    for found in anew.sessions(period.begin, period.end, period.site):
        counts.add(found.session)
    anew.close()
    return counts
