"""Small files of two arrays behind a header of 32 bytes, as fits that count leave them; all little-endian.

bytes 0-7     `magic`, which tells the kind of file
bytes 8-15    uint64  format version, 1
bytes 16-31   uint64[2]  two numbers, whose meaning depends on the kind
then          uint64[N], uint64[N]  the arrays
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from curation.core import storage
from curation.core.errors import InputError

FORMAT = 1
HEADER = 32  # bytes
T = TypeVar("T")
Numbers: TypeAlias = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class CountFile:
    """A kind of file: what it begins with, and how messages name its content and the fit that makes it."""

    magic: bytes
    content: str  # such as "word counts"
    fit: str  # such as "unigrams: {}"

    def packed(self, numbers: tuple[int, int], left: Numbers, right: Numbers) -> bytes:
        header = np.array([FORMAT, *numbers], "<u8")
        return b"".join([self.magic, *(array.astype("<u8").tobytes() for array in (header, left, right))])

    def numbers(self, header: bytes) -> tuple[int, int]:
        """Raises ValueError for the beginning of another file or format."""
        if header[:8] != self.magic or len(header) < HEADER:
            raise ValueError("it does not begin as one")
        version, first, second = (int(value) for value in np.frombuffer(header, "<u8", 3, 8))
        if version != FORMAT:
            raise ValueError(f"it has format {version}, this winnow reads {FORMAT}")
        return first, second

    def located(self, uri: str, check: Callable[[bytes, int], object]) -> str:
        """The path or URI itself. Raises InputError if there is no such file, or `check` its header and size raises
        ValueError."""
        size = storage.size(uri)
        if size < 0:
            name = self.fit.partition(":")[0]
            raise InputError(
                f"no {self.content} at {uri}; give the path of a result of `fit: {{{self.fit}}}`, or @{name}"
            )
        self._asked(uri, lambda: check(storage.read_start(uri, HEADER), size))
        return uri

    def read(self, uri: str, parse: Callable[[bytes], T]) -> T:
        """What `parse` makes of the file. Raises InputError where it raises ValueError."""
        content = storage.read_bytes(uri)
        return self._asked(uri, lambda: parse(content))

    def _asked(self, uri: str, call: Callable[[], T]) -> T:
        try:
            return call()
        except ValueError as error:
            raise InputError(
                f"{uri} holds no {self.content} of `fit: {{{self.fit}}}`: {error}; run the fit again"
            ) from error


def check_size(size: int, count: int, things: str) -> None:
    """Raises ValueError unless a file of `size` bytes holds two arrays of `count` things."""
    if size != HEADER + 16 * count:
        raise ValueError(f"it has {size:,} bytes, its {count:,} {things} take {HEADER + 16 * count:,}")


def arrays(content: bytes, count: int) -> tuple[Numbers, Numbers]:
    left, right = (np.frombuffer(content, "<u8", count, HEADER + 8 * count * part) for part in range(2))
    return left.astype(np.uint64), right.astype(np.uint64)
