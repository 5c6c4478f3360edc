"""Sorting by doc_id out of memory: every document once, in one order however it comes in."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.account.texts import buckets as module
from curation.account.texts.buckets import Buckets, places_of
from curation.core.document import document_id


@pytest.mark.parametrize(("count", "buffer"), [(1, 1 << 20), (3, 1), (7, 200)])
def test_texts_come_in_the_order_of_their_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, buffer: int
) -> None:
    monkeypatch.setattr(module, "BUFFER", buffer)
    ids = [document_id("a", "f", number, "") for number in range(100)]
    table = pa.table({"doc_id": ids, "text": [f"text of {one}" for one in ids]})
    buckets = Buckets(str(tmp_path), count)
    for first in range(0, 100, 9):
        some = table.slice(first, 9)
        buckets.add(some, places_of(some["doc_id"]))
    texts = [text for number in range(count) for text in buckets.texts(number).to_pylist()]
    assert texts == [f"text of {one}" for one in sorted(ids)]
    assert sum(buckets.documents) == 100
    assert [*tmp_path.iterdir()] == []


def test_places_are_spread_evenly() -> None:
    assert places_of(pa.chunked_array([["0" * 32, "8" + "0" * 31, "f" * 32]])).tolist()[:2] == [0, 0.5]
    places = places_of(pa.chunked_array([[document_id("a", "f", number, "") for number in range(1000)]]))
    assert np.all(places < 1)
    assert abs(places.mean() - 0.5) < 0.05
