"""Takes the text of some rows out of a stage's Parquet file: same rows, same order, same reasons, same row groups.

Null become `text`, `tokens`, every other column of words, bytes or lists (vectors, for one), and the `title` inside
signals. What stays says which document it was and what was decided: doc_id, url and the rest of the head, drop_reason,
split, and the structs of signals, of which none quotes the text (spans are numbers of bytes).
"""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.manifest import Part
from curation.engine.dedup.attach import Ints
from curation.engine.parts import COMPRESSION, PartCounts
from curation.engine.takedown.replacing import replacing
from curation.engine.tombstones import without_text


def erase_rows(uri: str, part: Part, rows: Ints) -> Part:
    """Writes the file anew without the text of `rows` (ascending); returns its entry for the manifest. A file that was
    treated so already comes out the same."""
    counts, first = PartCounts(), 0
    with replacing(uri) as beside:
        fs, path = storage.resolve(uri)
        target = storage.resolve(beside)[1]
        with (
            pq.ParquetFile(path, filesystem=fs) as file,
            pq.ParquetWriter(target, file.schema_arrow, filesystem=fs, compression=COMPRESSION) as writer,
        ):
            for group in range(file.metadata.num_row_groups):
                table = file.read_row_group(group)
                low, high = np.searchsorted(rows, [first, first + table.num_rows])
                if low < high:
                    table = _erased(table, rows[low:high] - first)
                counts.add(table)
                writer.write_table(table, row_group_size=max(table.num_rows, 1))
                first += table.num_rows
    return counts.part(part.file, part.source, storage.size(uri))


def _erased(table: pa.Table, rows: Ints) -> pa.Table:
    gone = np.zeros(table.num_rows, bool)
    gone[rows] = True
    parts = [table.filter(pa.array(~gone)), without_text(table.filter(pa.array(gone)))]
    order = np.concatenate([np.flatnonzero(~gone), rows])
    return pa.concat_tables(parts).take(pa.array(np.argsort(order))).combine_chunks()
