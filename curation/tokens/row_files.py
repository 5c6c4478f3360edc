"""Rows of many token files as one table. A file is mapped when one of its rows is read, once it is checked against its
checksum (see `file_checks`); at most OPEN_FILES stay mapped.

One call of a compiled kernel copies a whole batch out of the mappings, by address: at 8 rows of 1,025 tokens, a Python
loop over the rows would cost twice as much as the copying. Several threads may read at once: what a kernel copies from
stays mapped until it returns. B = rows of a batch, L = row_tokens, F = files.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
import numpy.typing as npt
from numba import carray  # type: ignore[attr-defined]

from curation.core import storage
from curation.core.errors import InputError
from curation.text.kernels.compiler.instructions import move, pointer_to
from curation.text.kernels.compiler.kernel import Grid, Out, kernel
from curation.tokens.file_checks import FileChecks, TokenFile
from curation.tokens.token_files import PADDING_BIT, Segments, Tokens, open_rows, open_segments

Where = npt.NDArray[np.int64]  # [2, B]: file number, and row in that file
Numbers = npt.NDArray[np.int32]  # [B, L]
Places = npt.NDArray[np.int64]  # [F + 1, 5]: addresses of tokens, offsets and lengths, number of lengths, last use

OPEN_FILES = 240  # each is two maps, and a mix reads training and validation files: below 1,000 maps in all
_USED = 4  # the column of a file's last use; below the files, that of the last call of a kernel
_PADDING_BIT = np.uint32(PADDING_BIT)
_DAMAGED = -1


@dataclass(frozen=True)
class RowFile:
    """A token file as a mix names it."""

    name: str  # "<pack folder>/<name without suffix>"
    source: str  # the leaf
    rows: int


@dataclass(frozen=True)
class Maps:
    """The open files. Adding one changes it in place; closing some makes another, so that whoever still reads through
    this one keeps them alive."""

    places: Places  # 0: not mapped
    files: dict[int, tuple[Tokens, Segments]]  # keeps alive what the addresses point to

    def without_oldest(self) -> "Maps":
        """Without the quarter of them that has not been used for longest."""
        order = sorted(self.files, key=lambda number: int(self.places[number, _USED]))
        oldest = order[: -(-len(order) // 4)]
        places = self.places.copy()
        places[oldest] = 0
        return Maps(places, {number: self.files[number] for number in order[len(oldest) :]})


class RowFiles:
    """The files below `folder`, in order; `starts` int64[F + 1] holds the table's row number of each one's first."""

    def __init__(
        self, folder: str, files: Sequence[RowFile], row_tokens: int, dtype: npt.DTypeLike, checks: FileChecks
    ) -> None:
        self.files = files
        self.row_tokens = row_tokens
        self.dtype = np.dtype(dtype)
        self.starts = np.cumsum([0, *(file.rows for file in files)], dtype=np.int64)
        self._folder = folder
        self._checks = checks
        self._asked = set[int]()  # files that are checked, or will be
        self._passed = set[int]()
        self._row_bytes = row_tokens * self.dtype.itemsize
        self._maps = Maps(np.zeros((len(files) + 1, 5), np.int64), {})
        self._lock = Lock()

    @property
    def rows(self) -> int:
        return int(self.starts[-1])

    def path(self, number: int) -> str:
        """Of a file, without suffix."""
        return storage.join(self._folder, self.files[number].name)

    def to_map(self, number: int, suffix: str) -> str:
        """Where one of a file's two lies."""
        return self.path(number) + suffix

    def mapped(self, number: int) -> bool:
        return number in self._maps.files

    def token_files(self, number: int) -> tuple[TokenFile, TokenFile]:
        """What is mapped of a file: its rows and their index."""
        name = self.files[number].name
        home = self.path(number)
        rows, index = (TokenFile(name + end, self.to_map(number, end), home + end) for end in (".bin", ".idx"))
        return rows, index

    def checkable(self, numbers: Iterable[int]) -> list[TokenFile]:
        """What can be mapped of some files, in their order; nothing of empty ones."""
        return [file for number in numbers if self.files[number].rows for file in self.token_files(number)]

    def check_all(self) -> None:
        """Lets threads check the files that nobody has asked for so far."""
        self._checks.ask(self.checkable(range(len(self.files))))

    def find(self, start: int, count: int) -> Where:
        """int64[2, count]: file number and row in that file of rows start … start + count - 1 of the table."""
        rows = np.arange(start, start + count)
        files = np.searchsorted(self.starts, rows, side="right") - 1
        return np.stack([files, rows - self.starts[files]])

    def tokens(self, where: Where) -> Tokens:
        """[B, L] in the stored dtype."""
        out = np.empty((where.shape[1], self._row_bytes), np.uint8)
        maps = self._maps
        done = 0
        while (done := _copy_rows(where, done, maps.places, out)) < len(out):
            maps = self._map(where[0, done:])
        return out.view(self.dtype)

    def segment_ids(self, where: Where) -> Numbers:
        """int32[B, L]: 0 = padding, else 1, 2, … for the documents in the row, in order.

        Raises InputError if the lengths of a row's segments do not add up to L.
        """
        out = np.empty((where.shape[1], self.row_tokens), np.int32)
        maps = self._maps
        done = 0
        while (done := _number_segments(where, done, maps.places, out)) < len(out):
            if done < 0:
                raise _damaged(self.path(int(where[0, _DAMAGED - done])))
            maps = self._map(where[0, done:])
        return out

    def _map(self, numbers: npt.NDArray[np.int64]) -> Maps:
        """The open files, with the first of these among them. The others, read next, are checked meanwhile."""
        number = int(numbers[0])
        if number not in self._asked:  # of thousands of files, most are mapped again and again
            new = [file for file in dict.fromkeys(numbers.tolist()) if file not in self._asked]
            self._checks.ask(self.checkable(new))
            self._asked.update(new)
        own = self.token_files(number)
        if number not in self._passed:
            self._checks.wait(own)
            self._passed.add(number)
        with self._lock:
            if len(self._maps.files) >= OPEN_FILES and number not in self._maps.files:
                self._maps = self._maps.without_oldest()
            maps = self._maps
            file = self.files[number]
            if number not in maps.files:
                shape = {"rows": file.rows, "row_tokens": self.row_tokens}
                rows = open_rows(own[0].uri, **shape, dtype=self.dtype)
                index = open_segments(own[1].uri, **shape, item_bytes=self.dtype.itemsize)
                maps.files[number] = rows, index
                offsets = index.offsets.ctypes.data
                lengths = index.lengths.ctypes.data
                maps.places[number, 1:_USED] = offsets, lengths, len(index.lengths)
                maps.places[number, 0] = rows.ctypes.data  # last: a file counts as mapped once this is set
            return maps


