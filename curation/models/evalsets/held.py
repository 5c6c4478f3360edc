"""An index in memory, of items that no fit has indexed: one item, one whole text, or documents that are held out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.models.evalsets.build import bit_filter, directory, facts_of, indexed
from curation.models.evalsets.index import EvalsetIndex, Lookup
from curation.models.evalsets.sets import ITEMS
from curation.text.canonical_tokens import folded_texts, tokens_of
from curation.text.kernels.compiler.kernel import read_only
from curation.text.kernels.mix64 import STEP, murmur3_each

_BLANK = 32


@dataclass(frozen=True, eq=False)
class HeldIndex(EvalsetIndex):
    """Its items and its arrays by name, as `indexed` makes them."""

    table: pa.Table
    arrays: Mapping[str, npt.NDArray[Any]]

    @cached_property
    def items(self) -> pa.Table:
        return self.table

    @cached_property
    def names(self) -> pa.Array:
        return self.table["id"].combine_chunks()

    def array(self, name: str) -> npt.NDArray[Any]:
        return self.arrays[name]


def hold(items: pa.Table, sizes: Sequence[int]) -> HeldIndex:
    """The index of ITEMS. Memory: as of `build`. Raises InputError where no item has an n-gram of a size."""
    table, arrays = indexed(items, sizes)
    return HeldIndex("the index in memory", facts_of(table, sizes), table, arrays)


def texts_as_items(name: str, ids: Sequence[str], texts: pa.Array) -> pa.Table:
    """ITEMS of a set that have nothing but a question."""
    rows = len(ids)
    empty = pa.array([[]] * rows, ITEMS.field("choices").type)
    columns = [[name] * rows, ids, range(rows), texts, [""] * rows, empty]
    return pa.table([pa.array(column, field.type) for column, field in zip(columns, ITEMS, strict=True)], schema=ITEMS)


def whole(text: str) -> Lookup | None:
    """By which a text is found where it stands whole: one n-gram of all its tokens; None if it has none."""
    tokens = tokens_of(pa.array([text], pa.large_string()))
    (folded,) = folded_texts(pa.array([text], pa.large_string()))
    rolled = np.zeros(1, np.uint64)
    for k in range(len(tokens.hashes)):
        rolled = rolled * STEP + tokens.hashes[k : k + 1]
    hashes = murmur3_each(rolled)
    form = np.frombuffer(folded, np.uint8)
    starts = np.concatenate([[0], np.flatnonzero(form == _BLANK) + 1])
    firsts = np.array([0, 1], np.uint32)
    places = np.zeros(1, np.uint32)
    size = len(tokens.hashes)
    lookup = Lookup(size, hashes, firsts, places, bit_filter(hashes), directory(hashes), form, starts)
    return read_only(lookup) if size else None
