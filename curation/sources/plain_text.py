"""Files of plain text, plain or compressed, and tar archives of them: a document is a file, what a blank line ends, or
a line.

    - read: {plain_text: {paths: [notes/]}}
    - read: {plain_text: {paths: [titles.txt.gz], document: line}}

A byte order mark decides the encoding of a file. Without one, text that is not UTF-8 is read by the encoding that it
seems to be in (`lenient.charset`); where that cannot be told, bytes become U+FFFD and are counted
(`lenient.invalid_utf8`). Files that are empty are counted (`skipped.empty`), and so are those that hold something else
than text, which also are noted as faults (`skipped.not_text`). Archives are for whole files; of blank lines and lines,
`origin_offset` is where a document begins in the decompressed file.
"""

import codecs
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa

from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.sources.archived_files import ArchivedFile, ArchivedFiles, FileDocument
from curation.sources.lines import line_blocks, line_bounds, line_units
from curation.sources.parquet_fields import as_utf8
from curation.sources.text_files import TextFiles
from curation.sources.utf8 import decoded, judged, wide_codec
from curation.text.gather import gathered

_HEAD = 8 << 10  # bytes by whose NULs is told what is no text
_MOST_NULS = 0.1  # of them, in a text that is UTF-8


@dataclass(frozen=True, kw_only=True)
class PlainText(ArchivedFiles):
    """Plain text; each `paths` entry is a file, a folder or a glob."""

    document: Annotated[
        Literal["file", "blank_lines", "line"], "a document is a file, what a blank line ends, a line"
    ] = "file"

    version: ClassVar[int] = 1

    def documents(self, file: ArchivedFile, tally: ReadTally) -> Iterable[FileDocument]:
        """The text of a file."""
        text = file_text(file.content, tally)
        if text is None:
            tally.records["skipped.not_text"] += 1
            tally.fault(file.path, file.number, f"{file.member or 'this file'} is no text: it holds NUL bytes")
        elif not text.strip():
            tally.records["skipped.empty"] += 1
        else:
            yield FileDocument(text, hashlib.blake2b(file.content, digest_size=16).hexdigest(), {})

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Small files together; only plain files of lines are cut."""
        if self.document == "line":
            return line_units(files, group_bytes=group_bytes, split_bytes=split_bytes)
        return super().split(files, group_bytes=group_bytes, split_bytes=split_bytes)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """DOCUMENT batches. Raises InputError for a file that is missing."""
        if self.document == "file":
            yield from super().read(unit, source, tally)
            return
        within = TextFiles(paths=(), default_licence=self.default_licence, max_document_bytes=self.max_document_bytes)
        for piece in unit:
            if self.document == "blank_lines":
                yield from within.read((piece,), source, tally)
            else:
                yield from self._lines(within, piece, source, tally)

    def _lines(self, within: TextFiles, piece: Piece, source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        on_fault = partial(tally.fault, piece.path)
        on_long = partial(tally.skip, piece.path, "long_line")
        for block in line_blocks(piece, max_line=self.max_document_bytes, on_fault=on_fault, on_long=on_long):
            mark = block.data.startswith(codecs.BOM_UTF8) and block.offset == 0
            data = b"   " + block.data[3:] if mark else block.data
            starts, stops = line_bounds(data)
            tally.rows_of(piece.path).read += len(starts)
            lines, invalid = as_utf8(gathered(np.frombuffer(data, np.uint8), starts, stops), pa.large_string())
            if invalid:
                tally.records["lenient.invalid_utf8"] += invalid
            if len(starts):
                yield from within.batches({"text": lines}, block.offset + starts, piece, source, tally)


def file_text(content: bytes, tally: ReadTally) -> str | None:
    """The text of a file; None if it is none."""
    if content.startswith(codecs.BOM_UTF8):
        return decoded(content[len(codecs.BOM_UTF8) :], tally)
    codec = wide_codec(content[:_HEAD])
    if codec is not None:
        tally.records["lenient.charset"] += 1
        return content.decode(codec, "replace")
    if b"\0" in content[:_HEAD] and not _is_utf8(content):
        return None
    return None if content[:_HEAD].count(0) > _MOST_NULS * len(content[:_HEAD]) else judged(content, tally)


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
