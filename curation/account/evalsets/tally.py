"""Counts, of each evaluation set, the items that some documents hold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.evalsets.whole import forms, held, question_and_answer
from curation.account.sealed.rows import Ints
from curation.models.evalsets.index import EvalsetIndex

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SeenItems:
    """Items of a set that documents hold. `whole` is the question, word for word; `answered`, with its answer close
    after it; `over`, an overlap above the filter's limit; `partly`, any evident overlap, which includes the others.
    `documents` hold one or more items."""

    whole: int
    answered: int
    over: int
    partly: int
    documents: int


@dataclass(frozen=True, eq=False)
class ItemOverlaps:
    """M pairs of a document and an item that it overlaps with, by document."""

    row: Ints  # int64[M]: of the documents that were asked about
    item: Ints  # int64[M]
    overlap: Floats
    whole: npt.NDArray[np.bool_]
    answered: npt.NDArray[np.bool_]

    def of(self, rows: Sequence[int]) -> "ItemOverlaps":
        chosen = np.isin(self.row, rows)
        return ItemOverlaps(*(getattr(self, name)[chosen] for name in ("row", "item", "overlap", "whole", "answered")))


def pairs(index: EvalsetIndex, items: pa.Array, text: pa.Array) -> ItemOverlaps:
    """The pairs of a column `items` of the contamination filter, list<struct<item, overlap>>[N], whole or not by
    text[N]."""
    row = np.repeat(np.arange(len(items)), np.asarray(pc.fill_null(pc.list_value_length(items), 0)))
    flat = items.flatten()
    item = np.asarray(pc.index_in(flat.field("item"), index.names).fill_null(-1)).astype(np.int64)
    assert (item >= 0).all(), "the stage was sealed with this index"
    whole = np.zeros(len(row), np.bool_)
    answered = np.zeros(len(row), np.bool_)
    with_items = np.unique(row)
    read = dict(zip(with_items.tolist(), forms(text.take(pa.array(with_items))), strict=True))
    for k in range(len(row)):
        whole[k], answered[k] = held(read[int(row[k])], *question_and_answer(index, int(item[k])))
    return ItemOverlaps(row, item, np.asarray(flat.field("overlap")), whole, answered)


class OverlapTally:
    """What documents of one kind hold. `sets` int64[I] has the set of each item by number."""

    def __init__(self, sets: Ints, limit: float) -> None:
        self._sets = sets
        self._limit = limit
        self._items = np.zeros((4, len(sets)), np.bool_)  # whole, answered, over and partly, as in `SeenItems`
        self._documents = np.zeros(int(sets.max(initial=-1)) + 1, np.int64)

    def add(self, found: ItemOverlaps) -> None:
        """The pairs of documents that were not added before."""
        every = np.ones(len(found.item), np.bool_)
        holds = (found.whole, found.answered, found.overlap > self._limit, every)
        for items, own in zip(self._items, holds, strict=True):
            items[found.item[own]] = True
        both = np.unique(np.stack([found.row, self._sets[found.item]]), axis=1)
        self._documents += np.bincount(both[1], minlength=len(self._documents))

    def seen(self) -> Iterator[SeenItems]:
        """Of each set in order."""
        counts = [np.bincount(self._sets[items], minlength=len(self._documents)) for items in self._items]
        for values in zip(*(count.tolist() for count in (*counts, self._documents)), strict=True):
            yield SeenItems(*values)
