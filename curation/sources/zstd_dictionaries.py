"""Reads the zstd dictionary that a file holds before its frames, as web archives of the form `.warc.zst` do.

A skippable frame of the type 0x184D2A5D holds the dictionary, either as it is or compressed as a zstd frame. The
dictionary holds for the frames after it, up to the next one. Frames of other types are passed over.

Sources: IIPC, "Zstandard Compression of WARC Files" (WARC-zstd 1.0); RFC 8878, section 5 (dictionaries).
"""

import io
import re
from typing import NamedTuple

import zstandard

from curation.sources.frames import MAX_SKIPPED, SKIPPABLE, ZSTD, zstd_frame
from curation.sources.read_ahead import Raw, Window

DICTIONARY_FRAME = re.compile(rb"\x5d\x2a\x4d\x18")
MAX_DICTIONARY = MAX_SKIPPED  # bytes of a dictionary, also after decompression

_FORMATTED = b"\x37\xa4\x30\xec"  # begins a dictionary with tables; any other content is a raw dictionary
_HEAD = 8  # bytes of a skippable frame before its content


class NextFrame(NamedTuple):
    """Where the next frame begins, the last dictionary before it, and what is wrong with a dictionary at `offset`."""

    offset: int
    dictionary: zstandard.ZstdCompressionDict | None = None
    error: str | None = None


def pass_skippable(window: Window, offset: int) -> NextFrame:
    """Passes the skippable frames that begin at `offset`. It stops at a dictionary that cannot be read, and without an
    error at another frame that is longer than MAX_SKIPPED or than the file."""
    dictionary = None
    while SKIPPABLE.match(head := window.at(offset, _HEAD)):
        size = int.from_bytes(head[4:], "little")
        holds_dictionary = DICTIONARY_FRAME.match(head) is not None
        if size > MAX_SKIPPED:
            error = f"zstd dictionary states {size:,} bytes, and at most {MAX_SKIPPED:,} are read"
            return NextFrame(offset, dictionary, error if holds_dictionary else None)
        content = window.at(offset + _HEAD, size)
        if len(head) < _HEAD or len(content) < size:
            error = "zstd dictionary is cut short by the end of the file"
            return NextFrame(offset, dictionary, error if holds_dictionary else None)
        if holds_dictionary:
            try:
                dictionary = _dictionary(content)
            except zstandard.ZstdError as failure:
                return NextFrame(offset, dictionary, f"zstd dictionary cannot be read: {failure}")
        offset += _HEAD + size
    return NextFrame(offset, dictionary)


def _dictionary(content: bytes) -> zstandard.ZstdCompressionDict:
    """Raises ZstdError if the content is no dictionary."""
    data = _decompressed(content) if ZSTD.match(content) else content
    kind = zstandard.DICT_TYPE_FULLDICT if data.startswith(_FORMATTED) else zstandard.DICT_TYPE_RAWCONTENT
    dictionary = zstandard.ZstdCompressionDict(data, dict_type=kind)
    if data:
        zstandard.ZstdDecompressor(dict_data=dictionary).decompressobj()  # only this checks its tables
    return dictionary


def _decompressed(content: bytes) -> bytes:
    pieces = zstd_frame(Window(Raw("", io.BytesIO(content))), 0)
    data = bytearray()
    while len(data) <= MAX_DICTIONARY:
        try:
            data += next(pieces)
        except StopIteration as stop:
            if stop.value.error:
                raise zstandard.ZstdError(stop.value.error) from None
            return bytes(data)
    raise zstandard.ZstdError(f"it decompresses to more than {MAX_DICTIONARY:,} bytes")
