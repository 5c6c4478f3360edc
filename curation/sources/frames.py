"""Decodes one zstd or lz4 frame, block by block.

A decoder that meets damage gives nothing of the call in which it meets it. So it is given one block at a time: what
comes before a damaged block is kept, and no call gives more than a block or takes more than the frame's window.
pyarrow's decoders are not used: they give nothing of a whole read, and each damaged stream leaks about 0.5 MB.

Sources: RFC 8878 (zstd); "LZ4 Frame Format Description" 1.6.4.
"""

import re
from collections.abc import Callable, Generator, Iterator
from typing import NamedTuple

import lz4.frame
import zstandard

from curation.sources.read_ahead import BLOCK, Window

ZSTD = re.compile(rb"\x28\xb5\x2f\xfd")
LZ4 = re.compile(rb"\x04\x22\x4d\x18")
SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
MAX_WINDOW = 128 << 20  # bytes that a zstd frame may refer back by; the zstd tool's own limit
LONG_WINDOW = 2 << 30  # such bytes of `zstd --long=31`, the most there is; its decoder takes as much memory
MAX_BLOCK = 4 << 20  # bytes of an lz4 block
MAX_SKIPPED = 16 << 20  # bytes of a skippable frame; a longer one is taken for damage

_ZSTD_HEAD = 18  # bytes at most
_RLE = 1  # a zstd block of one byte that is repeated


class End(NamedTuple):
    """Where reading goes on, and what is wrong. After damage the next member begins there or later."""

    offset: int
    error: str | None = None
    cut: bool = False  # the file ends before the member
    reached: int = 0  # before this offset the member could be read, if it is further on


Pieces = Generator[bytes, None, End]


def after_skippable(window: Window, offset: int) -> int:
    """The offset after the frames that begin here and hold no data of the file (dictionaries, tables for seeking)."""
    while SKIPPABLE.match(head := window.at(offset, 8)):
        size = 8 + int.from_bytes(head[4:], "little")
        if size > MAX_SKIPPED or len(window.at(offset, size)) < size:
            break
        offset += size
    return offset


def zstd_frame(
    window: Window,
    start: int,
    max_window: int = MAX_WINDOW,
    dictionary: zstandard.ZstdCompressionDict | None = None,
) -> Pieces:
    """The pieces of the zstd frame that begins at `start`; `dictionary` is for frames that need one."""
    decoder = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=max_window).decompressobj()
    known = dictionary.dict_id() if dictionary else 0

    def decode(data: bytes) -> Iterator[bytes]:
        yield decoder.decompress(data)

    return _frame(window, start, "zstd", _zstd_sizes(window, start, max_window, known), decode)


def lz4_frame(window: Window, start: int) -> Pieces:
    """The pieces of the lz4 frame that begins at `start`."""
    decoder = lz4.frame.LZ4FrameDecompressor()

    def decode(data: bytes) -> Iterator[bytes]:
        yield decoder.decompress(data, BLOCK)
        while not (decoder.eof or decoder.needs_input):
            yield decoder.decompress(b"", BLOCK)

    return _frame(window, start, "lz4", _lz4_sizes(window, start), decode)


def _frame(
    window: Window, start: int, name: str, sizes: Iterator[int], decode: Callable[[bytes], Iterator[bytes]]
) -> Pieces:
    offset = start
    try:
        for size in sizes:
            window.forget(offset)
            data = window.at(offset, size)
            yield from decode(data)
            if len(data) < size:
                return End(max(offset, start + 1), f"{name} frame is cut short by the end of the file", cut=True)
            offset += size
    except (zstandard.ZstdError, RuntimeError) as error:  # lz4 raises RuntimeError
        return End(max(offset, start + 1), f"damaged {name} frame: {error}")
    return End(offset)


def _zstd_sizes(window: Window, start: int, max_window: int, dictionary: int) -> Iterator[int]:
    """Bytes of the header, then of each block; the checksum goes with the last. `dictionary` is the number of the one
    that is at hand, 0 if there is none."""
    head = window.at(start, _ZSTD_HEAD)
    frame = zstandard.get_frame_parameters(head)
    if frame.dict_id and frame.dict_id != dictionary:
        raise zstandard.ZstdError(f"it needs dictionary {frame.dict_id}, which the file does not hold before it")
    if frame.window_size > max_window:
        raise zstandard.ZstdError(
            f"it needs {frame.window_size >> 20} MiB of memory to be read, and {max_window >> 20} are allowed; "
            "compress the file without `--long`"
        )
    size = zstandard.frame_header_size(head)
    offset = start + size
    yield size
    last = False
    while not last:
        header = int.from_bytes(window.at(offset, 3), "little")
        last = bool(header & 1)
        size = 3 + (1 if header >> 1 & 3 == _RLE else header >> 3) + (4 if last and frame.has_checksum else 0)
        yield size
        offset += size


def _lz4_sizes(window: Window, start: int) -> Iterator[int]:
    """Bytes of the header, of each block, and of the end mark with the checksum."""
    flags = int.from_bytes(window.at(start + 4, 1), "little")
    size = 7 + (8 if flags & 8 else 0) + (4 if flags & 1 else 0)
    offset = start + size
    yield size
    while stated := int.from_bytes(window.at(offset, 4), "little"):
        length = stated & 0x7FFFFFFF  # the highest bit says that the block is stored as it is
        if length > MAX_BLOCK:
            raise RuntimeError(f"a block of {length} bytes")
        size = 4 + length + (4 if flags & 16 else 0)
        yield size
        offset += size
    yield 4 + (4 if flags & 4 else 0)
