"""Rows of many token files as one table. A file is mapped when one of its rows is first read.

One call of a compiled kernel copies a whole batch out of the mappings, by address: at 8 rows of 1,025 tokens, a Python
loop over the rows would cost twice as much as the copying. B = rows of a batch, L = row_tokens, F = files.
"""

from collections.abc import Sequence
from ctypes import c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import carray, types  # type: ignore[attr-defined]
from numba.core import cgutils

from curation.core import storage
from curation.core.errors import InputError
from curation.text.kernels.compiled import Grid, Out, intrinsic, kernel
from curation.tokens.token_files import PADDING_BIT, Segments, Tokens, open_rows, open_segments

Where = npt.NDArray[np.int64]  # [2, B]: file number, and row in that file
Places = npt.NDArray[np.int64]  # [F, 4]: addresses of tokens, offsets and lengths, and the number of lengths

_PADDING_BIT = np.uint32(PADDING_BIT)
_DONE, _DAMAGED = -1, -2


@dataclass(frozen=True)
class RowFile:
    """A token file as a mix names it."""

    name: str  # "<pack folder>/<name without suffix>"
    source: str  # the leaf
    rows: int


class RowFiles:
    """The files below `folder`, in order; `starts` int64[F + 1] holds the table's row number of each one's first."""

    def __init__(self, folder: str, files: Sequence[RowFile], row_tokens: int, dtype: npt.DTypeLike) -> None:
        self.files, self.row_tokens, self.dtype = files, row_tokens, np.dtype(dtype)
        self.starts = np.cumsum([0, *(file.rows for file in files)], dtype=np.int64)
        self._folder = folder
        self._row_bytes = row_tokens * self.dtype.itemsize
        self._mapped: dict[tuple[str, int], Tokens | Segments] = {}  # keeps alive what the addresses point to
        self._places: Places = np.zeros((len(files), 4), np.int64)  # 0: not mapped yet

    @property
    def rows(self) -> int:
        return int(self.starts[-1])

    def find(self, start: int, count: int) -> Where:
        """int64[2, count]: file number and row in that file of rows start … start + count - 1 of the table."""
        rows = np.arange(start, start + count)
        files = np.searchsorted(self.starts, rows, side="right") - 1
        return np.stack([files, rows - self.starts[files]])

    def tokens(self, where: Where) -> Tokens:
        """[B, L] in the stored dtype."""
        out = np.empty((where.shape[1], self._row_bytes), np.uint8)
        while (unmapped := _copy_rows(where, self._places, out)) >= 0:
            self._map_tokens(unmapped)
        return out.view(self.dtype)

    def segment_ids(self, where: Where) -> npt.NDArray[np.int32]:
        """int32[B, L]: 0 = padding, else 1, 2, … for the documents in the row, in order.

        Raises InputError if the lengths of a row's segments do not add up to L.
        """
        out = np.empty((where.shape[1], self.row_tokens), np.int32)
        while (unmapped := _number_segments(where, self._places, out)) >= 0:
            self._map_index(unmapped)
        if unmapped != _DONE:
            name = self.files[int(where[0, _DAMAGED - unmapped])].name
            uri = storage.join(self._folder, name + ".idx")
            raise InputError(f"{uri} is damaged: a row's segments do not add up to the row; copy or pack it again")
        return out

    def _map_tokens(self, number: int) -> None:
        file = self.files[number]
        uri = storage.join(self._folder, file.name + ".bin")
        rows = open_rows(uri, rows=file.rows, row_tokens=self.row_tokens, dtype=self.dtype)
        self._map_index(number)  # refuses an index of another format
        self._mapped["tokens", number] = rows
        self._places[number, 0] = rows.ctypes.data

    def _map_index(self, number: int) -> None:
        file = self.files[number]
        uri = storage.join(self._folder, file.name + ".idx")
        index = open_segments(uri, rows=file.rows, row_tokens=self.row_tokens, item_bytes=self.dtype.itemsize)
        self._mapped["index", number] = index
        self._places[number, 1:] = index.offsets.ctypes.data, index.lengths.ctypes.data, len(index.lengths)


@intrinsic(c_void_p)
def _pointer(typing_context: Any, address: Any) -> Any:
    """The address as a pointer for `carray`."""

    def to_pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), to_pointer


@intrinsic(int)
def _copy_bytes(typing_context: Any, target: Any, source: Any, size: Any) -> Any:
    """memcpy between addresses; Numba's own assignment of a byte array took ten times as long."""

    def copy(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.get_value_type(types.voidptr)
        target, source = (builder.inttoptr(address, kind) for address in arguments[:2])
        cgutils.raw_memcpy(builder, target, source, arguments[2], 1)  # type: ignore[no-untyped-call]
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), copy


@kernel
def _copy_rows(where: Out[Grid[Where]], places: Out[Grid[Places]], out: Out[Grid[npt.NDArray[np.uint8]]]) -> int:
    """Fill uint8[B, bytes of a row]; returns -1, or a file that must be mapped first."""
    count, size = out.shape
    for i in range(count):
        file = int(where[0, i])
        if places[file, 0] == 0:
            return file
        target = np.int64(out.ctypes.data) + i * size
        _copy_bytes(target, places[file, 0] + where[1, i] * size, size)
    return -1


@kernel
def _number_segments(where: Out[Grid[Where]], places: Out[Grid[Places]], out: Out[Grid[npt.NDArray[np.int32]]]) -> int:
    """Fill int32[B, L]; returns _DONE, or a file whose index must be mapped first, or _DAMAGED - i if the
    segments of row i of the batch are not in its index or do not add up to L."""
    bounds = np.empty((len(out), 2), np.int64)  # all looked up before any row is filled, so that page faults overlap
    for i in range(len(out)):
        file = int(where[0, i])
        if places[file, 1] == 0:
            return file
        offsets = carray(_pointer(places[file, 1] + 8 * where[1, i]), 2, np.uint64)
        bounds[i, 0], bounds[i, 1] = np.int64(offsets[0]), np.int64(offsets[1])
        if not 0 <= bounds[i, 0] <= bounds[i, 1] <= places[file, 3]:
            return _DAMAGED - i
    for i in range(len(out)):
        first, end = bounds[i, 0], bounds[i, 1]
        lengths = carray(_pointer(places[where[0, i], 2] + 4 * first), int(end - first), np.uint32)
        position, document = np.int64(0), np.int32(0)
        for length in lengths:
            stop = position + np.int64(length & ~_PADDING_BIT)
            if stop > out.shape[1]:
                return _DAMAGED - i
            padding = (length & _PADDING_BIT) != 0
            document += np.int32(not padding)
            out[i, position:stop] = np.int32(0) if padding else document
            position = stop
        if position != out.shape[1]:
            return _DAMAGED - i
    return _DONE
