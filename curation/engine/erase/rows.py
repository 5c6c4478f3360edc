"""Takes the text of some rows out of a stage's Parquet file: same rows, same order, same reasons, same row groups.

These become null: `text`, `tokens`, every other column of words, bytes or lists (such as vectors), and the `title`
inside signals. What stays says which document it was and what was decided: doc_id, url and the other columns of the
head, drop_reason, split, and the structs of signals, none of which quotes the text (spans are numbers of bytes).
"""

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.core.commits import Part
from curation.core.protocols import Ints
from curation.engine.erase.replacing import facts_of, rewrite_groups
from curation.engine.removed.tombstones import without_text
from curation.engine.run.part_files import PartCounts


def erase_rows(folder: str, part: Part, rows: Ints, target: str) -> Part:
    """Writes the part file anew at `target`, without the text of `rows` (ascending); returns its entry for the commit,
    which counts the bytes of text that are left in the file. A file without those texts comes out the same."""
    counts = PartCounts()

    def change(table: pa.Table, first: int) -> pa.Table:
        low, high = np.searchsorted(rows, [first, first + table.num_rows])
        if low < high:
            table = _erased(table, rows[low:high] - first)
        counts.add(table)
        return table

    rewrite_groups(storage.join(folder, part.file), target, change)
    return counts.part(part.file, part.source, facts_of(target))


def _erased(table: pa.Table, rows: Ints) -> pa.Table:
    gone = np.zeros(table.num_rows, bool)
    gone[rows] = True
    parts = [table.filter(pa.array(~gone)), without_text(table.filter(pa.array(gone)))]
    order = np.concatenate([np.flatnonzero(~gone), rows])
    return pa.concat_tables(parts).take(pa.array(np.argsort(order))).combine_chunks()
