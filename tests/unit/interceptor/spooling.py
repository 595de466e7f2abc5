"""What the tests of the spool share: events, a spool of a process, and the law."""

from pathlib import Path

from contracts import InterceptorStats, RequestEvent
from interceptor.frames import Record
from interceptor.ledger import Ledger
from interceptor.settings import SiteSettings
from interceptor.spools import Spools


def event(number=0, path="/"):
    return RequestEvent(
        event_id=f"e{number}",
        site_id="shop",
        visitor_id="v",
        event_time=1_767_268_800_000,
        kind="page",
        method="GET",
        status=200,
        path=path,
    )


def record(number, size=0):
    return Record(b"shop/v", b"%d" % number + b"x" * size)


class Process:
    """One site process's spools with its ledger, without a thread and without Kafka."""

    def __init__(self, directory: Path, **choices):
        self.ledger = Ledger("shop")
        site = SiteSettings(site_id="shop", spool_directory=str(directory), **choices)
        self.spools = Spools(site, self.ledger, self.stats)

    def stats(self) -> InterceptorStats:
        return self.ledger.stats(queued=0)

    def keep(self, *records: Record) -> list[bool]:
        """Observe and spool them in one round."""
        for _ in records:
            self.ledger.observed()
        kept = [self.spools.append(one) for one in records]
        self.spools.commit()
        return kept

    def take_all(self) -> list[bytes]:
        """As if Kafka took everything."""
        values = []
        while (spool := self.spools.head()) is not None:
            found = self.spools.peek(spool, 100)
            for one in found:
                values.append(one.value)
                self.ledger.resent()
            self.spools.acknowledge(spool, len(found))
        return values

    def die(self) -> None:
        """As by SIGKILL: the kernel drops its hold, and it does nothing more."""
        self.spools.forget()


def balances(*processes: InterceptorStats) -> bool:
    """The ledger's law, in each."""
    return all(
        one.observed + one.adopted
        == sum(one.dropped.values()) + one.sent + one.queued + one.spooled + sum(one.lost.values())
        for one in processes
    )


def files(directory: Path) -> list[Path]:
    """What spools keep there; visitor ids' salts lie beside them."""
    found = sorted(path for path in directory.rglob("*") if path.is_file())
    return [path for path in found if path.parent.name != "salts"]
