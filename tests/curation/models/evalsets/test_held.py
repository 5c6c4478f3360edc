"""An index in memory finds what the same index on disk finds; a text is found whole."""

from pathlib import Path

import pyarrow as pa

from curation.models.evalsets.held import hold, texts_as_items, whole
from curation.models.evalsets.scan import find_grams
from tests.curation.models.evalsets import HENS, SHIPS, indexed

TEXT = pa.array([f"{HENS}. {SHIPS}", "", SHIPS.upper()], pa.large_string())


def test_the_same_as_on_disk(tmp_path: Path) -> None:
    disk = indexed(tmp_path, {"own": [{"question": HENS}, {"question": SHIPS}]}, (8,))
    held = hold(texts_as_items("own", ["own/0", "own/1"], pa.array([HENS, SHIPS], pa.large_string())), (8,))
    assert held.names == disk.names
    assert held.item("own/1") == disk.item("own/1")
    ours, theirs = (find_grams(TEXT, index.lookup(8)) for index in (held, disk))
    assert (ours.row.tolist(), ours.gram.tolist()) == (theirs.row.tolist(), theirs.gram.tolist())
    assert len(ours.row) == 2 * (18 - 7) + 20 - 7


def test_a_whole_text() -> None:
    lookup = whole(SHIPS)
    assert lookup is not None
    hits = find_grams(TEXT, lookup)
    assert (hits.row.tolist(), hits.start.tolist()) == ([0, 2], [len(HENS) + 2, 0])
    one = whole("7")
    assert one is not None
    assert find_grams(pa.array(["seven, 7 and 77"], pa.large_string()), one).start.tolist() == [7]
    assert whole("?!") is None
