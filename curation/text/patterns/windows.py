"""Windows of texts in which a pattern could match, found over Arrow buffers and joined to one short text.

D documents, R runs of anchors, W windows. What an anchor is, and how far a match reaches from it, says
`curation/text/patterns/shape.py`.
"""

import bisect
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel
from curation.text.kernels.unicode import Classes, class_of, decode
from curation.text.patterns.anchors import SPACE, back, classes, forward
from curation.text.patterns.shape import UNBOUNDED, Shape

_SEPARATOR = 0  # NUL: no pattern matches it, and next to it \b is what it is at the end of a text


@kernel
def _within(data: Bytes, at: Int, stop: Int, gap: Int, classes: Classes) -> bool:
    """Whether data[at:stop] has at most `gap` characters that are no whitespace."""
    while at < stop:
        code, size = decode(data, at, stop)
        if class_of(classes, code) & SPACE == 0:
            gap -= 1
            if gap < 0:
                return False
        at += size
    return True


@kernel
def _characters(data: Bytes, start: Int, stop: Int) -> Int:
    count: Int = 0
    for at in range(start, stop):
        if data[at] & 0xC0 != 0x80:
            count += 1
    return count


@kernel
def _word(
    data: Bytes, begin: Int, end: Int, runs: Grid[Indices], run: Int, classes: Classes
) -> tuple[Int, Int, Int, Int]:
    """The run of word characters that holds a run of anchors: its bounds, its anchors, and the next run."""
    start = back(data, begin, runs[run, 0], 0, end - begin, classes)
    stop = forward(data, runs[run, 1], end, 0, end - begin, classes)
    count: Int = 0
    while run < len(runs) and runs[run, 0] < stop:
        count += runs[run, 2]
        run += 1
    return start, stop, count, run


@kernel
def _chain(
    data: Bytes, runs: Grid[Indices], run: Int, gap: Int, longest: Int, classes: Classes
) -> tuple[Int, Int, Int, Int]:
    """The chain that a run of anchors begins: its bounds, its anchors, and the next run. One longer than `longest` is a
    chain of its own without anchors."""
    start = runs[run, 0]
    stop = runs[run, 1]
    count = runs[run, 2]
    document = runs[run, 3]
    run += 1
    if count > longest:
        return start, stop, 0, run
    while run < len(runs) and runs[run, 3] == document and runs[run, 2] <= longest:
        if not _within(data, stop, runs[run, 0], gap, classes):
            break
        count += runs[run, 2]
        stop = runs[run, 1]
        run += 1
    return start, stop, count, run


@kernel
def _with_window(windows: Grid[Out[Indices]], found: Int, start: Int, stop: Int, document: Int) -> Int:
    """Write one window more, or widen the last one where they touch; returns how many there are now."""
    if found > 0 and windows[found - 1, 2] == document and start <= windows[found - 1, 1]:
        windows[found - 1, 1] = max(stop, windows[found - 1, 1])
        windows[found - 1, 0] = min(start, windows[found - 1, 0])
        return found
    windows[found, 0] = start
    windows[found, 1] = stop
    windows[found, 2] = document
    return found + 1


@kernel
def _chains(
    data: Bytes,
    offsets: Indices,
    runs: Grid[Indices],
    anchors: Int,
    gap: Int,
    lead: Int,
    trail: Int,
    before: Int,
    after: Int,
    shortest: Int,
    longest: Int,
    classes: Classes,
    windows: Grid[Out[Indices]],
) -> Int:
    """Write first byte, the byte after the last, and document of each window; returns their number."""
    found: Int = 0
    solid = longest + 1 if longest < UNBOUNDED else 0
    run: Int = 0
    while run < len(runs):
        document = runs[run, 3]
        begin = offsets[document]
        end = offsets[document + 1]
        if shortest > 0:
            start, stop, count, run = _word(data, begin, end, runs, run, classes)
            if count < anchors or not shortest <= _characters(data, start, stop) <= longest:
                continue
        else:
            start, stop, count, run = _chain(data, runs, run, gap, longest, classes)
            if count < anchors:
                continue
            # Chains that touch share a window: only the first is followed back and only the last one forward.
            while run < len(runs) and runs[run, 3] == document:
                after_next = _chain(data, runs, run, gap, longest, classes)
                if after_next[2] < anchors or forward(data, stop, after_next[0], trail, 0, classes) < after_next[0]:
                    break
                stop = after_next[1]
                run = after_next[3]
            start = back(data, begin, start, lead, 0, classes)
            stop = forward(data, stop, end, trail, 0, classes)
        start = back(data, begin, start, before, solid, classes)
        stop = forward(data, stop, end, after, solid, classes)
        found = _with_window(windows, found, start, stop, document)
    return found


