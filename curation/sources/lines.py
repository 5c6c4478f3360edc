"""Reads a file of lines as blocks of whole lines, and checks which lines a JSON parser can handle.

A line belongs to the byte range in which it begins, so the ranges of a file hold each line once.
"""

import math
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from curation.core.input_files import InputFile
from curation.core.protocols import Piece
from curation.sources.frames import MAX_WINDOW, zstd_frame
from curation.sources.inflate import OnFault, OnPassed, container, spans
from curation.sources.read_ahead import Window, open_raw
from curation.sources.units import group
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Out, kernel
from curation.text.matches import Bools

COMPRESSED = (".gz", ".zst", ".lz4", ".xz", ".7z", ".bz2")
PACKED = "|".join(ending[1:] for ending in COMPRESSED)  # for patterns of names
BLOCK_BYTES = 8 << 20  # a block ends with the line that passes this size
MAX_DEPTH = 200  # of nesting; parsers recurse
MAX_VALUES = 4 << 20  # in one line; Python's parser takes about 100 bytes for a value of two bytes


class LineBlock(NamedTuple):
    """Whole lines; `offset` is that of the first byte in the decompressed file."""

    data: bytes
    offset: int


def line_units(files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
    """Groups small files and cuts large plain ones into byte ranges; a compressed file is never cut."""
    pieces: list[tuple[Piece, int]] = []
    for file in files:
        ranges = 1 if is_compressed(file.path) else max(1, math.ceil(file.size / split_bytes))
        if ranges == 1:
            pieces.append((Piece.of(file), file.size))
            continue
        cuts = [file.size * i // ranges for i in range(ranges + 1)]
        pieces += [(Piece.of(file, a, b), b - a) for a, b in pairwise(cuts)]
    return group(pieces, group_bytes)


def is_compressed(path: str) -> bool:
    """Whether the name says so; that of a URL may be followed by a query, as in a signed link."""
    name = path.partition("?")[0] if "://" in path else path
    return name.lower().endswith(COMPRESSED)


def line_blocks(
    piece: Piece,
    *,
    max_line: int,
    on_fault: OnFault,
    on_long: OnFault,
    max_window: int = MAX_WINDOW,
    content: Iterator[bytes] | None = None,
    on_passed: OnPassed = lambda *_: None,
) -> Iterator[LineBlock]:
    """Blocks of the lines that begin in the piece's bytes. Only plain files have ranges.

    A line longer than `max_line` bytes is left out and reported to `on_long`; damage in a compressed file, such as a
    zstd frame that refers back by more than `max_window` bytes, is reported to `on_fault`, and the bytes behind it of
    which nothing is read to `on_passed`. `content` stands for that of a whole file that is packed otherwise. Raises
    InputError if there is no such file.
    """
    stop = piece.stop
    offset = max(piece.start - 1, 0)
    passing = piece.start > 0  # skip the end of a line that begins in the range before
    waiting = bytearray()  # a list of chunks would take 20 times the bytes of a file of tiny gzip members
    for chunk in content or file_chunks(piece.path, offset, piece.start > 0, on_fault, max_window, on_passed):
        waiting += chunk
        size = len(waiting)
        full = (size >= BLOCK_BYTES or 0 <= stop <= offset + size) and b"\n" in chunk
        if not (full or passing or size > max_line):
            continue
        data = bytes(waiting)
        if passing:
            begin = data.find(b"\n") + 1
            offset += begin or len(data)
            data = data[begin:] if begin else b""
            passing = not begin
        whole = _whole_lines(data, offset, stop)
        yield from _without_long(LineBlock(data[:whole], offset), max_line, on_long)
        offset += whole
        waiting = bytearray(data[whole:])
        if 0 <= stop <= offset:
            return
        if len(waiting) > max_line:
            on_long(offset, f"line longer than {max_line} bytes")
            offset = offset + len(waiting)
            waiting = bytearray()
            passing = True
    if not passing and waiting:
        yield LineBlock(bytes(waiting), offset)


def _without_long(block: LineBlock, max_line: int, on_long: OnFault) -> Iterator[LineBlock]:
    """The block in the parts that its lines of more than `max_line` bytes leave; those are reported."""
    begin = 0
    if len(block.data) > max_line:
        breaks = np.flatnonzero(np.frombuffer(block.data, np.uint8) == 10)
        starts = np.concatenate([np.zeros(1, np.int64), breaks[:-1] + 1])
        for line in np.flatnonzero(breaks - starts > max_line).tolist():
            start = int(starts[line])
            if start > begin:
                yield LineBlock(block.data[begin:start], block.offset + begin)
            on_long(block.offset + start, f"line longer than {max_line} bytes")
            begin = int(breaks[line]) + 1
    if begin < len(block.data):
        yield LineBlock(block.data[begin:], block.offset + begin)


def _whole_lines(data: bytes, offset: int, stop: int) -> int:
    """How many bytes of `data`, at `offset` in the file, are whole lines that begin before `stop`."""
    if 0 <= stop <= offset:
        return 0
    last = data.find(b"\n", stop - offset - 1) if 0 <= stop <= offset + len(data) else -1
    return (last if last >= 0 else data.rfind(b"\n")) + 1


def file_chunks(
    path: str,
    start: int,
    plain: bool,
    on_fault: OnFault,
    max_window: int = MAX_WINDOW,
    on_passed: OnPassed = lambda *_: None,
) -> Generator[bytes, None, None]:
    """A file from byte `start` on, decompressed unless it is `plain`."""
    with closing(open_raw(path, start)) as raw:
        window = Window(raw)
        codec = None if plain else container(window)
        if codec and codec.member is zstd_frame:
            codec = codec._replace(member=partial(zstd_frame, max_window=max_window))
        for span in spans(window, codec, on_fault, on_passed=on_passed):
            # Where bytes are missing, the end of one line and the beginning of another must not become one line.
            yield b"\n" + span.data if span.gap else span.data


def line_bounds(data: bytes) -> tuple[Indices, Indices]:
    """int64[N] each: begin and end of the lines that are not blank, without white space around them."""
    view = np.frombuffer(data, np.uint8)
    breaks = np.flatnonzero(view == 10)
    starts = np.concatenate([np.zeros(1, np.int64), breaks + 1])
    stops = np.concatenate([breaks, np.full(1, len(data), np.int64)])
    _strip(view, starts, stops)
    filled = stops > starts
    return starts[filled], stops[filled]


@kernel
def _strip(data: Bytes, starts: Out[Indices], stops: Out[Indices]) -> None:
    for i in range(len(starts)):
        while stops[i] > starts[i] and data[stops[i] - 1] in (9, 13, 32):
            stops[i] -= 1
        while stops[i] > starts[i] and data[starts[i]] in (9, 13, 32):
            starts[i] += 1


@kernel
def line_shapes(data: Bytes, starts: Indices, stops: Indices) -> tuple[Indices, Indices, Bools]:
    """How many JSON values each line holds at most (each is preceded by a bracket or a comma), how deep it is nested,
    int64[N] each, and bool[N]: whether it is one {…} and nothing else, without a bare word that has an I.

    pyarrow 26's JSON reader takes a stream of values, not lines, and dies (SIGSEGV) on a bare null or on deep nesting,
    so its input must be such objects. It takes `Inf` for a number, which is not JSON by any other parser.
    """
    values = np.zeros(starts.size, np.int64)
    deepest = np.zeros(starts.size, np.int64)
    sole = np.zeros(starts.size, np.bool_)
    for i in range(starts.size):
        one = data[starts[i]] == 123
        depth = 0
        quoted = False
        at = starts[i]
        while at < stops[i]:
            byte = data[at]
            if quoted:
                while byte != 34 and byte != 92 and at + 1 < stops[i]:
                    at += 1
                    byte = data[at]
                at += byte == 92  # a backslash escapes the next byte
                quoted = byte != 34
            elif byte == 34:
                quoted = True
            elif byte == 123 or byte == 91:
                depth += 1
                deepest[i] = max(deepest[i], depth)
                values[i] += 1
            elif byte == 125 or byte == 93:
                depth -= 1
            elif byte == 44:
                values[i] += 1
            elif byte == 92:
                at += 1
                one = False
            elif byte == 73:
                one = False
            one = one and (depth != 0 or at == stops[i] - 1)
            at += 1
        sole[i] = one and depth == 0 and not quoted
    return values, deepest, sole
