"""Damages bytes in the ways that break readers: a pure function of the bytes and a random generator."""

import random
import re
import struct
from collections.abc import Callable

NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 62, (1 << 63) - 1, 1 << 63)
TEXT_TOKENS = (
    b"\n",
    b"\r\n",
    b"\r\n\r\n",
    b" ",
    b'"',
    b"{",
    b"[" * 300,
    b":",
    b",",
    b"null",
    b"true",
    b"NaN",
    b"1e309",
)
DIGIT_TOKENS = (b"-1", b"0", b"9" * 20, b"9" * 400, b"FFFFFFFFFFFFFFFF", b"\\ud800", b"\\u0000")
BYTE_TOKENS = (b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xf4\x90\x80\x80")  # most are no UTF-8
MAGIC_TOKENS = (b"WARC/1.0\r\n", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"PK\x03\x04", b"PAR1")
TOKENS = TEXT_TOKENS + DIGIT_TOKENS + BYTE_TOKENS + MAGIC_TOKENS
_ASCII_NUMBER = re.compile(rb"\d+")

Mutation = Callable[[bytearray, random.Random], None]


def mutated(data: bytes, rng: random.Random, *, most: int = 4) -> bytes:
    """`data` with one to `most` damages, each at a random place. The same generator state gives the same bytes.

    Damages are flipped bits, other bytes, extreme numbers (binary and in digits), tokens of the formats that winnow
    reads, and pieces that are cut out, repeated, moved or missing at the end.
    """
    out = bytearray(data)
    for _ in range(rng.randint(1, most)):
        rng.choice(_MUTATIONS)(out, rng)
    return bytes(out)


def _place(data: bytearray, rng: random.Random) -> tuple[int, int]:
    """Begin and end of a piece, mostly a short one."""
    start = rng.randint(0, len(data))
    longest = max(len(data) - start, 0)
    return start, start + min(longest, rng.choice((1, 2, 4, 8, rng.randint(1, 64), rng.randint(1, 4096))))


def _flip(data: bytearray, rng: random.Random) -> None:
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _noise(data: bytearray, rng: random.Random) -> None:
    start, stop = _place(data, rng)
    data[start:stop] = rng.randbytes(stop - start)


def _number(data: bytearray, rng: random.Random) -> None:
    """An extreme number of 1, 2, 4 or 8 bytes, in either byte order."""
    code = rng.choice("BHIQ")
    packed = struct.pack(rng.choice("<>") + code, rng.choice(NUMBERS) % (1 << 8 * struct.calcsize(code)))
    start = rng.randint(0, max(len(data) - len(packed), 0))
    data[start : start + len(packed)] = packed


def _digits(data: bytearray, rng: random.Random) -> None:
    """Another value for a number that is written in digits."""
    found = [match.span() for match in _ASCII_NUMBER.finditer(data)]
    if found:
        start, stop = rng.choice(found)
        data[start:stop] = rng.choice((b"", b"-1", b"%d" % rng.choice(NUMBERS), b"9" * rng.choice((5, 19, 20, 400))))


def _token(data: bytearray, rng: random.Random) -> None:
    start, stop = _place(data, rng)
    data[start : rng.choice((start, stop))] = rng.choice(TOKENS)


def _cut_out(data: bytearray, rng: random.Random) -> None:
    start, stop = _place(data, rng)
    del data[start:stop]


def _repeat(data: bytearray, rng: random.Random) -> None:
    start, stop = _place(data, rng)
    data[start:start] = data[start:stop] * rng.choice((1, 2, 16))


def _move(data: bytearray, rng: random.Random) -> None:
    start, stop = _place(data, rng)
    piece = data[start:stop]
    del data[start:stop]
    to = rng.randint(0, len(data))
    data[to:to] = piece


def _end(data: bytearray, rng: random.Random) -> None:
    del data[rng.randint(0, len(data)) :]


_MUTATIONS: tuple[Mutation, ...] = (_flip, _flip, _noise, _number, _digits, _token, _cut_out, _repeat, _move, _end)
