"""Checks that the arrays of an index of evaluation sets fit together, because kernels check no index.

Each array is read once. I items, T tokens, U different n-grams at P places; names as in `index.py`.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]

MOST_SIZE = 64  # tokens of an n-gram


def check_facts(facts: Any) -> None:
    """Raises ValueError where the main file lacks a field or has one of another type."""
    sizes, sets, files = (facts[name] for name in ("sizes", "sets", "files"))
    if not isinstance(sizes, list) or not all(type(size) is int and 1 <= size <= MOST_SIZE for size in sizes):
        raise ValueError(f"sizes is {str(sizes)[:100]}, not numbers of tokens from 1 to {MOST_SIZE}")
    if not isinstance(files, dict) or not isinstance(sets, dict):
        raise ValueError("files or sets is no mapping")
    for name, one in sets.items():
        counts = [one["items"], one["tokens"], *(one["unchecked"][str(size)] for size in sizes)]
        if not all(type(count) is int and count >= 0 for count in counts):
            raise ValueError(f"sets.{name} counts no items, tokens or unchecked items")


def check_items(array: Callable[[str], Array], *, items: int) -> None:
    """Raises ValueError unless the arrays that all sizes share are those of so many items."""
    folded, starts, part, segment, first = (array(name) for name in ("folded", "starts", "part", "segment", "first"))
    tokens = len(starts) - 1
    kinds = [folded.dtype, starts.dtype, part.dtype, segment.dtype, first.dtype]
    if kinds != [np.uint8, np.int64, np.int8, np.uint32, np.int64]:
        raise ValueError("folded, starts, part, segment or first has numbers of another type")
    if not _cuts(starts, len(folded)) or len(part) != tokens or len(segment) != tokens:
        raise ValueError("its tokens are not those of its items' texts")
    if len(first) != items + 1 or not _cuts(first, tokens):
        raise ValueError("its tokens are not those of its items")


def check_size(array: Callable[[str], Array], size: int, *, bits: tuple[int, int]) -> None:
    """Raises ValueError unless the arrays of one size fit to those of all. `bits` are those by which the filter and the
    directory are looked up."""
    names = ("hashes", "firsts", "places", "filter", "directory", "counts", "weights")
    hashes, firsts, places, marks, directory, counts, weights = (array(f"{name}-{size}") for name in names)
    kinds = [one.dtype for one in (hashes, firsts, places, marks, directory, counts, weights)]
    expected = [np.uint64, np.uint32, np.uint32, np.uint64, np.uint32, np.int32, np.float64]
    if kinds != expected:
        raise ValueError(f"an array of its {size}-grams has numbers of another type")
    tokens = len(array("starts")) - 1
    items = len(array("first")) - 1
    if not len(hashes) or len(firsts) != len(hashes) + 1 or not _cuts(firsts, len(places)):
        raise ValueError(f"its {size}-grams are not at the places that it names")
    if np.any(hashes[1:] <= hashes[:-1]) or int(places.max(initial=0)) + size > tokens:
        raise ValueError(f"its {size}-grams are out of order or lie behind its last token")
    if len(marks) != 1 << (bits[0] - 6) or len(directory) != (1 << bits[1]) + 1 or not _cuts(directory, len(hashes)):
        raise ValueError(f"its {size}-grams cannot be looked up")
    if counts.shape != (items, 8) or weights.shape != (items, 2) or not _counted(array, counts):
        raise ValueError(f"its sums over {size}-grams are not those of its items")


def _counted(array: Callable[[str], Array], counts: Array) -> bool:
    """Whether the last two columns count the tokens of each item's question, and of its answer."""
    part = array("part")
    item = np.repeat(np.arange(len(counts)), np.diff(array("first")))
    found = [np.bincount(item[part == kind], minlength=len(counts)) for kind in (0, 1)]
    return bool(np.array_equal(np.stack(found, axis=1), counts[:, 6:]))


def _cuts(bounds: Array, size: int) -> bool:
    """Whether bounds never fall, begin with 0 and end with `size`."""
    return bool(len(bounds) and bounds[0] == 0 and bounds[-1] == size and np.all(bounds[1:] >= bounds[:-1]))
