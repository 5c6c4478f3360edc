"""Files of plain text as documents: those that blank lines end, or those in a tar archive; see `corpus`.

`origin_offset` is where a text begins in the decompressed file or, in an archive, how many are before it. Text that
is not UTF-8 is read by the encoding that it seems to be in (`lenient.charset`); where that cannot be told, bytes become
U+FFFD and are counted (`lenient.invalid_utf8`). Where a file of metadata beside the texts no
longer fits, by the number of lines that it states of each, the rest of the texts have none (`lenient.sidecar`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.errors import InputError
from curation.core.names import whole_text
from curation.core.protocols import Piece, ReadTally
from curation.core.reasons import extract_reason
from curation.core.threads import map_threads
from curation.sources.blank_lines import BlankLineText, blank_line_texts, sidecar_of, sidecar_rows
from curation.sources.dates import MOMENT, parse_date
from curation.sources.field_values import value_at
from curation.sources.lines import line_blocks
from curation.sources.mapping import Columns
from curation.sources.tars import tar_texts
from curation.sources.units import batched
from curation.sources.utf8 import judged

CHECKED = 1_000  # files for whose metadata is looked before work
LINES = "nb_sentences"  # a document's lines, in its metadata

NAME = "name"  # of a file in an archive

Metadata: TypeAlias = dict[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class TextFiles(Columns):
    """Fields are those of the metadata beside the texts, if `sidecar`."""

    tar: bool = False
    sidecar: bool = False

    def check(self, paths: Sequence[str]) -> None:
        """Raises InputError where the metadata of one of up to `CHECKED` files is not there."""
        if self.sidecar:
            map_threads(_check_sidecar, paths[:: -(-len(paths) // CHECKED) or 1])

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """DOCUMENT batches. Raises InputError for a file that is missing, also one of metadata."""
        for piece in unit:
            for some in batched((text, len(text[1] or b"")) for text in self._texts(piece, tally)):
                offsets, contents, rows = zip(*some, strict=True)
                texts = [None if content is None else judged(content, tally) for content in contents]
                yield from self._batches(offsets, texts, rows, piece, source, tally)

    def _texts(self, piece: Piece, tally: ReadTally) -> Iterator[tuple[int, bytes | None, Metadata]]:
        if self.tar:
            for number, text in enumerate(tar_texts(piece.path, tally, self.max_document_bytes)):
                yield number, text.content, {NAME: text.name}
            return
        on_fault = partial(tally.fault, piece.path)
        blocks = line_blocks(piece, max_line=self.max_document_bytes, on_fault=on_fault, on_long=on_fault)
        texts = blank_line_texts(blocks, self.max_document_bytes)
        if not self.sidecar:
            yield from ((text.offset, text.content, None) for text in texts)
            return
        _check_sidecar(piece.path)
        path = sidecar_of(piece.path) or ""
        yield from _beside(texts, sidecar_rows(path, partial(tally.fault, path)), path, tally)

    def _batches(
        self,
        offsets: Sequence[int],
        texts: Sequence[str | None],
        rows: Sequence[Metadata],
        piece: Piece,
        source: str,
        tally: ReadTally,
    ) -> Iterator[pa.RecordBatch]:
        values = {"text": pa.array(texts, pa.large_string())}
        if self.tar or self.sidecar:
            for name, field in self.named().items():
                if name != "text":
                    values[name] = _column(name, [value_at(row, field.split(".")) for row in rows])
        for batch in self.batches(values, np.array(offsets, np.int64), piece, source, tally):
            too_long = pa.scalar(extract_reason("too_many_bytes"), pa.string())  # no other text is null
            reasons = pc.if_else(pc.is_null(batch["text"]), too_long, batch["drop_reason"])
            at = batch.schema.get_field_index("drop_reason")
            yield batch.set_column(at, batch.schema.field(at), reasons)


def _beside(
    texts: Iterable[BlankLineText], rows: Iterator[Metadata], path: str, tally: ReadTally
) -> Iterator[tuple[int, bytes | None, Metadata]]:
    """Each text with its metadata, as long as both fit."""
    fits = True
    for text in texts:
        row = next(rows, None) if fits else None
        if fits and not _is_of(row, text.content):
            fits = False
            row = None
            tally.fault(
                path, text.offset, "this metadata is not of the text at this offset; all from here on have none"
            )
        tally.records["lenient.sidecar"] += not fits
        yield text.offset, text.content, row
    if fits and next(rows, None) is not None:
        tally.fault(path, -1, "has metadata of more texts than there are")


def _is_of(row: Metadata, content: bytes | None) -> bool:
    if row is None:
        return False
    lines = row.get(LINES)
    return lines is None or content is None or str(lines) == str(content.count(b"\n") + 1)


def _column(name: str, values: list[Any]) -> pa.Array:
    texts = [whole_text(value) if isinstance(value, str) else None for value in values]
    if name == "crawled_at":
        return pa.array([None if text is None else parse_date(text) for text in texts], pa.int64()).cast(MOMENT)
    return pa.array(texts, pa.string())


def _check_sidecar(path: str) -> None:
    beside = sidecar_of(path)
    if beside is None:
        raise InputError(
            f"{path} is not named as a file of texts (x.txt.gz, x_part_1.txt.gz); rename it, or correct `paths`"
        )
    if storage.exists(path) and not storage.exists(beside):
        raise InputError(f"{path} has its metadata in {beside}, which is not there; put it there, or read `oscar_2019`")
