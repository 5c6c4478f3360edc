"""Texts as patterns read them: values in ASCII, and a mark where a value touches a letter of another script.

A pattern for personal data is written for ASCII: it knows a blank and a hyphen, and its `\\b` is no boundary between
Latin letters and those of a script that puts no spaces between words. So the patterns run over a copy of the text:

    MARK           between a Latin letter, a digit, `+`, `(`, `[` or `@` and a letter or mark of another script; where a
                   sign such as a hyphen stands between the two, beside the value
    blank          for the spaces of Unicode's category Zs
    ASCII          for decimal digits of any script, and for full-width letters, `@` and `+`
    - . : / ( )    for the other hyphens, dashes, middle dots, colons and full-width signs, inside a value only
    blank, MARK    for an invisible character between two digits; for one at the edge of a value
    nothing        for an invisible character elsewhere in a value

Everything else stays, byte for byte. `Readable.source` gives the bytes that stand at a place of the copy.
Source: Unicode Character Database (general categories, Script), of the running Python and of the module `regex`.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from curation.text.kernels.blocks import BLOCK, REACH, copy_bytes, first_bits, window
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.instructions import below, lowest
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel
from curation.text.kernels.unicode import Classes
from curation.text.patterns.value_signs import (
    BEGINS,
    BETWEEN,
    COLON,
    COMBINING,
    DASH,
    FOREIGN,
    LONG_VOWEL,
    MARK,
    OWN,
    SIGN,
    UNSEEN,
    between_pairs,
    instead,
    is_alphanumeric,
    next_kind,
    sign_at,
    sign_table,
)

_BYTES_PER_STEP = 32  # fewer are rare; then the steps are counted first


@dataclass(frozen=True)
class Readable:
    """A copy of N texts, and where each stretch of it that stays in step with the texts begins: int64[E, 2], the byte
    of the copy and the byte of the texts."""

    data: Bytes
    offsets: Indices
    steps: npt.NDArray[np.int64]
    marks: Indices  # int64[N]: of each text
    origin: Bytes

    def source(self, start: int, stop: int) -> tuple[int, int]:
        """Bytes [start, stop) of the copy, whole characters and at least one -> those of the texts."""
        last = self._before(stop - 1)  # of a character: its first byte where the copy has another, else its last byte
        byte = int(self.origin[last])
        size = 1 if byte < 0xC0 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
        return self._before(start), last + size

    def place(self, start: int, stop: int) -> tuple[int, int]:
        """Bytes [start, stop) of the texts -> those of the copy, without marks around them."""
        own = self.steps[:, 1]
        first = int(np.searchsorted(own, start, "right")) - 1
        last = int(np.searchsorted(own, stop, "left")) - 1
        end = int(self.steps[last, 0] + stop - own[last])
        if last + 1 < len(self.steps):
            end = min(end, int(self.steps[last + 1, 0]))
        return int(self.steps[first, 0] + start - own[first]), end

    def _before(self, at: int) -> int:
        copied, own = map(int, self.steps[np.searchsorted(self.steps[:, 0], at, "right") - 1])
        return own + at - copied


def readable(data: Bytes, offsets: Indices) -> Readable:
    """The copy of N texts; the texts themselves where nothing differs."""
    first = int(offsets[0])
    stop = int(offsets[-1])
    room: int = (stop - first) // _BYTES_PER_STEP + len(offsets)
    while True:
        out = np.empty(2 * (stop - first), np.uint8)  # each mark stands beside a character of two bytes or more
        ends = np.zeros(len(offsets), np.int64)
        marks = np.zeros(len(offsets) - 1, np.int64)
        steps = np.empty((room, 2), np.int64)
        found = int(_write(data, offsets, sign_table(), out, ends, marks, steps))
        if found <= room:
            break
        room = found
    if found == len(offsets):
        return Readable(data, offsets, np.array([[first, first]], np.int64), marks, data)
    return Readable(out[: ends[-1]], ends, steps[:found], marks, data)


@kernel
def _step(steps: Grid[Out[Indices]], found: Int, to: Int, at: Int) -> Int:
    """Note that byte `to` of the copy is byte `at` of the texts; returns how many notes there are."""
    if found < len(steps):
        steps[found, 0] = to
        steps[found, 1] = at
    return found + 1


@kernel
def _ascii_end(data: Bytes, at: Int, stop: Int, pad: Out[Bytes]) -> Int:
    """Where the ASCII characters from byte `at` on end."""
    while at < stop:
        others = ~below(window(data, at, pad), 0x80) & first_bits(stop - at)
        if others:
            return at + lowest(others)
        at += BLOCK
    return stop


@kernel
def _unseen_end(data: Bytes, at: Int, stop: Int, entries: Classes) -> Int:
    """Where the invisible characters from byte `at` on end."""
    while at < stop:
        kind, _, _, size = sign_at(data, at, stop, entries)
        if kind != UNSEEN:
            break
        at += size
    return at


@kernel
def _read(data: Bytes, begin: Int, at: Int, stop: Int, entries: Classes, left: Int) -> tuple[Int, Int, Int]:
    """The character beyond ASCII at byte `at`, or the invisible ones: its kind, where it ends, and the byte that takes
    its place; 0: none; -1: it stays. The text begins at byte `begin`."""
    kind, own, code, size = sign_at(data, at, stop, entries)
    end = at + size
    if kind & (DASH | COLON) and between_pairs(data, begin, at, end, stop):
        return kind, end, own
    if kind & BETWEEN:
        own = instead(kind, own, left, next_kind(data, end, stop, entries))
        if code == LONG_VOWEL and own < 0:
            return FOREIGN, end, -1
        return kind, _unseen_end(data, end, stop, entries) if kind == UNSEEN and own >= 0 else end, own
    return kind, end, own if own > 0 else -1


@kernel
def _mark(out: Out[Bytes], to: Int, steps: Grid[Out[Indices]], found: Int, at: Int) -> Int:
    """Write a mark at byte `to`, before what is byte `at` of the texts; returns how many steps there are."""
    out[to] = MARK
    return _step(steps, found, to + 1, at)


@kernel
def _is_parted(data: Bytes, begin: Int, at: Int, kind: Int, left: Int) -> bool:
    """Whether the letter of another script at byte `at` stands behind a sign that stands behind a value."""
    return bool(kind == FOREIGN and left == SIGN and at - 2 >= begin and is_alphanumeric(data[at - 2]))


@kernel
def _write(
    data: Bytes,
    offsets: Indices,
    entries: Classes,
    out: Out[Bytes],
    ends: Out[Indices],
    marks: Out[Indices],
    steps: Grid[Out[Indices]],
) -> Int:
    """Write the copy, where each text ends in it, how many marks it has, and the steps for which there is room. Returns
    how many steps there are: as many as `offsets` has where nothing differs."""
    pad = np.empty(REACH, np.uint8)
    to: Int = 0
    found: Int = _step(steps, 0, 0, offsets[0])
    for document in range(offsets.size - 1):
        begin = at = offsets[document]
        stop = offsets[document + 1]
        found = _step(steps, found, to, at)
        left: Int = 0
        while at < stop:
            end = _ascii_end(data, at, stop, pad)
            own: Int = -1
            if end > at:
                kind = sign_at(data, at, stop, entries)[0]
            else:
                kind, end, own = _read(data, begin, at, stop, entries, left)
            if _is_parted(data, begin, at, kind, left):
                found = _mark(out, to - 1, steps, found, at - 1)
                out[to] = data[at - 1]
                to += 1
                marks[document] += 1
            elif (kind & BEGINS and left == FOREIGN) or (kind == FOREIGN and left & OWN):
                found = _mark(out, to, steps, found, at)
                to += 1
                marks[document] += 1
            if kind == SIGN and left == FOREIGN:
                end = at + 1 if own < 0 else end
                kind = FOREIGN  # the mark stands behind the sign
            if own < 0:
                to = copy_bytes(data, at, end, out, to)
            else:
                out[to] = own
                to += own > 0
                found = _step(steps, found, to, end)
            if data[at] < 0x80 and kind != FOREIGN:
                left = sign_at(data, end - 1, stop, entries)[0]
            elif kind & (UNSEEN | COMBINING) == 0:
                left = kind
            at = end
        ends[document + 1] = to
    return found