def number_segments(lengths: Sequence[npt.NDArray[np.uint32]], row_tokens: int, stems: Sequence[str]) -> Numbers:
    """As RowFiles.segment_ids, of rows whose segments were read from the files `stems`, without suffix."""
    count = len(lengths)
    offsets = np.array([[0, len(own)] for own in lengths], np.uint64).reshape(count, 2)
    places = np.zeros((count + 1, 5), np.int64)
    for i, own in enumerate(lengths):
        places[i, :_USED] = 1, offsets[i].ctypes.data, own.ctypes.data, len(own)
    where = np.stack([np.arange(count), np.zeros(count, np.int64)])
    out = np.empty((count, row_tokens), np.int32)
    done = _number_segments(where, 0, places, out)
    if done < 0:
        raise _damaged(stems[_DAMAGED - done])
    return out


def _damaged(stem: str) -> InputError:
    return InputError(f"{stem}.idx is damaged: a row's segments do not add up to the row; copy or pack it again")


@kernel
def _copy_rows(
    where: Out[Grid[Where]], first: int, places: Out[Grid[Places]], out: Out[Grid[npt.NDArray[np.uint8]]]
) -> int:
    """Fill uint8[B, bytes of a row] from row `first` on; returns the first row whose file is not mapped, else B."""
    count, size = out.shape
    turn = places[-1, _USED] = places[-1, _USED] + 1
    for i in range(first, count):
        file = int(where[0, i])
        if places[file, 0] == 0:
            return i
        places[file, _USED] = turn
        target = np.uint64(np.int64(out.ctypes.data) + i * size)
        move(target, np.uint64(places[file, 0] + where[1, i] * size), size)
    return int(count)


@kernel
def _number_segments(
    where: Out[Grid[Where]], first: int, places: Out[Grid[Places]], out: Out[Grid[npt.NDArray[np.int32]]]
) -> int:
    """Fill int32[B, L] from row `first` on; returns the first row whose file is not mapped, else B, or _DAMAGED - i if
    the segments of row i of the batch are not in its index or do not add up to L."""
    bounds = np.empty((len(out), 2), np.int64)  # all looked up before any row is filled, so that page faults overlap
    stop = len(out)
    turn = places[-1, _USED] = places[-1, _USED] + 1
    for i in range(first, len(out)):
        file = int(where[0, i])
        if places[file, 0] == 0:
            stop = i
            break
        places[file, _USED] = turn
        offsets = carray(pointer_to(np.uint64(places[file, 1] + 8 * where[1, i])), 2, np.uint64)
        bounds[i, 0] = np.int64(offsets[0])
        bounds[i, 1] = np.int64(offsets[1])
        if not 0 <= bounds[i, 0] <= bounds[i, 1] <= places[file, 3]:
            return _DAMAGED - i
    for i in range(first, stop):
        begin = bounds[i, 0]
        end = bounds[i, 1]
        lengths = carray(pointer_to(np.uint64(places[where[0, i], 2] + 4 * begin)), int(end - begin), np.uint32)
        position = np.int64(0)
        document = np.int32(0)
        for length in lengths:
            reached = position + np.int64(length & ~_PADDING_BIT)
            if reached > out.shape[1]:
                return _DAMAGED - i
            padding = (length & _PADDING_BIT) != 0
            document += np.int32(not padding)
            out[i, position:reached] = np.int32(0) if padding else document
            position = reached
        if position != out.shape[1]:
            return _DAMAGED - i
    return stop
