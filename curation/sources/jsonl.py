"""JSON lines: one document a line, plain or as gzip, zstd, lz4, xz or bzip2 (recognized by their first bytes).

A line that is not a JSON object is counted (`skipped.bad_json`) and noted with its offset; other lines are kept. A row
whose text is missing, null, or neither a string nor a list of them has the reason `extract:no_text`. Bytes that are not
UTF-8 and lone surrogates become U+FFFD. `origin_offset` is the line's offset in the decompressed file. If a key occurs
twice, the last one counts. A line longer than `max_line_bytes` is counted (`skipped.long_line`) and never held in
memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

import pyarrow as pa

from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.sources.json_rows import parse_lines
from curation.sources.lines import line_blocks, line_units
from curation.sources.mapping import Columns


@dataclass(frozen=True, kw_only=True)
class Jsonl(Columns):
    """Files of JSON lines; each `paths` entry is a file, a folder or a glob."""

    paths: Annotated[tuple[str, ...], "files, folders, globs or URIs; --input gives others"]
    max_line_bytes: Annotated[int, "a longer line is skipped; parsing one takes up to 15 times its size"] = 32 << 20

    yields: ClassVar[Literal["html", "text"]] = "text"
    version: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_line_bytes < 1:
            raise ValueError(f"max_line_bytes is {self.max_line_bytes}; give 1 or more")

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Groups small files and cuts large plain ones into byte ranges; a compressed file is never cut."""
        return line_units(files, group_bytes=group_bytes, split_bytes=split_bytes)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """DOCUMENT batches. Raises InputError if a file is missing, StageError if it cannot be read."""
        for piece in unit:
            on_fault = partial(tally.fault, piece.path)
            on_bad, on_long = (partial(_skip_line, tally, name, piece.path) for name in ("bad_json", "long_line"))
            for block in line_blocks(piece, max_line=self.max_line_bytes, on_fault=on_fault, on_long=on_long):
                offsets, values = parse_lines(block, self.named(), on_bad)
                if len(offsets):
                    yield from self.batches(values, offsets, piece, source, tally)


def _skip_line(tally: ReadTally, cause: str, file: str, offset: int, error: str) -> None:
    tally.records[f"skipped.{cause}"] += 1
    tally.fault(file, offset, error)
