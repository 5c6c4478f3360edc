"""Examples of several labels, each text once: equal ones under a label count once, those under two labels not at all.

Texts are equal if their normal forms are (see `curation/text/text_hash.py`). Labels are drawn by one hash of the text,
so of texts up to the smallest limit all copies are here, whatever their labels.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.errors import InputError
from curation.core.fits import HELD_OUT, Fit
from curation.engine.fit.groups import SampleGroups, limit_of
from curation.engine.fit.portions import LOW
from curation.fit.sample.drawing import GROUP, HASH, Drawing

MOST_SHARED = 0.5  # of a label's texts that another has too; above it the labels say nothing
BATCH_ROWS = 1024
COLUMNS = (GROUP, HASH, LOW)
Uint64s = npt.NDArray[np.uint64]


class Distinct:
    """`add` the keys of all drawn documents, then ask for their `rows`."""

    def __init__(self, groups: SampleGroups, fit: Fit) -> None:
        self._groups = groups
        self._fit = fit
        self._keys: list[tuple[npt.NDArray[np.int64], Uint64s, Uint64s]] = []
        self.figures = {name: {"repeated": 0, "conflicts": 0, "held_out": 0} for name in groups.names}

    def add(self, keys: pa.Table) -> None:
        """Documents [N] with COLUMNS."""
        group, high, low = (np.asarray(keys[name]) for name in COLUMNS)
        self._keys.append((group, high, low))

    def rows(self, tables: Iterable[pa.Table]) -> pa.Table:
        """The sample of the documents, which come again in the same order, with HELD_OUT, in the order of their hashes.
        Fills `figures`. Raises InputError where a label shares most of its texts."""
        own = self._own()
        first = 0
        drawing = Drawing(list(self._groups.wanted.values()))
        for table in tables:
            drawing.add(table.filter(pa.array(own[first : first + table.num_rows])))
            first += table.num_rows
        batches = list(drawing.drawn())
        if not batches:
            raise InputError("there are no examples to learn from")
        rows = pa.Table.from_batches(batches)
        rows = rows.take(pa.array(np.lexsort((np.asarray(rows[LOW]), np.asarray(rows[HASH])))))
        held_out = np.asarray(rows[LOW]) < np.uint64(limit_of(self._fit.held_out) + 1)
        for number, name in enumerate(self._groups.names):
            self.figures[name]["held_out"] = int(np.count_nonzero(held_out & (np.asarray(rows[GROUP]) == number)))
        return rows.append_column(HELD_OUT, pa.array(held_out))

    def _own(self) -> npt.NDArray[np.bool_]:
        """bool[N]: the first of equal texts, where all have one label."""
        if not self._keys:
            return np.zeros(0, np.bool_)
        group, high, low = (np.concatenate(columns) for columns in zip(*self._keys, strict=True))
        order = np.lexsort((group, low, high))
        group = group[order]
        high = high[order]
        low = low[order]
        new_text = np.ones(len(order), np.bool_)
        new_text[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
        new_label = new_text.copy()
        new_label[1:] |= group[1:] != group[:-1]
        text = np.cumsum(new_text) - 1
        conflict = np.bincount(text[new_label])[text] > 1  # texts with more than one label
        self._count(group, high, new_label, conflict)
        own = np.zeros(len(order), np.bool_)
        own[order] = new_text & ~conflict
        return own

    def _count(
        self,
        group: npt.NDArray[np.int64],
        high: Uint64s,
        new_label: npt.NDArray[np.bool_],
        conflict: npt.NDArray[np.bool_],
    ) -> None:
        """Counts repeated and conflicting texts, and refuses too many of these."""
        shares = [share for share in self._groups.shares(margin=True) if share]
        common = high <= np.uint64(limit_of(min(shares, default=0.0)))
        for number, name in enumerate(self._groups.names):
            here = group == number
            texts = here & new_label
            self.figures[name]["repeated"] = int(np.count_nonzero(here & ~new_label))
            self.figures[name]["conflicts"] = int(np.count_nonzero(texts & conflict))
            seen = np.count_nonzero(texts & common)
            shared = np.count_nonzero(texts & common & conflict)
            if shared > MOST_SHARED * seen:
                raise InputError(
                    f"{shared:,} of {seen:,} texts that were drawn for {name!r} are also examples of another label; "
                    "the labels would say nothing: check which files and chains they come from"
                )
