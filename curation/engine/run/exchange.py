"""Lays an exchange out: the number of its buckets, and whether senders' files are gathered before they are received.

S senders and R receivers make S · R ranges to read. Where these are too many, the files of neighbouring senders are
first gathered in one file with a batch per receiver, so that a receiver reads one range per gathered file.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa

from curation.core.commits import GROUP_UNITS, Commit
from curation.core.needs import MEMORY, Needs
from curation.core.threads import map_threads
from curation.engine.executor.work import Unit, Work
from curation.engine.run.routing import SLOTS, Outbox, Router, sent_path
from curation.engine.run.sent_files import SentFiles, opened

Step = Callable[[str, Work, Sequence[Unit], str], tuple[Commit, ...]]  # name, work, units, folder of the commits

BUCKET_BYTES = 900 << 20  # of rows as they lie in memory, at most: 2 million documents of minhash
SMALL_BUCKET_BYTES = 32 << 20  # up to FEW buckets, so that a small stage also keeps several cores busy
FEW = 16
RANGES = 8192  # up to so many, receivers read the senders' files themselves
PORTIONS = 16  # batches of a file that will be gathered, each for a range of receivers
GROUP_BYTES = 2 << 30  # of a gathered file


def buckets_for(size: int, least: int = 1) -> int:
    """The number of buckets, at least `least`, for `size` bytes of rows: a power of two."""
    buckets = max(-(-size // BUCKET_BYTES), min(FEW, -(-size // SMALL_BUCKET_BYTES)), least, 1)
    return min(1 << (buckets - 1).bit_length(), SLOTS)


def batches_for(senders: int, receivers: int) -> int:
    """Batches that each sender writes: one per receiver, or fewer where the files will be gathered."""
    return receivers if senders * receivers <= RANGES else PORTIONS


def delivered(step: Step, sent: SentFiles, router: Router, to: str) -> SentFiles:
    """What the receivers read: the senders' files, or those that a gathering step makes of them in the folder `to`."""
    if len(sent.bounds) * router.receivers <= RANGES and sent.batches % router.receivers == 0:
        return sent
    size = int(sent.bounds[:, -1].sum())
    per = max(1, min(GROUP_UNITS, GROUP_BYTES * len(sent.bounds) // max(size, 1)))
    held = size * min(per, len(sent.bounds)) // max(len(sent.bounds), 1)
    work = GatherStep(sent.folder, sent.step, sent.what, len(sent.bounds), per, router, to, held)
    units = [Unit(number, None) for number in range(-(-len(sent.bounds) // per))]
    return replace(SentFiles.of(sent.folder, to, sent.what, step("gather", work, units, to)), per=per)


@dataclass(frozen=True)
class GatherStep:
    """Gathers the files of `per` neighbouring senders in one, with a batch per receiver. A task holds the files as they
    are stored, and the rows of one portion."""

    folder: str
    step: str
    what: str
    senders: int
    per: int
    router: Router
    to: str
    held: int  # bytes of a group's files, on average

    @property
    def needs(self) -> Needs:
        return Needs(memory=MEMORY + self.held)

    def run(self, unit: Unit) -> Commit:
        group = range(unit.number * self.per, min((unit.number + 1) * self.per, self.senders))
        files = map_threads(lambda sender: opened(sent_path(self.folder, self.step, self.what, sender)), group)
        outbox = Outbox(self.folder, self.to, unit.number)
        outbox.write(self.what, files[0].schema, self._by_receiver(files))
        return outbox.done()

    def _by_receiver(self, files: Sequence[pa.RecordBatchFileReader]) -> Iterator[pa.Table]:
        """The rows of each receiver, in the order of the senders."""
        portions = files[0].num_record_batches
        receivers = self.router.receivers
        passes = min(portions, receivers)
        for number in range(passes):
            own = range(number * portions // passes, (number + 1) * portions // passes)
            rows = pa.Table.from_batches([file.get_batch(portion) for file in files for portion in own])
            receiver = self.router.of(rows)
            order = np.argsort(receiver.astype(np.uint16) if receivers <= SLOTS else receiver, kind="stable")
            first, last = (-(-place * receivers // passes) for place in (number, number + 1))
            bounds = np.searchsorted(receiver[order], np.arange(first, last + 1))
            rows = rows.take(pa.array(order)).combine_chunks()
            for start, stop in pairwise(bounds.tolist()):
                yield rows.slice(start, stop - start)
