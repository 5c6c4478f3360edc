"""Draws documents from groups until each group's bytes are as near to a target as whole documents allow.

Each group gives the documents with the smallest hashes: a random sample that does not depend on the order of the text
or on how it is cut. Documents longer than the group's target come last, because one of them would fill it alone. A
group with a target gives at least one document. Memory: HELD times the targets, and what is added at a time.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

HELD = 2  # times the sample: beyond that many bytes, documents that cannot be in it are released
# columns of documents: number of their group (int64), hash of their identity (uint64)
GROUP = "_group"
HASH = "_hash"
_ALL = np.iinfo(np.uint64).max


class Drawing:
    """`targets`: bytes by group number; 0 takes nothing from the group."""

    def __init__(self, targets: Sequence[float]) -> None:
        self._targets = np.array(targets, np.float64)
        # By group, the smallest hash that is certainly not drawn, of a document no longer than the target.
        self._beyond = np.full(len(targets), _ALL, np.uint64)
        self._held: list[pa.Table] = []
        self._held_bytes = 0

    def add(self, documents: pa.Table) -> None:
        """Documents with GROUP, HASH, `text` without nulls, and any other columns, the same ones each time."""
        groups, hashes = (np.asarray(documents[name]) for name in (GROUP, HASH))
        possible = (self._targets[groups] > 0) & (hashes <= self._beyond[groups])
        table = documents.filter(pa.array(possible))
        self._held.append(table)
        self._held_bytes += pc.sum(pc.binary_length(table["text"])).as_py() or 0
        if self._held_bytes > HELD * self._targets.sum():
            self._release()

    def drawn(self) -> Iterator[pa.RecordBatch]:
        """The sample's documents, in the order in which they were added."""
        self._release()
        for table in self._held:
            yield from table.to_batches()

    def _release(self) -> None:
        """Keeps the sample of the documents so far: every document of the final sample is in it."""
        if not self._held:
            return
        table = pa.concat_tables(self._held)
        groups = np.asarray(table[GROUP])
        hashes = np.asarray(table[HASH])
        sizes = pc.binary_length(table["text"]).to_numpy().astype(np.float64)
        long = sizes > self._targets[groups]
        order = np.lexsort((hashes, long, groups))
        groups = groups[order]
        hashes = hashes[order]
        sizes = sizes[order]
        long = long[order]
        firsts = np.unique(groups, return_index=True)[1]
        before = np.cumsum(sizes) - sizes
        before -= np.repeat(before[firsts], np.diff([*firsts, len(groups)]))
        drawn = before + sizes / 2 <= self._targets[groups]
        drawn[firsts] = True
        passed = ~drawn & ~long
        left, first_left = np.unique(groups[passed], return_index=True)
        self._beyond[left] = hashes[passed][first_left]
        mask = np.zeros(len(order), np.bool_)
        mask[order[drawn]] = True
        self._held = [table.filter(pa.array(mask))]
        self._held_bytes = int(sizes[drawn].sum())
