"""The counts of n-grams in a target and in raw text, in one small file, and the weights of documents by them.

The log importance weight of a text is log p_target - log p_raw, where p is the product of the shares of its n-grams'
buckets. The file is, all little-endian:

    bytes 0-7     "dsirgram"
    bytes 8-15    uint64  format version, 1
    bytes 16-23   uint64  longest n-grams, in words
    bytes 24-31   uint64  B, buckets
    then          uint64[B]  n-grams of the target in each bucket
    then          uint64[B]  n-grams of raw text
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.models.count_files import HEADER, CountFile, arrays, check_size
from curation.models.dsir.features import Floats, summed
from curation.text.kernels.buffers import Indices

FILE = CountFile(b"dsirgram", "n-gram counts", "dsir: …")
SMOOTHING = 1e-8  # added to every share, as in the paper's code
MOST_BUCKETS = 1 << 24
MOST_ORDER = 8
MOST = 1 << 62  # n-grams of the target, and of raw text

Counts = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class NgramCounts:
    """uint64[B] each: how many n-grams of up to `order` words fall into each bucket."""

    order: int
    target: Counts
    raw: Counts

    def log_ratios(self) -> Floats:
        """float64[B]: the log of the bucket's share in the target over that in raw text."""
        target, raw = (counts / counts.sum() + SMOOTHING for counts in (self.target, self.raw))
        ratios: Floats = np.log(target) - np.log(raw)
        return ratios

    def to_bytes(self) -> bytes:
        """The file's content."""
        return FILE.packed((self.order, len(self.target)), self.target, self.raw)


class Importance:
    """The weights of documents by a model's counts."""

    def __init__(self, counts: NgramCounts) -> None:
        self._order = counts.order
        self._ratios = counts.log_ratios()

    def log_weights(self, array: pa.Array | pa.ChunkedArray) -> tuple[Floats, Indices]:
        """(float64[N], int64[N]): the log importance weight of each of text[N], in nats, and its words."""
        return summed(array, self._ratios, order=self._order)


def parse(content: bytes) -> NgramCounts:
    """Raises ValueError if the bytes are another file or damaged."""
    order, buckets = _header(content[:HEADER], len(content))
    target, raw = arrays(content, buckets)
    if not (target.any() and raw.any()):
        raise ValueError("it has no n-grams")
    if max(target.sum(dtype=np.float64), raw.sum(dtype=np.float64)) > MOST:
        raise ValueError(f"it counts more than {MOST:,} n-grams")
    return NgramCounts(order, target, raw)


def _header(header: bytes, size: int) -> tuple[int, int]:
    """Longest n-grams and buckets, from the header of a file of `size` bytes. Raises ValueError."""
    order, buckets = FILE.numbers(header)
    if not (1 <= order <= MOST_ORDER and 1 <= buckets <= MOST_BUCKETS):
        raise ValueError(f"it claims n-grams of {order:,} words in {buckets:,} buckets")
    check_size(size, buckets, "buckets")
    return order, buckets


def locate(uri: str) -> str:
    """The path or URI itself. Raises InputError if there is no such file or its header is wrong."""
    return FILE.located(uri, _header)


def read(uri: str) -> NgramCounts:
    """Raises InputError if there is no such file or it holds no counts."""
    return FILE.read(locate(uri), parse)


@lru_cache(maxsize=8)
def load(uri: str) -> Importance:
    """Read once per process. Raises InputError as `read` does."""
    return Importance(read(uri))
