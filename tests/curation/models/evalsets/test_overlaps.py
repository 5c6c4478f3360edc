"""What a text holds of an item, counted by hand."""

from pathlib import Path

import pyarrow as pa

from curation.models.evalsets.overlaps import shared, shares
from curation.models.evalsets.scan import find_grams
from tests.curation.models.evalsets import indexed

ITEM = {"question": "a b c d e f", "answer": "g h i j"}


def test_tokens_and_n_grams_by_part(tmp_path: Path) -> None:
    index = indexed(tmp_path, {"own": [ITEM, {"question": "c d e x y z"}]}, (3,))
    texts = pa.array(["a b c d e", "none of it", "f g h i. f g h i", "c d e"], pa.large_string())
    found = shared(find_grams(texts, index.lookup(3)), index)
    assert list(zip(found.row.tolist(), found.item.tolist(), strict=True)) == [(0, 0), (0, 1), (2, 0), (3, 0), (3, 1)]
    # The n-grams of the first item: abc bcd cde def, efg fgh, ghi hij.
    assert found.grams.tolist() == [[3, 0, 3], [1, 0, 1], [0, 1, 2], [1, 0, 1], [1, 0, 1]]
    assert found.tokens.tolist() == [[5, 0, 5], [3, 0, 3], [1, 3, 4], [3, 0, 3], [3, 0, 3]]
    assert shares(found, index, 3, by="tokens").tolist() == [5 / 6, 3 / 6, 3 / 4, 3 / 6, 3 / 6]
    assert shares(found, index, 3, by="grams").tolist() == [3 / 4, 1 / 4, 1 / 2, 1 / 4, 1 / 4]


def test_nothing(tmp_path: Path) -> None:
    index = indexed(tmp_path, {"own": [ITEM]}, (3,))
    found = shared(find_grams(pa.array(["x", ""], pa.large_string()), index.lookup(3)), index)
    assert len(found.row) == len(shares(found, index, 3, by="tokens")) == 0
