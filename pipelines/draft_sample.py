"""Samples texts of a source for a drafted recipe, from the beginnings of parts evenly spread over its files."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import pyarrow as pa

from curation.core import catalog
from curation.core.catalog import key_of
from curation.core.first_look import looked_at
from curation.core.input_files import InputFile, list_files
from curation.core.protocols import Piece, ReadTally, Source
from curation.core.verbs import EXTRACT, READ
from curation.sources.beginning import seen_part
from curation.sources.units import small_batches

PARTS = 8  # of a source
DOCUMENTS = 400  # at most, from all parts together
EXTRACTED = 96  # at most, of pages and PDF files, which take longer
EXTRACTORS = {"pdf": "pdfium", "wikipedia_html": "resiliparse"}  # by source; that of others is for any page
UNIT_BYTES = 64 << 20  # size of a unit, where a file can be cut
PART_BYTES = 16 << 20  # of small files, after which a part ends with fewer documents than its share


def sampled_texts(source: Source, files: Sequence[InputFile], tally: ReadTally) -> Iterator[pa.Array]:
    """Texts from the beginning of each part. A part of many small files, such as saved pages, gives those of several
    files. `tally` takes faults of the files, not of copies that were cut for the look."""
    looked = ReadTally()
    with ExitStack() as parts_of_files:
        seen = {file.path: parts_of_files.enter_context(seen_part(source, file.path)) for file in files}
        files = [file if file.path == seen[file.path] else list_files(seen[file.path])[0] for file in files]
        yield from _sampled(source, source.split(files, group_bytes=0, split_bytes=UNIT_BYTES), looked)
    tally.faults += [fault for fault in looked.faults if fault["file"] in seen]


def _sampled(source: Source, units: Sequence[Sequence[Piece]], tally: ReadTally) -> Iterator[pa.Array]:
    parts = min(PARTS, len(units))
    for number in range(parts):
        part = units[number * len(units) // parts : (number + 1) * len(units) // parts]
        left = (DOCUMENTS if source.yields == "text" else EXTRACTED) // parts
        read = 0
        for unit in part:
            for texts in looked_at(unit[0].path, partial(_texts_of, source, unit, left, tally)):
                left -= len(texts)
                yield texts
            read += sum(piece.size for piece in unit)
            if left <= 0 or read >= PART_BYTES:
                break


def _texts_of(source: Source, unit: Sequence[Piece], left: int, tally: ReadTally) -> list[pa.Array]:
    """Up to `left` texts from the beginning of a unit."""
    texts = []
    with small_batches(left):
        for batch in source.read(unit, "draft", tally):
            rows = batch.slice(0, left)
            texts.append(_extracted(source, rows)["text"])
            left -= len(rows)
            if not left:
                break
    return texts


def extractor_of(source: str) -> str:
    """The key of the extractor that a drafted recipe has for the pages or files of a source; "" for texts."""
    reader: Any = catalog.find(READ, source)
    return "" if reader.yields == "text" else EXTRACTORS.get(source, "trafilatura")


def _extracted(source: Source, rows: pa.RecordBatch) -> pa.RecordBatch:
    key = extractor_of(key_of(type(source)))
    if not key:
        return rows
    extractor: Any = catalog.find(EXTRACT, key)()
    return extractor.extract(rows, {}, lambda *_: None)
