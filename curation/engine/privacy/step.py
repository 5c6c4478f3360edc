"""One shard's files in the stages before a redacting stage, with the redacted text in place of the original.

A row that reached the redacting stage gets the text that this stage made of it; one that was dropped on the way, or
there, loses its text. Titles, which quote the page, go too. Rows, order, reasons, signals and numbers of bytes stay.
The new files are written beside the stage; `replace` moves them once all are there. Written again from files that were
replaced already, they have the same bytes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.commits import Commit
from curation.core.composed import Files, Ints, kept_rows, read_rows
from curation.core.document import holds_all
from curation.core.manifest import ORIGINALS
from curation.core.new_file import NewFile
from curation.core.parquet_file import read_groups
from curation.engine.run.part_files import parquet_options, part_schema
from curation.engine.run.work import Cheap, Unit
from curation.engine.takedown.tombstones import unquoted

GONE = -1  # in place of a row's number: the row did not get through the redacting stage


@dataclass(frozen=True)
class OriginalsStep(Cheap):
    """Writes the new files of a shard: that of the redacting stage at `folder`, and of each stage before it."""

    folder: str

    def run(self, unit: Unit) -> Commit:
        files: Files = unit.payload
        written, replaced, emptied = dict[str, dict[str, int | str]](), 0, 0
        for path, numbers in _layers(files):
            name = f"{ORIGINALS}/{new_name(path)}"
            with NewFile(storage.join(self.folder, name)) as target:
                _write(path, target, files[0], numbers)
            assert target.facts is not None, "a context that ends publishes"
            written[name] = {"bytes": target.facts.bytes, "blake2b": target.facts.blake2b}
            gone = int(np.count_nonzero(numbers == GONE))
            replaced, emptied = replaced + len(numbers) - gone, emptied + gone
        return Commit(unit.number, (), counts={"replaced": replaced, "emptied": emptied}, extra={"files": written})


def new_name(path: str) -> str:
    """The name of a part file's new content: its stage's folder, then its own name."""
    folder, _, name = path.rpartition("/")
    return f"{folder.rpartition('/')[2]}.{name}"


def _layers(files: Files) -> Iterator[tuple[str, Ints]]:
    """Each of the shard's files, and for each of its rows int64[N] the number in the redacting stage, or GONE."""
    numbers = np.empty(0, np.int64)
    for place, path in enumerate(files):
        kept = kept_rows((path,))
        own = np.full(len(kept), GONE, np.int64)
        if place == 0:
            own[kept] = np.flatnonzero(kept)
        elif kept.sum() == len(numbers):  # else the next stage was sealed without this shard
            own[kept] = numbers
        yield path, own
        numbers = own


def _write(path: str, target: NewFile, redacted: str, numbers: Ints) -> None:
    schema, first = part_schema(path), 0
    all_texts = holds_all(schema.field("text"))
    with pq.ParquetWriter(target, schema, **parquet_options(schema)) as writer:
        for table in read_groups(path):
            own = numbers[first : first + table.num_rows]
            texts = _texts(redacted, own) if all_texts else pa.nulls(len(own), pa.large_string())
            table = unquoted(table.set_column(schema.get_field_index("text"), schema.field("text"), texts))
            writer.write_table(table.cast(schema), row_group_size=max(table.num_rows, 1))
            first += table.num_rows


def _texts(redacted: str, numbers: Ints) -> pa.Array | pa.ChunkedArray:
    """large_string[N]: the texts of the rows with these numbers (ascending) in the redacting stage; null for GONE."""
    wanted = numbers[numbers != GONE]
    tables = [table["text"] for table in read_rows((redacted,), ("text",), rows=wanted)] if len(wanted) else []
    texts = pa.chunked_array([chunk for text in tables for chunk in text.chunks], pa.large_string()).combine_chunks()
    places = np.where(numbers == GONE, 0, np.cumsum(numbers != GONE) - 1)
    return texts.take(pa.array(places, mask=numbers == GONE))
