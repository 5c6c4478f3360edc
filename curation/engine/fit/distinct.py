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
Figures = dict[str, dict[str, int]]  # by label
Uint64s = npt.NDArray[np.uint64]


def distinct(
    groups: SampleGroups, fit: Fit, keys: Iterable[pa.Table], tables: Iterable[pa.Table]
) -> tuple[pa.Table, Figures]:
    """The sample of the documents in `tables`, with HELD_OUT, in the order of their hashes; and how many texts are
    `repeated`, `conflicts` and `held_out`. `keys` has COLUMNS of the same documents in the same order. Raises
    InputError where there are none, and where a label shares most of its texts."""
    drawing = Drawing(list(groups.wanted.values()))
    figures: Figures = {}
    if several := list(keys):
        own, figures = _own(groups, *(np.asarray(pa.concat_tables(several)[name]) for name in COLUMNS))
        first = 0
        for table in tables:
            drawing.add(table.filter(pa.array(own[first : first + table.num_rows])))
            first += table.num_rows
    batches = list(drawing.drawn())
    if not batches:
        raise InputError("there are no examples to learn from")
    rows = pa.Table.from_batches(batches)
    rows = rows.take(pa.array(np.lexsort((np.asarray(rows[LOW]), np.asarray(rows[HASH])))))
    held_out = np.asarray(rows[LOW]) < np.uint64(limit_of(fit.held_out) + 1)
    for number, name in enumerate(groups.names):
        figures[name]["held_out"] = int(np.count_nonzero(held_out & (np.asarray(rows[GROUP]) == number)))
    return rows.append_column(HELD_OUT, pa.array(held_out)), figures


def _own(
    groups: SampleGroups, group: npt.NDArray[np.int64], high: Uint64s, low: Uint64s
) -> tuple[npt.NDArray[np.bool_], Figures]:
    """bool[N]: the first of equal texts, where all have one label; and what else there is."""
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
    own = np.zeros(len(order), np.bool_)
    own[order] = new_text & ~conflict
    common = high <= np.uint64(limit_of(min((share for share in groups.shares(margin=True) if share), default=0.0)))
    figures: Figures = {}
    for number, name in enumerate(groups.names):
        here = group == number
        texts = here & new_label
        conflicts = np.count_nonzero(texts & conflict)
        figures[name] = {"repeated": int(np.count_nonzero(here & ~new_label)), "conflicts": int(conflicts)}
        seen = np.count_nonzero(texts & common)
        shared = np.count_nonzero(texts & common & conflict)
        if shared > MOST_SHARED * seen:
            raise InputError(
                f"{shared:,} of {seen:,} texts that were drawn for {name!r} are also examples of another label; "
                "the labels would say nothing: check which files and chains they come from"
            )
    return own, figures
