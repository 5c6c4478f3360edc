"""Rows of token files that lie in an object store: out of copies on this machine, else each row by requests.

The rows of a batch are asked for at once, by THREADS threads, and a training reads several batches ahead of its device,
so what counts is the store's rate and not how long one answer takes. A row takes one request for its tokens and two for
its segments. Copies are checked against their checksums before a row of them is used. A row that is read by requests is
not, since a checksum is of a whole file; files that are SMALL together are therefore waited for.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.tokens.file_checks import FileChecks, TokenFile
from curation.tokens.local_copies import LocalCopies
from curation.tokens.row_files import Maps, Numbers, RowFile, RowFiles, Where, number_segments
from curation.tokens.token_files import HEADER, Tokens

THREADS = 32
OPEN_HANDLES = 4096
SMALL = 256 << 20  # bytes of all files of a run together, which take seconds to copy


class StoreRowFiles(RowFiles):
    """As RowFiles, with `copies` of the files below the same folder."""

    def __init__(
        self,
        folder: str,
        files: Sequence[RowFile],
        row_tokens: int,
        dtype: npt.DTypeLike,
        checks: FileChecks,
        copies: LocalCopies,
    ) -> None:
        super().__init__(folder, files, row_tokens, dtype, checks)
        self._copies = copies
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="winnow-rows")
        self._handle = lru_cache(OPEN_HANDLES)(self._opened)

    def tokens(self, where: Where) -> Tokens:
        here = self._here(where)
        out = np.empty((where.shape[1], self.row_tokens), self.dtype)
        out[here] = super().tokens(np.ascontiguousarray(where[:, here]))
        far = where[:, ~here]
        out[~here] = np.array(list(self._pool.map(self._row, *far.tolist())), self.dtype).reshape(-1, self.row_tokens)
        return out

    def segment_ids(self, where: Where) -> Numbers:
        here = self._here(where)
        out = np.empty((where.shape[1], self.row_tokens), np.int32)
        out[here] = super().segment_ids(np.ascontiguousarray(where[:, here]))
        far = where[:, ~here]
        lengths = list(self._pool.map(self._lengths, *far.tolist()))
        out[~here] = number_segments(lengths, self.row_tokens, [self.path(file) for file in far[0].tolist()])
        return out

    def to_map(self, number: int, suffix: str) -> str:
        """The copy."""
        return self._copies.path(self.files[number].name + suffix) or super().to_map(number, suffix)

    def checkable(self, numbers: Iterable[int]) -> list[TokenFile]:
        """The copies, of files that have one."""
        return super().checkable(number for number in numbers if self._has(number))

    def check_all(self) -> None:
        """Nothing, as copies are made when rows are asked for."""

    def _map(self, numbers: npt.NDArray[np.int64]) -> Maps:
        """As in RowFiles; a copy that is damaged is deleted, so that the file is copied again."""
        try:
            return super()._map(numbers)
        except InputError:
            for file in self.token_files(int(numbers[0])):
                self._copies.forget(file.name)
            raise

    def _here(self, where: Where) -> npt.NDArray[np.bool_]:
        """bool[B]: whose file is on this machine. The others are asked for."""
        files, places = np.unique(where[0], return_inverse=True)
        here = [self._has(number) for number in files.tolist()]
        if self._copies.bytes <= SMALL and not all(here):
            self._copies.wait()
            here = [self._has(number) for number in files.tolist()]
        return np.array(here, bool)[places]

    def _has(self, number: int) -> bool:
        if self.mapped(number):
            return True
        copies = [self._copies.path(self.files[number].name + suffix) for suffix in (".bin", ".idx")]
        return None not in copies

    def _row(self, number: int, row: int) -> Any:
        size = self.row_tokens * self.dtype.itemsize
        return np.frombuffer(self._read(number, ".bin", row * size, size), self.dtype)

    def _lengths(self, number: int, row: int) -> npt.NDArray[np.uint32]:
        """Of a row's segments."""
        begin, end = np.frombuffer(self._read(number, ".idx", HEADER.size + 8 * row, 16), "<u8").tolist()
        first = HEADER.size + 8 * (self.files[number].rows + 1)
        if begin > end:
            raise InputError(f"{masked(self.path(number))}.idx is damaged; copy or pack it again")
        return np.frombuffer(self._read(number, ".idx", first + 4 * begin, 4 * (end - begin)), "<u4")

    def _read(self, number: int, suffix: str, offset: int, size: int) -> bytes:
        content: bytes = self._handle(number, suffix).read_at(size, offset)
        if len(content) != size:
            uri = masked(self.path(number)) + suffix
            raise InputError(f"{uri} ends before row {offset // max(size, 1):,}; copy or pack it again")
        return content

    def _opened(self, number: int, suffix: str) -> pa.NativeFile:
        uri = self.path(number) + suffix
        fs, path = storage.resolve(uri)
        try:
            return fs.open_input_file(path)
        except FileNotFoundError as error:
            raise InputError(f"no file at {masked(uri)}; copy the whole pack folder") from error
