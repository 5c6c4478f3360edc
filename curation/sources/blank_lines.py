"""Texts that a blank line ends, as in CC-100 and the first OSCAR, and the metadata that lies in a file beside them."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from curation.core.protocols import Piece
from curation.sources.field_values import parsed
from curation.sources.inflate import OnFault
from curation.sources.lines import LineBlock, line_blocks, line_bounds

MAX_ROW = 1 << 20  # bytes of a document's metadata

_BLANK = re.compile(rb"\n(?:[ \t\r]*\n)+")
_NAME = re.compile(r"((?:_part_\d+)?)\.txt((?:\.\w+)?)$")


class BlankLineText(NamedTuple):
    """A document: where it begins in the decompressed file, and its bytes; None if they are too many."""

    offset: int
    content: bytes | None


def blank_line_texts(blocks: Iterable[LineBlock], most: int) -> Iterator[BlankLineText]:
    """The documents between blank lines, without line breaks around them; none is empty. One of more than `most` bytes
    is not held."""
    held = b""
    begin = 0  # of what is held, in the file
    passing = False  # what is held is the end of a document that was too long
    for block in blocks:
        data = held + block.data
        begin = block.offset - len(held)
        start = 0
        for blank in _BLANK.finditer(data):
            if not passing:
                yield from _text(data, start, blank.start(), begin, most)
            passing = False
            start = blank.end()
        held = data[start:]
        begin += start
        if len(held) > most:
            if not passing:
                yield BlankLineText(begin, None)
            passing = True
            begin += len(held) - 1
            held = held[-1:]  # its break may be the first of a blank line
    if not passing:
        yield from _text(held, 0, len(held), begin, most)


def _text(data: bytes, start: int, stop: int, begin: int, most: int) -> Iterator[BlankLineText]:
    content = data[start:stop].strip(b"\r\n")
    if content.strip():
        before = stop - start - len(data[start:stop].lstrip(b"\r\n"))
        yield BlankLineText(begin + start + before, content if len(content) <= most else None)


def sidecar_of(path: str) -> str | None:
    """The file with the metadata of a file of texts: of `fr_part_1.txt.gz`, `fr_meta_part_1.jsonl.gz`; None if `path`
    is not named as a file of texts."""
    match = _NAME.search(path)
    return f"{path[: match.start()]}_meta{match[1]}.jsonl{match[2]}" if match else None


def sidecar_rows(path: str, on_fault: OnFault) -> Iterator[dict[str, Any] | None]:
    """The JSON object of each line; None for a line that is none. Raises InputError if there is no such file."""
    for block in line_blocks(Piece(path), max_line=MAX_ROW, on_fault=on_fault, on_long=on_fault):
        for start, stop in zip(*(bounds.tolist() for bounds in line_bounds(block.data)), strict=True):
            row = parsed(block.data[start:stop].decode("utf-8", "replace"))
            yield row if isinstance(row, dict) else None
