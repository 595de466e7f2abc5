"""Whatever a crash cuts or a disk damages: a spool tells in order what it was given, or less."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from contracts import InterceptorStats
from interceptor.frames import Record, framed, frames
from interceptor.ledger import closed_account
from interceptor.segments import segments_in
from interceptor.spool import Limits, Spool
from interceptor.spool_folder import Folder

records = st.lists(st.builds(Record, st.binary(max_size=40), st.binary(max_size=300)), max_size=12)


def read(data):
    return [frame.record for frame in frames(data)]


def is_subsequence(some, all_of_them):
    rest = iter(all_of_them)
    return all(one in rest for one in some)


@given(records)
def test_what_was_written_is_read(written):
    assert read(b"".join(map(framed, written))) == written


@given(records, st.data())
def test_a_cut_at_any_byte_leaves_the_records_before_it(written, data):
    whole = b"".join(map(framed, written))
    cut = data.draw(st.integers(0, len(whole)))
    ends = [len(b"".join(map(framed, written[: n + 1]))) for n in range(len(written))]
    assert read(whole[:cut]) == written[: sum(end <= cut for end in ends)]


@given(records, st.binary(max_size=600))
def test_bytes_of_a_torn_tail_are_never_a_record(written, tail):
    assert read(b"".join(map(framed, written)) + tail) == written


@given(records, st.data())
def test_a_damaged_byte_costs_records_and_never_changes_one(written, data):
    whole = bytearray(b"".join(map(framed, written)))
    if whole:
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at] ^= data.draw(st.integers(1, 255))
    found = read(bytes(whole))
    assert is_subsequence(found, written)


counts = st.integers(0, 50)


@given(counts, counts, counts, counts, counts, counts, counts)
def test_a_closed_account_balances_and_keeps_what_was_sent(
    sent, queued, in_folder, elsewhere, dropped, found, adopted
):
    spooled = in_folder + elsewhere
    observed = sent + queued + spooled + dropped - adopted
    stats = InterceptorStats(
        instance="dead",
        site_id="shop",
        started=0,
        observed=observed,
        sent=sent,
        queued=queued,
        dropped={"image": dropped},
        lost={},
        spooled=spooled,
        adopted=adopted,
        revision=7,
    )
    closed = closed_account(stats, in_folder, found)
    columns = closed.sent + closed.spooled + dropped + sum(closed.lost.values())
    assert closed.observed + closed.adopted == columns
    assert (closed.sent, closed.queued, closed.spooled) == (sent, 0, elsewhere + found)
    assert closed.revision > stats.revision


class SpoolMachine(RuleBasedStateMachine):
    """One spool's life against a plain list; small segments, so that there are many.

    ``given`` is all that was appended, of which the first ``done`` were acknowledged, and the
    first ``saved`` when the state was last written.
    """

    def __init__(self):
        super().__init__()
        self._home = tempfile.TemporaryDirectory()
        self.limits = Limits(segment_bytes=200, sync="never")
        self.spool = Spool(Folder.create(Path(self._home.name), "web-1"), self.limits)
        self.given, self.done, self.saved = [], 0, 0
        self.number = 0

    def teardown(self):
        self.spool.close()
        self._home.cleanup()

    @rule(size=st.integers(0, 150))
    def append(self, size):
        self.number += 1
        record = Record(b"shop/v", b"%d:" % self.number + b"x" * size)
        self.spool.append(record)
        self.given.append(record)

    @rule(limit=st.integers(1, 5), acknowledged=st.integers(0, 5))
    def replay(self, limit, acknowledged):
        waiting = self.given[self.done :]
        found = self.spool.peek(limit)
        assert found == waiting[: len(found)]
        assert bool(found) == bool(waiting)
        self.spool.acknowledge(min(acknowledged, len(found)))
        self.done += min(acknowledged, len(found))

    @rule()
    def commit(self):
        self.spool.commit(STATS)
        self.saved = self.done

    @rule(cut=st.just(0) | st.integers(1, 400))
    def crash(self, cut):
        """Killed at any moment; then the newest file's last ``cut`` bytes are gone."""
        self.spool.forget()
        self.cut_newest(cut)
        self.spool = Spool.found(Folder.seize(self.spool.folder.path), self.limits)
        found = self.everything()
        begin = self.given.index(found[0]) if found else self.done
        end = begin + len(found)
        assert found == self.given[begin:end], "all in order, none left out"
        assert self.saved <= begin <= self.done
        assert end >= len(self.given) - cut, "every record is longer than a byte"
        self.given, self.done, self.saved = found, 0, 0

    def cut_newest(self, cut):
        paths = segments_in(self.spool.folder.path)
        if paths:
            data = paths[-1].read_bytes()
            paths[-1].write_bytes(data[: max(0, len(data) - cut)])

    def everything(self):
        return [record for part in self.spool._segments for record, _ in part.next(1_000_000)]

    @invariant()
    def count_is_what_waits(self):
        assert self.spool.count == len(self.given) - self.done


SpoolMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestSpoolMachine = SpoolMachine.TestCase

STATS = InterceptorStats(
    instance="web-1", site_id="shop", started=0, observed=0, sent=0, queued=0, dropped={}, lost={}
)
