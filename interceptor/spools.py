"""All that one process has on the disk: its own spool, and those that it has adopted."""

import errno
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from contracts import InterceptorStats
from interceptor.frames import Record
from interceptor.ledger import Ledger, closed_account
from interceptor.settings import SiteSettings
from interceptor.spool import Limits, Spool
from interceptor.spool_folder import Folder, folders_in

log = logging.getLogger("clickwake.interceptor")

SEGMENT_BYTES = 1 << 20
ADOPT_EVERY_S = 10.0
REST_S = 10.0
"""How long a disk that failed is left alone."""
WARN_EVERY_S = 60.0

ADVICE = {
    errno.ENOSPC: "make room on it, or set CLICKWAKE_SITE_SPOOL_DIRECTORY to another disk",
    errno.EDQUOT: "raise the quota of the site's user, or make room",
    errno.EROFS: "mount it for writing, or set CLICKWAKE_SITE_SPOOL_DIRECTORY to another disk",
    errno.EACCES: "let the site's user write to it and to what is in it",
    errno.EPERM: "let the site's user write to it and to what is in it",
}
OTHERWISE = "check the disk, or set CLICKWAKE_SITE_SPOOL_DIRECTORY to another one"


class Spools:
    """For the delivery thread alone. Nothing here raises OSError: the ledger counts them.

    Adopted spools come before the process's own, whose folder is made with its first record.
    All together hold ``spool_size`` bytes at most, but for one adopted spool that is larger.
    """

    def __init__(self, site: SiteSettings, ledger: Ledger, counts: Callable[[], InterceptorStats]):
        self._directory = Path(site.spool_directory) if site.spool_directory else None
        self._size = site.spool_size
        self._limits = Limits(min(SEGMENT_BYTES, site.spool_size // 8), site.spool_sync)
        self._ledger, self._counts = ledger, counts
        self._adopted: deque[Spool] = deque()
        self._own: Spool | None = None
        self._told: set[Path] = set()
        self._shunned: set[Path] = set()
        self._next_adoption = 0.0
        self._rests_until = 0.0
        self._next_warning = 0.0
        self.refusal: str | None = None

    @property
    def enabled(self) -> bool:
        """Whether there is a directory."""
        return self._directory is not None

    @property
    def count(self) -> int:
        """Events on the disk."""
        return sum(spool.count for spool in self._all())

    def append(self, record: Record) -> bool:
        """Keep a record behind all others; False, with ``refusal`` saying why, when it cannot."""
        if self._directory is None or self._rests():
            return False
        if sum(spool.size for spool in self._all()) + len(record.value) > self._size:
            self.refusal = "spool_full"
            return False
        with self._disk():
            own = self._own or self._begin(self._directory)
            own.append(record)
            self._ledger.spooled()
            self.refusal = None
            return True
        self.refusal = "spool_failed"
        return False

    def commit(self) -> None:
        """After a round of ``append``."""
        if self._own is not None and not self._rests():
            with self._disk():
                self._own.commit(self._counts())

    def sync_when_due(self) -> None:
        """When nothing was appended."""
        if self._own is not None and not self._rests():
            with self._disk():
                self._own.sync_when_due()

    def adopt(self) -> None:
        """Every ten seconds, take over what dead processes left, as far as there is room."""
        now = time.monotonic()
        if self._directory is None or now < self._next_adoption or self._rests():
            return
        self._next_adoption = now + ADOPT_EVERY_S
        with self._disk(rest_s=0):
            for path in folders_in(self._directory):
                self._adopt(path)

    def head(self) -> Spool | None:
        """The spool to send next; None when nothing is left or the disk failed a moment ago."""
        if self._rests():
            return None
        return next(self._all(), None)

    def peek(self, spool: Spool, limit: int) -> list[Record]:
        """Its oldest records; none when none is left or the disk fails."""
        with self._disk():
            return spool.peek(limit)
        return []

    def last_words(self, spool: Spool) -> InterceptorStats | None:
        """The closed account of the process that left it, to be published for it; once."""
        if spool is self._own or spool.state is None or spool.folder.path in self._told:
            return None
        self._told.add(spool.folder.path)
        return spool.state.stats

    def acknowledge(self, spool: Spool, number: int) -> None:
        """So many of the records that ``peek`` gave need no more care."""
        with self._disk():
            spool.acknowledge(number)
        self._count_damaged(spool)
        if spool.count == 0:
            self._finish(spool)
        elif not self._rests():
            with self._disk():
                if spool is self._own:
                    spool.commit(self._counts())
                elif spool.state is not None:
                    spool.commit(spool.state.stats, closed=True)

    def try_again(self) -> None:
        """Forget that the disk failed, or that there was no room."""
        self._rests_until, self.refusal = 0.0, None

    def close(self) -> None:
        """Leave everything to whoever comes next."""
        self.commit()
        for spool in self._all():
            spool.close()
        self._adopted.clear()
        self._own = None

    def forget(self) -> None:
        """After a fork, in the child: all of it is the parent's."""
        for spool in self._all():
            spool.forget()

    def _all(self) -> Iterator[Spool]:
        yield from self._adopted
        if self._own is not None:
            yield self._own

    def _begin(self, directory: Path) -> Spool:
        self._own = Spool(Folder.create(directory, self._ledger.instance), self._limits)
        # First of all, so that an heir knows whose events it finds.
        self._own.commit(self._counts())
        return self._own

    def _adopt(self, path: Path) -> None:
        folder = None if path in self._shunned else Folder.seize(path)
        if folder is None:
            return
        is_ours = False
        # One folder that cannot be used must not keep the others from being.
        with self._disk(rest_s=0):
            is_ours = self._take_over(Spool.found(folder, self._limits))
        if not is_ours:
            folder.release()

    def _take_over(self, spool: Spool) -> bool:
        """Close its account and put it before our own; False when there is no room for it."""
        held = [one.size for one in self._all()]
        if held and sum(held) + spool.size > self._size:
            return False
        state = spool.state
        if state is not None and not state.closed:
            spool.commit(closed_account(state.stats, state.own, spool.count), closed=True)
        self._adopted.append(spool)
        self._ledger.adopted(spool.count)
        log.info("took over %d events of an ended process: %s", spool.count, spool.folder.path)
        return True

    def _finish(self, spool: Spool) -> None:
        """Nothing is left in it."""
        if spool is self._own:
            self._own = None
        else:
            self._adopted.remove(spool)
        # Whatever cannot be deleted would otherwise be adopted and sent again and again.
        self._shunned.add(spool.folder.path)
        with self._disk():
            spool.remove()
            self._shunned.discard(spool.folder.path)

    def _count_damaged(self, spool: Spool) -> None:
        self._ledger.unspooled("spool_damaged", spool.damaged)
        spool.damaged = 0

    def _rests(self) -> bool:
        return time.monotonic() < self._rests_until

    @contextmanager
    def _disk(self, rest_s: float = REST_S) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._ledger.spool_error()
            now = time.monotonic()
            self._rests_until = now + rest_s
            if now >= self._next_warning:
                self._next_warning = now + WARN_EVERY_S
                self._warn(error)

    def _warn(self, error: OSError) -> None:
        log.warning(
            "The spool in %s cannot be used (%s); the site is not affected, events wait in "
            "memory: %s",
            self._directory,
            error,
            ADVICE.get(error.errno or 0, OTHERWISE),
        )
