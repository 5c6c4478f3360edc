"""Which n-grams are indexed."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.models.evalsets.build import MOST_ITEMS, build
from curation.models.evalsets.sets import EvalSet, read_items
from tests.curation.models.evalsets import indexed, write_rows

SEVEN = "red green blue black white brown grey"


def grams(folder: Path, row: dict[str, object], size: int = 5) -> int:
    """N-grams of the only item."""
    index = indexed(folder, {"own": [row]}, (size,))
    return int(index.items[f"grams_{size}"][0].as_py())


@pytest.mark.parametrize(
    ("row", "count"),
    [
        pytest.param({"question": SEVEN}, 3, id="7 tokens"),
        pytest.param({"question": SEVEN, "answer": "pink"}, 4, id="and across the answer"),
        pytest.param({"question": SEVEN, "answer": "x", "choices": ["a b c d e", "f"]}, 5, id="and in a choice"),
        pytest.param({"question": SEVEN + " 1 2 3 4 5 6 7"}, 6, id="numbers alone tell nothing"),
        pytest.param({"question": SEVEN + " ha ha ha ha ha"}, 7, id="one word repeated tells nothing"),
    ],
)
def test_counts(tmp_path: Path, row: dict[str, object], count: int) -> None:
    assert grams(tmp_path, row) == count


def test_an_n_gram_of_more_than_a_hundred_items_tells_nothing(tmp_path: Path) -> None:
    same = [{"question": f"{SEVEN} one{n} two{n}"} for n in range(MOST_ITEMS)]
    folders = [tmp_path / name for name in ("few", "many")]
    for folder in folders:
        folder.mkdir()
    few = indexed(folders[0], {"own": same}, (5,))
    many = indexed(folders[1], {"own": [*same, {"question": SEVEN}]}, (5,))
    assert few.items["grams_5"].to_pylist() == [5] * MOST_ITEMS
    assert many.items["grams_5"].to_pylist() == [2] * MOST_ITEMS + [0]


def test_nothing_to_find(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", [{"question": "too short"}])
    with pytest.raises(InputError, match="no item has 8 tokens"):
        build(read_items("own", EvalSet(files=path), [path]), (8,))


def test_the_same_items_make_the_same_bytes(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", [{"question": SEVEN}, {"question": f"not {SEVEN}"}])
    items = read_items("own", EvalSet(files=path), [path])
    assert build(items, (5, 3)) == build(items, (5, 3))
