"""Where receivers' rows lie, in a file of the stage's folder: for exchanges of too many senders to tell a task all its
ranges."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from curation.core import storage
from curation.core.errors import StageError

RANGES = "_ranges"  # folder of these files
_NUMBER = np.dtype("<i8")


@dataclass(frozen=True)
class StoredRanges:
    """One receiver's ranges in the file at `path`: from the bounds with the number `first` to those with `last`."""

    path: str
    senders: int
    first: int
    last: int

    def __len__(self) -> int:
        return self.senders

    def read(self) -> npt.NDArray[np.int64]:
        """int64[S, 2]: what is read of each of S senders' files, in bytes. Raises StageError for a damaged file."""
        size = self.senders * _NUMBER.itemsize
        fs, inner = storage.resolve(self.path)
        try:
            with fs.open_input_file(inner) as file:
                bounds = [np.frombuffer(file.read_at(size, at * size), _NUMBER) for at in (self.first, self.last)]
            return np.stack(bounds, axis=1)
        except (OSError, ValueError) as error:
            raise StageError(f"{self.path} cannot be read: {error}; run the same command again") from error


def store_ranges(folder: str, names: Sequence[str], bounds: npt.NDArray[np.int64]) -> str:
    """Writes bounds int64[S, B + 1] so that those of a receiver lie together; returns the file's path."""
    storage.make_folder(storage.join(folder, RANGES))
    path = storage.join(folder, RANGES, "-".join(names))
    storage.replace_bytes(path, bounds.T.astype(_NUMBER).tobytes())
    return path
