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
