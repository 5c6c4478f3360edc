"""Reads a file of JSON as blocks of rows, in any form: lines, an array, or concatenated objects."""

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import chain, pairwise

import numpy as np

from curation.core.errors import InputError
from curation.core.first_look import looked_at
from curation.core.input_files import InputFile
from curation.core.protocols import Piece
from curation.core.threads import map_threads
from curation.sources.inflate import OnFault, OnPassed
from curation.sources.json_form import BOM, SAMPLE, check_encoding, check_rows, has_lines
from curation.sources.json_values import JsonBlock, value_blocks
from curation.sources.lines import LineBlock, file_chunks, is_compressed, line_blocks, line_bounds
from curation.sources.units import group


def json_units(files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
    """Groups small files and cuts large plain ones that have an object a line into byte ranges; looks at the beginning
    of the large ones."""
    large = [file for file in files if file.size > split_bytes and not is_compressed(file.path)]
    cuttable = dict(zip([file.path for file in large], map_threads(_has_lines, large), strict=True))
    pieces: list[tuple[Piece, int]] = []
    for file in files:
        ranges = max(1, math.ceil(file.size / split_bytes)) if cuttable.get(file.path) else 1
        if ranges == 1:
            pieces.append((Piece.of(file), file.size))
            continue
        cuts = [file.size * i // ranges for i in range(ranges + 1)]
        pieces += [(Piece.of(file, a, b), b - a) for a, b in pairwise(cuts)]
    return group(pieces, group_bytes)


def _has_lines(file: InputFile) -> bool:
    """Whether a file has an object a line; False also for a file that has disappeared, which `read` reports."""
    try:
        return has_lines(looked_at(file.path, partial(json_start, file.path)))
    except InputError:
        return False


def json_start(path: str) -> bytes:
    """The first SAMPLE bytes of a file, decompressed, or all. Raises InputError if there is no such file."""
    with closing(file_chunks(path, 0, False, lambda *_: None)) as chunks:
        return _start(chunks)[:SAMPLE]


def _start(chunks: Iterator[bytes]) -> bytes:
    held = bytearray()
    for chunk in chunks:
        held += chunk
        if len(held) >= SAMPLE:
            break
    return bytes(held)


def json_blocks(
    piece: Piece,
    text: str,
    *,
    max_row: int,
    on_fault: OnFault,
    on_long_line: OnFault,
    on_long_row: OnFault,
    on_passed: OnPassed = lambda *_: None,
) -> Iterator[JsonBlock]:
    """Blocks of the rows that begin in the piece's bytes, including invalid JSON, which the parser rejects later. A row
    longer than `max_row` bytes goes to `on_long_line` or, where rows are no lines, to `on_long_row`. Raises InputError
    for a file that is missing or has no readable row; `text` is the recipe's field."""
    if piece.start or piece.stop >= 0:  # of a file with an object a line
        yield from _of_lines(line_blocks(piece, max_line=max_row, on_fault=on_fault, on_long=on_long_line))
        return
    with closing(file_chunks(piece.path, 0, False, on_fault, on_passed=on_passed)) as chunks:
        start = _start(chunks)
        check_encoding(start, piece.path)
        check_rows(start[:SAMPLE], piece.path, text)
        content = chain([start], chunks)
        if has_lines(start[:SAMPLE]):
            lines = line_blocks(piece, max_line=max_row, on_fault=on_fault, on_long=on_long_line, content=content)
            yield from _of_lines(lines)
        else:
            yield from value_blocks(content, max_row, on_long_row)


def _of_lines(blocks: Iterator[LineBlock]) -> Iterator[JsonBlock]:
    for data, offset in blocks:
        yield lines_of(LineBlock(data, offset))


def lines_of(block: LineBlock) -> JsonBlock:
    """The non-empty lines of a block, without the byte order mark of the file."""
    data = block.data
    if block.offset == 0 and data.startswith(BOM):
        data = b"   " + data[len(BOM) :]
    starts, stops = line_bounds(data)
    return JsonBlock(data, starts, stops, starts + np.int64(block.offset), lines=True)