@kernel
def _joined(data: Bytes, windows: Grid[Indices], out: Out[Bytes], starts: Out[Indices]) -> None:
    """Write each window after a separator, and with how many characters it begins in `out`, if that is UTF-8."""
    to: Int = 0
    characters: Int = 0
    for window in range(len(windows)):
        out[to] = _SEPARATOR
        to += 1
        characters += 1
        starts[window] = characters
        for at in range(windows[window, 0], windows[window, 1]):
            out[to] = data[at]
            to += 1
            if data[at] & 0xC0 != 0x80:
                characters += 1
    out[to] = _SEPARATOR


@dataclass
class JoinedWindows:
    """Windows one after another in one text, each between two NULs."""

    text: str
    at: list[int]  # where each begins in `text`, in characters
    starts: list[int]  # its first byte in the buffer of all documents
    documents: list[int]
    _known: tuple[int, int, int] = (-1, 0, 0)  # window, character and byte of the place asked for last

    def document(self, start: int) -> int:
        """The document of the character text[start]."""
        return self.documents[bisect.bisect_right(self.at, start) - 1]

    def place(self, start: int, stop: int) -> tuple[int, int, int]:
        """Document, first byte and the byte after the last of text[start:stop], a part of one window. Here characters
        become bytes."""
        window = bisect.bisect_right(self.at, start) - 1
        # From the last place on: a window may have many megabytes and many values.
        if self._known[0] != window or self._known[1] > start:
            self._known = (window, self.at[window], self.starts[window])
        first = self._known[2] + _bytes(self.text[self._known[1] : start])
        self._known = (window, start, first)
        return self.documents[window], first, first + _bytes(self.text[start:stop])


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def windows_of(data: Bytes, offsets: Indices, runs: npt.NDArray[np.int64], shape: Shape) -> JoinedWindows:
    """Where a pattern of this shape could match, given the runs of its anchor."""
    windows = np.empty((len(runs), 3), np.int64)
    numbers = (shape.anchors, shape.gap, shape.lead, shape.trail, shape.before, shape.after)
    runs.flags.writeable = False
    found = _chains(data, offsets, runs, *numbers, shape.shortest, shape.longest, classes(), windows)
    return joined(data, windows[:found])


def whole_texts(data: Bytes, offsets: Indices) -> JoinedWindows:
    """Each document as one window."""
    return joined(data, np.stack([offsets[:-1], offsets[1:], np.arange(len(offsets) - 1)], axis=1))


def joined(data: Bytes, windows: npt.NDArray[np.int64]) -> JoinedWindows:
    """Windows int64[W, 3] of first byte, the byte after the last, and document. A byte that is not UTF-8 becomes one
    character of its own."""
    windows = np.ascontiguousarray(windows)
    out = np.empty(int((windows[:, 1] - windows[:, 0] + 1).sum()) + 1, np.uint8)
    at = np.empty(len(windows), np.int64)
    windows.flags.writeable = False
    _joined(data, windows, out, at)
    content = out.tobytes()
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = content.decode("utf-8", "surrogateescape")
        at = _in_characters(content, windows)
    return JoinedWindows(text, at.tolist(), windows[:, 0].tolist(), windows[:, 2].tolist())


def _in_characters(content: bytes, windows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """With how many characters each window begins in `content`, which is not all UTF-8."""
    at = []
    characters = 0
    begin = 0
    for size in (windows[:, 1] - windows[:, 0] + 1).tolist():
        at.append(characters + 1)
        characters += len(content[begin : begin + size].decode("utf-8", "surrogateescape"))
        begin += size
    return np.array(at, np.int64)
