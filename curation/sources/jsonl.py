"""JSON: one document an object, plain or as gzip, zstd, lz4, xz or bzip2 (recognized by their first bytes).

Objects may be lines, stand one behind another with or without line breaks within them, or be the items of an array; the
file's beginning tells. Only a plain file of lines can be cut into ranges. What is not a JSON object is counted
(`skipped.bad_json`) and noted with its offset; other rows are kept, and a file of which too many are bad stops the run
(`max_failed_rows`). A file in UTF-16, and one object that holds the rows in a field, are refused with what to do. A row
whose text is missing, null, or neither a string nor a list of them has the reason `extract:no_text`. Bytes that are not
UTF-8 become U+FFFD, and rows with some are counted (`lenient.invalid_utf8`); lone surrogates become U+FFFD too.
`origin_offset` is the row's offset in the decompressed file. If a key occurs twice, the last one counts. A row longer
than `max_line_bytes` is counted (`skipped.long_line`) and never held in memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa

from curation.core.first_look import look_at
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.core.threads import map_threads
from curation.sources.first_rows import check_any, check_named, first_rows, readable_rows
from curation.sources.json_blocks import json_blocks, json_units
from curation.sources.json_rows import parse_rows
from curation.sources.json_values import JsonBlock
from curation.sources.mapping import Columns
from curation.sources.rows_behind_damage import RowsBehindDamage

WAY_OUT = (
    "give it as several files (`zstd -dc FILE | split -C 256M - part-`), as plain lines, which are cut into ranges, or "
    "as Parquet with several row groups"
)
CHECKED = 100  # files that are looked at before work, evenly spread over all


@dataclass(frozen=True, kw_only=True)
class Jsonl(Columns):
    """Files of JSON, such as JSON lines; each `paths` entry is a file, a folder or a glob."""

    max_line_bytes: Annotated[int, "a longer row is skipped; parsing one takes up to 15 times its size"] = 32 << 20

    way_out: ClassVar[str] = WAY_OUT
    version: ClassVar[int] = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_line_bytes < 1:
            raise ValueError(f"max_line_bytes is {self.max_line_bytes}; give 1 or more")

    def check(self, paths: Sequence[str]) -> None:
        """Raises InputError, which names a file, where up to `CHECKED` files are missing or no JSON, or their first
        rows lack a field."""
        check_named(look_at(partial(first_rows, text=self.text), _some(paths)), self.required())

    def check_fields(self, paths: Sequence[str]) -> None:
        """Raises InputError for a field that none of the files has that can be read."""
        check_any(map_threads(partial(readable_rows, text=self.text), _some(paths)), self.required())

    def required(self) -> dict[str, str]:
        """Document column -> field, for the columns that the files must have: few data sets state a licence or a
        language, and a recipe for many names their fields all the same."""
        return {name: field for name, field in self.named().items() if name not in ("licence", "declared_language")}

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Groups small files and cuts large plain ones with an object a line into byte ranges; a compressed file is
        never cut."""
        return json_units(files, group_bytes=group_bytes, split_bytes=split_bytes)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """DOCUMENT batches. Raises InputError for a file that is missing or of which no row can be read, StageError if
        it cannot be read."""
        for piece in unit:
            skipped = _Skipped(piece.path, tally)
            damage = RowsBehindDamage(piece.path, tally)
            blocks = json_blocks(
                piece,
                self.text,
                max_row=self.max_line_bytes,
                on_fault=damage.fault,
                on_long_line=skipped.long_line,
                on_long_row=skipped.long_row,
                on_passed=damage.passed,
            )
            for block in blocks:
                skipped.begin(block)
                rows = parse_rows(block, self.named(), skipped.bad_json)
                skipped.end(len(rows.offsets))
                if rows.invalid:
                    tally.records["lenient.invalid_utf8"] += rows.invalid
                if len(rows.offsets):
                    yield from self.batches(rows.values, rows.offsets, piece, source, tally)
            damage.end()


def _some(paths: Sequence[str]) -> Sequence[str]:
    return paths[:: -(-len(paths) // CHECKED) or 1]


class _Skipped:
    """Counts the rows of a file, and the lines before them, for the number of the line that a bad one is."""

    def __init__(self, path: str, tally: ReadTally) -> None:
        self._path = path
        self._tally = tally
        self._rows = tally.rows_of(path)
        self._block: JsonBlock | None = None

    def begin(self, block: JsonBlock) -> None:
        self._block = block
        self._rows.called = "line" if block.lines else "row"

    def end(self, rows: int) -> None:
        assert self._block is not None
        self._rows.read += rows
        self._rows.lines += self._block.data.count(b"\n") if self._block.lines else 0

    def bad_json(self, offset: int, error: str) -> None:
        assert self._block is not None
        line = None
        first = self._rows.first
        if self._block.lines and (first is None or offset < first.offset):
            at = int(self._block.starts[np.searchsorted(self._block.offsets, offset)])
            line = self._rows.lines + self._block.data.count(b"\n", 0, at) + 1
        self._tally.skip(self._path, "bad_json", offset, error, line=line)

    def long_line(self, offset: int, error: str) -> None:
        self._rows.called = "line"
        self._tally.skip(self._path, "long_line", offset, error, line=self._rows.lines + 1)
        self._rows.lines += 1

    def long_row(self, offset: int, error: str) -> None:
        self._rows.called = "row"
        self._tally.skip(self._path, "long_line", offset, error)
