"""Packs the token lists of some shards into rows of exactly sequence_length + 1 tokens, with an index and the lineage.

    - pack: {method: best_fit, sequence_length: 2048, split_by: {column: minhash.copies, edges: [2, 5]}}

Each document ends with its end-of-text token, and has the one that begins it, if any, at its head only. `concat` lays
documents end to end and cuts them wherever a row ends, `best_fit` keeps documents that fit a row whole and fills rows
as tightly as it can, `one_per_row` begins a row with each document; see those modules. None of them drops a document.
A document that continues in another row begins there with the last token of the row before.

Training predicts every slot of a row except the first and padding, whether or not attention crosses documents: inside a
row, the first token of a document is predicted from the end of the previous document. So every token is predicted once,
with two exceptions. The first token of a row that continues no other is never predicted: in `concat` a file's first
token, in `one_per_row` each document's, in `best_fit` that of the document that begins the row. In `best_fit`, the
token that the rest of a document repeats is predicted twice, unless the rest begins its row. `mix` counts predicted
tokens.

Some consecutive shards of a source become one token shard, with files of its own for each sub-source and split (see
`token_files`); documents follow each other across the shards' boundaries. A second attempt leaves the same files.
Rows stay in the order in which they were packed: `permutation` shuffles them while they are read.

Memory does not depend on how many tokens there are: beyond the batches at most 220 MB, or 450 MB with 256 sub-sources
(best_fit, November 2026). Each sub-source waits in a window of its own. Where all windows together hold more than
WAITING_TOKENS, the fullest one is packed early, and likewise the longest lineage above WAITING_SEGMENTS. That is looked
at after every CHECKED_DOCUMENTS documents, however they are batched.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar, Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.component import Component
from curation.core.errors import UserError
from curation.core.token_shapes import TokenPart
from curation.core.verbs import PACK, Verb
from curation.tokens.packing.best_fit import BestFit
from curation.tokens.packing.concat import Concat
from curation.tokens.packing.documents import Documents, Ints, token_values, with_tokens
from curation.tokens.packing.one_per_row import OnePerRow
from curation.tokens.packing.row_writer import COUNTS, LINEAGE_GROUP, RowWriter
from curation.tokens.packing.split_by import SplitBy, check_count
from curation.tokens.shard_checks import broken_document, rules
from curation.tokens.token_files import FORMAT_VERSION, SPLITS, Vocabulary, file_name, leaf_name

Method = Literal["concat", "best_fit", "one_per_row"]
Packer = Concat | BestFit | OnePerRow
METHODS: dict[str, type[Packer]] = {"concat": Concat, "best_fit": BestFit, "one_per_row": OnePerRow}
SPLIT_BY = "split_by"  # the column of a batch with the values of `Pack.split_by.column`
_SPLITS = list(SPLITS)
LONGEST = 2**31 - 2  # an int32 holds a segment's position in its row
WAITING_TOKENS = 1 << 25  # in the windows of all sub-sources, 128 MB of uint32; two windows never hold more
WAITING_SEGMENTS = 10 * LINEAGE_GROUP  # whose lineage is not written yet, about 150 MB
CHECKED_DOCUMENTS = 4096


@dataclass(frozen=True, kw_only=True)
class Pack(Component):
    """How documents become rows."""

    sequence_length: Annotated[int, "tokens predicted per row; rows hold one more"] = 1024
    method: Annotated[Method, "how documents share rows"] = "concat"
    split_by: Annotated[
        SplitBy | None, "a column, and edges or values: makes sub-sources that a mix weighs one by one"
    ] = None

    reads: ClassVar[tuple[str, ...]] = ("doc_id", "source", "url", "tokens", "split", "utf8_bytes")
    verb: ClassVar[Verb | None] = PACK
    version: ClassVar[int] = 3

    def __post_init__(self) -> None:
        if not 1 <= self.sequence_length <= LONGEST:
            raise UserError(f"sequence_length is {self.sequence_length}; it must be at least 1 and at most {LONGEST}")
        if self.method not in METHODS:
            raise UserError(f"no packing method {self.method!r}; known: {', '.join(METHODS)}")

    def pack(
        self,
        number: int,
        batches: Iterable[pa.RecordBatch],
        folder: str,
        *,
        source: str,
        vocabulary: Vocabulary,
        special: Sequence[int] = (),
    ) -> list[TokenPart]:
        """Writes the files of token shard `number`, of `source`, to `folder`, which must exist. Returns one part per
        split or, with `split_by`, one per sub-source and split that has a document, sorted by name; `tokens_section`
        takes them.

        A batch holds kept documents only, in the columns of `reads` (`url` may be missing) and, with `split_by`,
        SPLIT_BY; tokens are as `Encode` gives them; `special` are ids that no text becomes. Documents with null
        tokens are skipped. In a part's counts, `tokens` counts each token of a document once, end-of-text included;
        `padding` counts slots of padding, and `cut` the documents that take several rows. Raises UserError, also for a
        document that breaks a rule of `shard_checks`.
        """
        files = _Files(self, number, folder, source, vocabulary, special)
        if self.split_by is None:
            for split in SPLITS:
                files.open(split, None)
        seen = 0
        for batch in map(with_tokens, batches):
            first = 0
            while first < batch.num_rows:
                some = batch.slice(first, CHECKED_DOCUMENTS - seen % CHECKED_DOCUMENTS)
                self._add(some, files)
                first = first + some.num_rows
                seen = seen + some.num_rows
                if seen % CHECKED_DOCUMENTS == 0:
                    files.write_early()
        return files.close()

    def _add(self, batch: pa.RecordBatch, files: "_Files") -> None:
        if not pc.all(pc.equal(batch.column("source"), files.source)).as_py():
            raise UserError(f"a shard of source {files.source!r} holds documents of another source")
        tokens, starts = token_values(batch.column("tokens"), files.vocabulary)
        if broken := broken_document(tokens, starts, files.rules):
            document, what = broken
            raise UserError(
                f"document {batch.column('doc_id')[document]} of source {files.source!r}, row "
                f"{files.seen + document:,} of those that token shard {files.number} is made of: {what}; encode again"
            )
        files.seen += batch.num_rows
        lengths = np.diff(starts)
        url = batch.column("url") if "url" in batch.schema.names else pa.nulls(batch.num_rows, pa.string())
        sizes = np.asarray(batch.column("utf8_bytes"))
        for split, label, rows in self._groups(batch):
            packer = files.open(split, label)
            first = packer.writer.documents
            number = np.arange(first, first + len(rows))
            ids, urls = (column.take(pa.array(rows)) for column in (batch.column("doc_id"), url))
            names = pa.table({"doc_id": ids, "url": urls, "document": pa.array(number)})
            packer.add(Documents(names, tokens, starts[rows], lengths[rows]), int(sizes[rows].sum()))

    def _groups(self, batch: pa.RecordBatch) -> Iterator[tuple[str, str | None, Ints]]:
        """Split, label and ascending row numbers for each file that documents of the batch go into."""
        split = pc.index_in(batch.column("split"), pa.array(_SPLITS))
        if split.null_count:
            raise UserError(f"a document is in neither of the splits {', '.join(_SPLITS)}; encode again")
        key = np.asarray(split).astype(np.int64)
        labels: tuple[str | None, ...] = (None,)
        if self.split_by is not None:
            label_of, labels = self.split_by.split(batch.column(SPLIT_BY))
            key += label_of * len(_SPLITS)
        order = np.argsort(key, kind="stable")
        counts = np.bincount(key)
        ends = np.cumsum(counts)
        for group in np.flatnonzero(counts).tolist():
            label, number = divmod(group, len(_SPLITS))
            yield _SPLITS[number], labels[label], order[ends[group] - counts[group] : ends[group]]


class _Files:
    """The parts of one token shard."""

    def __init__(
        self, pack: Pack, number: int, folder: str, source: str, vocabulary: Vocabulary, special: Sequence[int]
    ) -> None:
        self.vocabulary = vocabulary
        self.rules = rules(
            vocabulary.size, vocabulary.begin_of_text, vocabulary.end_of_text, vocabulary.padding, special
        )
        self.source = source
        self.number = number
        self.seen = 0  # documents
        self._pack = pack
        self._folder = folder
        self._open: dict[tuple[str, str | None], Packer] = {}

    def open(self, split: str, label: str | None) -> Packer:
        if (split, label) not in self._open:
            writer = RowWriter(
                storage.join(self._folder, file_name(split, self.number, label)),
                source=self.source,
                row_tokens=self._pack.sequence_length + 1,
                vocabulary=self.vocabulary,
            )
            self._open[split, label] = METHODS[self._pack.method](writer)
            check_count({label for _, label in self._open})
        return self._open[split, label]

    def write_early(self) -> None:
        """Packs the fullest windows, and writes the longest lineages, until all together are within their limits."""
        packers = [self._open[key] for key in self._keys()]
        windows = [packer for packer in packers if isinstance(packer, BestFit)]
        while sum(window.waiting for window in windows) > WAITING_TOKENS:
            max(windows, key=lambda window: window.waiting).close()
        writers = [packer.writer for packer in packers]
        while sum(writer.waiting for writer in writers) > WAITING_SEGMENTS:
            max(writers, key=lambda writer: writer.waiting).write_waiting()

    def close(self) -> list[TokenPart]:
        return [self._close(*key) for key in self._keys()]

    def _keys(self) -> list[tuple[str, str | None]]:
        return sorted(self._open, key=lambda key: (key[1] or "", key[0]))

    def _close(self, split: str, label: str | None) -> TokenPart:
        packer = self._open[split, label]
        leaf = leaf_name(self.source, label)
        name = file_name(split, self.number, label)
        packer.close()
        packer.writer.check_counts()
        counts, facts = packer.writer.close()
        files = {name + suffix: fact for suffix, fact in facts.items()}
        return cast(TokenPart, {"name": name, "source": leaf, "split": split, **counts, "files": files})


def tokens_section(parts: Iterable[TokenPart], *, pack: Pack, vocabulary: Vocabulary) -> dict[str, Any]:
    """The section `tokens` of a pack stage's manifest, from the parts of all its token shards in order.

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
        "begin_of_text": vocabulary.begin_of_text,
        "end_of_text": vocabulary.end_of_text,
        "padding": vocabulary.padding,
        "tokenizer": {"file": vocabulary.file, "blake2b": vocabulary.tokenizer},
        "split_by": None if pack.split_by is None else asdict(pack.split_by),
        "sources": sources,
        "parts": parts,
    }
