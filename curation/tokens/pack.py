"""Packs one shard's token lists into rows of exactly sequence_length + 1 tokens, with an index and the lineage.

Concat packing: the documents of a split follow each other, each ended by its end-of-text token, and are cut every
`sequence_length` tokens; a row begins with the last token of the row before, so that every token but the shard's first
is predicted once. The last row is filled with padding. A shard packs by itself and overwrites its own files, so it can
be tried again; memory holds one batch, an unfinished row and the segment index (12 bytes a segment at most).
Which files those are is written in `token_files`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.errors import UserError
from curation.tokens.row_writer import RowWriter
from curation.tokens.token_files import FORMAT_VERSION, SPLITS, Vocabulary

COUNTS = ("rows", "tokens", "documents", "utf8_bytes")


@dataclass(frozen=True, kw_only=True)
class Pack:
    """How documents become rows."""

    sequence_length: int = 1024  # tokens predicted per row; rows hold one more
    method: Literal["concat"] = "concat"

    reads: ClassVar[tuple[str, ...]] = ("doc_id", "source", "url", "tokens", "split", "utf8_bytes")
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.sequence_length < 1:
            raise UserError(f"sequence_length is {self.sequence_length}; it must be at least 1 token")
        if self.method != "concat":
            raise UserError(f"no packing method {self.method!r}; known: concat")

    def pack(
        self, shard: int, batches: Iterable[pa.RecordBatch], folder: str, *, source: str, vocabulary: Vocabulary
    ) -> list[dict[str, Any]]:
        """Write the files of one shard of `source` into `folder`, which must exist; returns one part per split.

        A batch has the columns of `reads` (`url` may be missing), kept documents only, tokens as `Encode` gives them.
        A part states name, source, split, rows, tokens (each document's and its end-of-text, once), documents,
        utf8_bytes, and files {name: {bytes, blake2b}}; parts go into `tokens_section`.
        """
        writers = {
            split: RowWriter(
                folder, split, shard, source=source, row_length=self.sequence_length, vocabulary=vocabulary
            )
            for split in SPLITS
        }
        for batch in batches:
            if not pc.all(pc.is_in(batch.column("split"), pa.array(list(writers))), min_count=0).as_py():
                raise UserError(f"a split of shard {shard} is neither of {', '.join(writers)}; encode again")
            for split, writer in writers.items():
                writer.add(batch.filter(pc.equal(batch.column("split"), split)))
        return [writer.close() for writer in writers.values()]


def tokens_section(parts: Iterable[dict[str, Any]], *, pack: Pack, vocabulary: Vocabulary) -> dict[str, Any]:
    """The section `tokens` of a pack stage's manifest, from the parts of all its shards in shard order."""
    parts = list(parts)
    sources: dict[str, dict[str, dict[str, int]]] = {}
    for part in parts:
        totals = sources.setdefault(part["source"], {split: dict.fromkeys(COUNTS, 0) for split in SPLITS})
        for kind in COUNTS:
            totals[part["split"]][kind] += part[kind]
    return {
        "format_version": FORMAT_VERSION,
        "method": pack.method,
        "row_tokens": pack.sequence_length + 1,
        "dtype": vocabulary.dtype.name,
        "vocabulary": vocabulary.size,
        "end_of_text": vocabulary.end_of_text,
        "padding": vocabulary.padding,
        "tokenizer": {"file": "tokenizer.json", "blake2b": vocabulary.tokenizer},
        "sources": sources,
        "parts": parts,
    }
