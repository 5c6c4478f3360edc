"""Items counted by set, each once however many documents hold it."""

import numpy as np

from curation.account.evalsets.tally import ItemOverlaps, OverlapTally, SeenItems


def test_items_and_documents() -> None:
    tally = OverlapTally(np.array([0, 0, 1, 1, 2]), 0.5)
    yes = np.array([True, False, True])
    no = np.array([False, False, True])
    tally.add(ItemOverlaps(np.array([0, 0, 4]), np.array([0, 1, 2]), np.array([1.0, 0.5, 0.6]), yes, no))
    tally.add(ItemOverlaps(np.array([0]), np.array([0]), np.array([0.2]), no[:1], no[:1]))
    assert list(tally.seen()) == [SeenItems(1, 0, 1, 2, 2), SeenItems(1, 1, 1, 1, 1), SeenItems(0, 0, 0, 0, 0)]


def test_pairs_of_some_documents() -> None:
    flags = np.array([True, False, False])
    found = ItemOverlaps(np.array([0, 1, 1]), np.array([5, 6, 7]), np.array([0.1, 0.2, 0.3]), flags, flags)
    assert found.of([1]).item.tolist() == [6, 7]
