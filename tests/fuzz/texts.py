"""Hostile texts, and the ways in which one array of text may lie in memory."""

import ctypes
import mmap
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from curation.core.document import DOCUMENT
from tests.mutations import mutated
from tests.support import documents

MOST_BYTES = 1 << 16  # of an array's texts
PROSE = [
    "the ", "people of the town have to read. ", "a", "x1 ", "the cat sat on the mat. " * 4, "word " * 30, "A" * 70,
]  # fmt: skip
MARKS = [
    "\n", "\n\n", "\r\n", " ", "\t", "…", "...", "- item\n", "* ", "#", "{", "}", "'" * 3, '"', "\\", "\0", "\u2028",
]  # fmt: skip
SCRIPTS = [
    "中文。", "日本語の文", "é", "e\u0301", "Ã©", "â€™", "😀", "👩\u200d👧",
    "שלום", "ﬁ", "İ", "ẞ", "\u200f", "\ufeff", "\ufffd",
]  # fmt: skip
WEB = ["3 likes", "[1]", "[[1]2]", "read more", "cookie policy", "lorem ipsum", "<!-- ", "-->", "/* c */", "// c\n"]
ADDRESSES = [
    "https://www.example.org:80/a/../b?x=1#y", "http://bücher.example/%7Euser/", "192.0.2.1", "ann@example.org",
]  # fmt: skip
FINDINGS = [
    "AKIAZ7QX2M4WTB6PKD3H", "+49 30 123456", "4111 1111 1111 1111", "aGVsbG8gd29ybGQgaGVsbG8=" * 3, "\\x41\\u0042",
]  # fmt: skip
INVALID = [
    b"\xff", b"\xc3", b"\xe2\x80", b"\xf0\x9f\x98", b"\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf",
]  # fmt: skip
BYTES = [piece.encode() for piece in PROSE + MARKS + SCRIPTS + WEB + ADDRESSES + FINDINGS] + INVALID
WAYS = ("end", "front", "slice", "chunks", "nulls", "narrow")

_LIBC = ctypes.CDLL(None, use_errno=True)
_NOTHING = 0  # PROT_NONE


class GuardedMemory:
    """Room for one buffer of at most `size` bytes at a time, against the page after it or the one before it. Who reads
    or writes one byte beyond its buffer ends the process."""

    def __init__(self, size: int) -> None:
        self.size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        self._map = mmap.mmap(-1, self.size + 2 * mmap.PAGESIZE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._map)) + mmap.PAGESIZE
        for page in (self.address - mmap.PAGESIZE, self.address + self.size):
            if _LIBC.mprotect(ctypes.c_void_p(page), mmap.PAGESIZE, _NOTHING):
                raise OSError(ctypes.get_errno(), "mprotect")

    def buffer(self, data: bytes, *, at_end: bool) -> pa.Buffer:
        """A view of the memory with `data` in it; the next call overwrites it."""
        place = self.size - len(data) if at_end else 0
        self._map[mmap.PAGESIZE + place : mmap.PAGESIZE + place + len(data)] = data
        return pa.foreign_buffer(self.address + place, len(data), self._map)


_data = GuardedMemory(4 * MOST_BYTES)
_offsets = GuardedMemory(1 << 12)


def hostile_texts(rng: random.Random, *, valid: bool = False, most: int = 6) -> list[bytes]:
    """Up to `most` texts of up to a few hundred bytes; some are no UTF-8 unless they must be `valid`."""
    texts = [_text(rng) for _ in range(rng.randint(0, most))]
    return [text.decode("utf-8", "replace").encode() for text in texts] if valid else texts


def _text(rng: random.Random) -> bytes:
    pieces = rng.choices(BYTES, k=rng.choice((0, 1, 2, 8, 30)))
    text = b"".join(pieces)
    return mutated(text, rng, most=2)[: MOST_BYTES // 8] if rng.random() < 0.3 else text


def as_array(texts: Sequence[bytes | None]) -> pa.Array:
    """large_string[N] in memory of its own, of bytes that need not be UTF-8."""
    return pa.array(texts, pa.large_binary()).view(pa.large_string())


def laid_out(texts: list[bytes], way: str, rng: random.Random) -> pa.Array | pa.ChunkedArray:
    """The same texts in one of `WAYS`: against a guard page behind or before them, as a slice, in chunks, with nulls
    for empty texts, or with offsets of 32 bits."""
    if way in ("end", "front"):
        offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64).tobytes()
        buffers = [
            _offsets.buffer(offsets, at_end=way == "end"),
            _data.buffer(b"".join(texts), at_end=way == "end"),
        ]
        return pa.Array.from_buffers(pa.large_string(), len(texts), [None, *buffers])
    if way == "slice":
        before = hostile_texts(rng)
        after = hostile_texts(rng)
        return as_array([*before, *texts, *after]).slice(len(before), len(texts))
    if way == "chunks":
        cuts = sorted(rng.randint(0, len(texts)) for _ in range(2))
        parts = (texts[: cuts[0]], texts[cuts[0] : cuts[1]], texts[cuts[1] :])
        return pa.chunked_array([as_array(part) for part in parts], pa.large_string())
    if way == "nulls":
        return as_array([text or None for text in texts])
    return pa.array(texts, pa.binary()).view(pa.string())


def batch(texts: list[bytes], array: pa.Array) -> pa.RecordBatch:
    """A DOCUMENT batch with this array as its texts; the urls are the texts too, as far as they are UTF-8."""
    made = documents(*[""] * len(texts), url=[text.decode("utf-8", "replace") for text in texts])
    place = made.schema.get_field_index("text")
    return made.set_column(place, DOCUMENT.field("text"), array)


def plain(value: Any) -> Any:
    """A result as values that can be compared: arrays as lists, spans as the bytes that they hold, no text as empty."""
    if hasattr(value, "starts") and hasattr(value, "stops") and hasattr(value, "data"):
        data = value.data.tobytes()
        spans = zip(value.starts.tolist(), value.stops.tolist(), strict=True)
        return [data[start:stop] for start, stop in spans], np.diff(getattr(value, "first", [])).tolist()
    if isinstance(value, pa.Array | pa.ChunkedArray):
        binary = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}.get(value.type)
        return [one or b"" for one in value.cast(binary).to_pylist()] if binary else value.to_pylist()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, tuple | list) else value


def assert_same(result: Any, expected: Any) -> None:
    """As text, so that NaN equals NaN."""
    assert repr(plain(result)) == repr(expected)
