"""Packs one shard's token lists into rows of exactly sequence_length + 1 tokens, with an index and the lineage.

    - pack: {method: best_fit, sequence_length: 2048, split_by: {column: minhash.copies, edges: [2, 5]}}

Each document ends with its end-of-text token. `concat` lays documents end to end and cuts them wherever a row ends,
`best_fit` keeps whole what fits a row and fills rows as tightly as it can, `one_per_row` begins a row with each
document; see those modules. None of them drops a document. A document that goes on in another row is continued there
from the last token of the row before.

Training predicts every slot of a row except the first and padding, whether or not attention crosses documents: inside a
row, the first token of a document is predicted from the end of the document before. So every token is predicted once,
with two exceptions. The first token of a row that continues no other is never predicted: in `concat` a file's first
token, in `one_per_row` each document's, in `best_fit` that of the document that begins the row. And in `best_fit` the
token that the rest of a document repeats is predicted twice, unless the rest begins its row. `mix` counts what is
predicted.

A shard packs by itself and writes each of its sub-sources and splits into files of its own (see `token_files`). It
overwrites them, so that it can be tried again. Memory does not depend on the corpus: beyond the batches it was 105 MB
in `concat` and 220 MB in `best_fit` (tokens of four bytes, shards of 140 and of 420 million of them alike, 2026-11-21),
and 45 MB for one document of 50 million. Sub-sources wait in windows of their own, which together hold no more than the
shard. Rows stay in the order in which packing made them: `permutation` shuffles them while they are read.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.errors import UserError
from curation.tokens.manifests import Part
from curation.tokens.packing.best_fit import BestFit
from curation.tokens.packing.concat import Concat
from curation.tokens.packing.documents import Documents, Ints, token_values, with_tokens
from curation.tokens.packing.one_per_row import OnePerRow
from curation.tokens.packing.row_writer import COUNTS, RowWriter
from curation.tokens.packing.split_by import SplitBy, check_count
from curation.tokens.token_files import FORMAT_VERSION, SPLITS, Vocabulary, file_name, leaf_name

Method = Literal["concat", "best_fit", "one_per_row"]
METHODS = {"concat": Concat, "best_fit": BestFit, "one_per_row": OnePerRow}
SPLIT_BY = "split_by"  # the column of a batch that holds the values of the option's column
_SPLITS = list(SPLITS)
LONGEST = 2**31 - 2  # an int32 says where in a row a segment begins


@dataclass(frozen=True, kw_only=True)
class Pack:
    """How documents become rows."""

    sequence_length: int = 1024  # tokens predicted per row; rows hold one more
    method: Method = "concat"  # how documents share rows
    split_by: SplitBy | None = None  # a column, and edges or values: what of a source the mix can weigh by itself

    reads: ClassVar[tuple[str, ...]] = ("doc_id", "source", "url", "tokens", "split", "utf8_bytes")
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if self.sequence_length < 1:
            raise UserError(f"sequence_length is {self.sequence_length}; it must be at least 1 token")
        if self.sequence_length > LONGEST:
            raise UserError(f"sequence_length is {self.sequence_length}; it can be at most {LONGEST}")
        if self.method not in METHODS:
            raise UserError(f"no packing method {self.method!r}; known: {', '.join(METHODS)}")

    def pack(
        self, shard: int, batches: Iterable[pa.RecordBatch], folder: str, *, source: str, vocabulary: Vocabulary
    ) -> list[Part]:
        """Write the files of one shard of `source` into `folder`, which must exist; returns one part per split, of a
        divided source per sub-source and split that has a document, by name.

        A batch has the columns of `reads` (`url` may be missing) and, where `split_by` is given, SPLIT_BY; kept
        documents only, tokens as `Encode` gives them. Documents whose tokens are null are passed over. Of a part's
        counts, `tokens` are each document's and its end-of-text, once; `padding` those of its rows that are padding;
        `cut` the documents that stand in several rows. Parts go into `tokens_section`. Raises UserError.
        """
        files = _Files(self, shard, folder, source, vocabulary)
        if self.split_by is None:
            for split in SPLITS:
                files.open(split, None)
        for batch in batches:
            self._add(with_tokens(batch), files)
        return files.close()

    def _add(self, batch: pa.RecordBatch, files: "_Files") -> None:
        if batch.num_rows == 0:
            return
        if not pc.all(pc.equal(batch.column("source"), files.source)).as_py():
            raise UserError(f"a shard of source {files.source!r} holds documents of another source")
        tokens, starts = token_values(batch.column("tokens"), files.vocabulary)
        lengths = np.diff(starts)
        url = batch.column("url") if "url" in batch.schema.names else pa.nulls(batch.num_rows, pa.string())
        sizes = np.asarray(batch.column("utf8_bytes"))
        for split, label, rows in self._groups(batch):
            file = files.open(split, label)
            number = np.arange(file.documents, file.documents + len(rows))
            taken = pa.array(rows)
            names = pa.table(
                {"doc_id": batch.column("doc_id").take(taken), "url": url.take(taken), "document": pa.array(number)}
            )
            file.add(Documents(names, tokens, starts[rows], lengths[rows]), int(sizes[rows].sum()))

    def _groups(self, batch: pa.RecordBatch) -> Iterator[tuple[str, str | None, Ints]]:
        """Split, label and row numbers, in order, of each file that documents of the batch go into."""
        split = pc.index_in(batch.column("split"), pa.array(_SPLITS))
        if split.null_count:
            raise UserError(f"a document is in neither of the splits {', '.join(_SPLITS)}; encode again")
        key = np.asarray(split).astype(np.int64)
        labels: tuple[str | None, ...] = (None,)
        if self.split_by is not None:
            label_of, labels = self.split_by.split(batch.column(SPLIT_BY))
            key += label_of * len(_SPLITS)
        order, counts = np.argsort(key, kind="stable"), np.bincount(key)
        ends = np.cumsum(counts)
        for group in np.flatnonzero(counts).tolist():
            label, number = divmod(group, len(_SPLITS))
            yield _SPLITS[number], labels[label], order[ends[group] - counts[group] : ends[group]]


class _File:
    """One part in the making: its name, its writer, and the method that fills it."""

    def __init__(self, name: str, leaf: str, split: str, writer: RowWriter, method: Method) -> None:
        self._name, self._leaf, self._split, self._writer = name, leaf, split, writer
        self._packer = METHODS[method](writer)

    @property
    def documents(self) -> int:
        return self._writer.documents

    def add(self, documents: Documents, utf8_bytes: int) -> None:
        self._packer.add(documents, utf8_bytes)

    def close(self) -> Part:
        self._packer.close()
        counts, facts = self._writer.close()
        files = {self._name + suffix: file for suffix, file in facts.items()}
        return cast(Part, {"name": self._name, "source": self._leaf, "split": self._split, **counts, "files": files})


class _Files:
    """The parts of one shard."""

    def __init__(self, pack: Pack, shard: int, folder: str, source: str, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.source = source
        self._pack, self._shard, self._folder = pack, shard, folder
        self._open: dict[tuple[str, str | None], _File] = {}

    def open(self, split: str, label: str | None) -> _File:
        """The same file for the same split and label."""
        file = self._open.get((split, label))
        if file is None:
            name = file_name(split, self._shard, label)
            writer = RowWriter(
                storage.join(self._folder, name),
                source=self.source,
                row_tokens=self._pack.sequence_length + 1,
                vocabulary=self.vocabulary,
            )
            file = _File(name, leaf_name(self.source, label), split, writer, self._pack.method)
            self._open[split, label] = file
            check_count({label for _, label in self._open})
        return file

    def close(self) -> list[Part]:
        return [self._open[key].close() for key in sorted(self._open, key=lambda key: (key[1] or "", key[0]))]


def tokens_section(parts: Iterable[Part], *, pack: Pack, vocabulary: Vocabulary) -> dict[str, Any]:
    """The section `tokens` of a pack stage's manifest, from the parts of all its shards in shard order.

    Raises UserError where a column's values made too many sub-sources.
    """
    parts = list(parts)
    sources: dict[str, dict[str, dict[str, int]]] = {}
    for part in parts:
        totals = sources.setdefault(part["source"], {split: dict.fromkeys(COUNTS, 0) for split in SPLITS})
        for kind in COUNTS:
            totals[part["split"]][kind] += part[kind]  # type: ignore[literal-required]
    if pack.split_by is not None:
        check_count({source.rpartition("/")[2] for source in sources})
    return {
        "format_version": FORMAT_VERSION,
        "method": pack.method,
        "row_tokens": pack.sequence_length + 1,
        "dtype": vocabulary.dtype.name,
        "vocabulary": vocabulary.size,
        "end_of_text": vocabulary.end_of_text,
        "padding": vocabulary.padding,
        "tokenizer": {"file": vocabulary.file, "blake2b": vocabulary.tokenizer},
        "split_by": None if pack.split_by is None else asdict(pack.split_by),
        "sources": sources,
        "parts": parts,
    }
