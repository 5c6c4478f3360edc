"""Refuses, before any work, files that hold no evaluation set, and sets of which no item could ever be found.

The first items of a set nearly always have n-grams of every size; all of its items are read only where they have none.
"""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from curation.core.errors import InputError
from curation.models.evalsets.build import ItemTokens
from curation.models.evalsets.sets import EvalSet, first_items, read_items

FIRST = 100  # rows of each file


def check_sets(sets: Mapping[str, EvalSet], files: Mapping[str, Sequence[str]], sizes: Sequence[int]) -> None:
    """Raises InputError for a file that cannot be read, lacks a field or is empty, for a set without an n-gram of any
    of the sizes, and for a size of which no set has an n-gram."""
    found: set[int] = set()
    for name, paths in files.items():
        own = _sizes_of(name, sets[name], paths, sizes)
        if not own:
            raise InputError(
                f"evaluation set {name}: no item has {min(sizes)} tokens, so none could be found; leave the set "
                "out, or give smaller sizes"
            )
        found |= own
    missing = sorted(set(sizes) - found)
    if missing:
        size = missing[0]
        raise InputError(f"no item has {size} tokens, so nothing could be found by {size}-grams; give other sizes")


def _sizes_of(name: str, chosen: EvalSet, files: Sequence[str], sizes: Sequence[int]) -> set[int]:
    first = [first_items(name, chosen, file, FIRST) for file in files]
    found = _sizes_in(pa.concat_tables(first), sizes) if first else set()
    return found if len(found) == len(sizes) else _sizes_in(read_items(name, chosen, files), sizes)


def _sizes_in(items: pa.Table, sizes: Sequence[int]) -> set[int]:
    pieces = ItemTokens.of(items)
    return {size for size in sizes if pieces.tellings(size).any()}
