"""What one unit of a fit reads: neighbouring shards or a file of examples; as rows with their groups and hashes.

Which rows make a unit follows from the sizes of shards alone, and decides no byte of what is learned.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.document import TEXT_HASH
from curation.core.fits import HELD_OUT, LABEL, Fit
from curation.engine.fit.example_files import ExampleFile, labelled_rows
from curation.engine.removed.tombstones import NONE as NO_TOMBSTONES
from curation.engine.removed.tombstones import Tombstones
from curation.engine.run.part_files import read_part
from curation.fit.sample.drawing import HASH
from curation.fit.sample.shares import NONE, SOURCE, KeptShard
from curation.text.kernels.hashing import hash64
from curation.text.text_hash import text_hashes, text_keys

PORTION_BYTES = 64 << 20  # of kept text, at least, where there are neighbours
MOST_PORTIONS = 4096
NAME = "_name"  # column: the name of a row's group
LOW = "_low"  # column: the second half of the hash of an example's text


@dataclass(frozen=True)
class Portion:
    """`first` is the number of the first shard among all that the fit reads. Either `shards` or `file` is given."""

    label: str = ""  # of examples; of a file without labels, the name of the only group
    first: int = 0
    shards: tuple[KeptShard, ...] = ()
    file: ExampleFile | None = None

    @property
    def path(self) -> str:
        """What it reads in a few words, for messages."""
        return self.file.path if self.file is not None else self.shards[0].files[0]


def portions_of(
    shards: Sequence[KeptShard], label: str = "", first: int = 0, least: int = PORTION_BYTES, most: int = MOST_PORTIONS
) -> list[Portion]:
    """The shards in their order, as at most `most` portions of `least` bytes or more."""
    least = max(least, sum(shard.kept_bytes for shard in shards) // most + 1)
    portions: list[Portion] = []
    held = least
    for number, shard in enumerate(shards, first):
        if held >= least:
            portions.append(Portion(label, number))
            held = 0
        portions[-1] = replace(portions[-1], shards=(*portions[-1].shards, shard))
        held += shard.kept_bytes
    return portions


@dataclass(frozen=True)
class Reader:
    """How a fit's documents are read: its `columns`, and `by` what they are grouped ("": not at all)."""

    columns: tuple[str, ...]
    by: str
    examples: bool
    texts: bool  # the text is needed, if only to know its length
    tombstones: Tombstones = NO_TOMBSTONES  # of the run, by which texts of files are left out

    @classmethod
    def of(cls, fit: Fit, tombstones: Tombstones = NO_TOMBSTONES) -> "Reader":
        examples = fit.examples() is not None
        by = LABEL if examples else fit.sample_by
        texts = examples or "text" in fit.reads or fit.sample_bytes is not None
        return cls(tuple(fit.reads), by, examples, texts, tombstones)

    @property
    def held(self) -> list[str]:
        """The columns that are kept of a drawn document for the fit."""
        tops = dict.fromkeys(name.partition(".")[0] for name in self.columns)
        return [*tops, *([LABEL] if self.examples else [])]

    @property
    def shown(self) -> list[str]:
        """The columns that a fit which learns is shown."""
        return [*self.held, *([HELD_OUT] if self.examples else [])]

    def rows(self, portion: Portion) -> Iterator[pa.Table]:
        """Documents with what the fit reads, HASH, NAME if there are groups, and of examples LABEL and LOW.

        HASH is of a document's id; of examples and of documents from files, of its text. Documents that were taken down
        have no text and are left out where the text is read, as are those from files whose text was taken down. So are
        texts of examples and of files that are empty in their normal form.
        """
        if portion.file is not None:
            tables = (
                table.filter(pa.array(~taken_down(table, self.tombstones)))
                for table in labelled_rows(portion.file, portion.label)
            )
        else:
            tables = (table for shard in portion.shards for table in self._of_shard(shard, portion.label))
        for table in tables:
            by_text = self.examples or portion.file is not None
            yield _keyed(table) if by_text else table.append_column(HASH, pa.array(_hashes(table)))

    def _of_shard(self, shard: KeptShard, label: str) -> Iterator[pa.Table]:
        own = [] if self.by in ("", SOURCE, LABEL) else [self.by]
        for table in read_part(shard.files, columns=["doc_id", *self.columns, *own, *(["text"] if self.texts else [])]):
            if self.texts:
                table = table.filter(table["text"].is_valid())
            if self.examples:
                labels = _constant(label, table.num_rows)
                yield table.select(dict.fromkeys([*self.held[:-1], "text"])).append_column(LABEL, labels)
            elif self.by:
                yield table.append_column(NAME, names_of(table, self.by, shard.source))
            else:
                yield table


def taken_down(table: pa.Table, tombstones: Tombstones) -> npt.NDArray[np.bool_]:
    """bool[N]: rows of a file whose text, under whatever id, was taken down from the run."""
    if not tombstones.mark:
        return np.zeros(table.num_rows, np.bool_)
    return tombstones.mask(pa.table({TEXT_HASH.name: text_hashes(table["text"])}))


def names_of(table: pa.Table, by: str, source: str) -> pa.Array:
    """string[N]: the name of each row's group."""
    if by == SOURCE:
        return _constant(source, table.num_rows)
    name, *fields = by.split(".")
    column = table[name].combine_chunks()
    return (pc.struct_field(column, fields) if fields else column).cast(pa.string()).fill_null(NONE)


def _constant(value: str, rows: int) -> pa.Array:
    return pa.array([value], pa.string()).take(pa.array(np.zeros(rows, np.int32)))


def _keyed(table: pa.Table) -> pa.Table:
    hi, lo, present = text_keys(table["text"].combine_chunks())
    table = table.append_column(HASH, pa.array(hi)).append_column(LOW, pa.array(lo))
    return table.append_column(NAME, table[LABEL]).filter(pa.array(present))


def _hashes(table: pa.Table) -> npt.NDArray[np.uint64]:
    return hash64(table["doc_id"].cast(pa.large_string()).combine_chunks())
