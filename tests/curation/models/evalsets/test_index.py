"""What an index says of its items, and what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.errors import InputError
from curation.models.evalsets.index import MAIN, load, locate
from tests.curation.models.evalsets import HENS, ITEMS, SHIPS, index_file, indexed
from tests.support import table


def test_items_by_id_question_and_hash(tmp_path: Path) -> None:
    index = indexed(tmp_path, ITEMS)
    assert index.names.to_pylist() == ["sums/0", "sums/1", "places/0"]
    item = index.item("places/0")
    assert item is not None
    assert (item["question"], item["answer"], item["choices"]) == (SHIPS, "Mull", ["Port of Larn", "Ayr", "Skye"])
    assert index.item("sums/9") is None
    assert index.numbers("sums/1").tolist() == [1]
    assert index.numbers(HENS.upper() + " ").tolist() == [0]
    assert index.numbers(item["hash"]).tolist() == [2]
    assert index.numbers("no such item").tolist() == []


def test_items_without_an_n_gram_are_counted_and_listed(tmp_path: Path) -> None:
    index = indexed(tmp_path, ITEMS)
    assert index.sets["sums"] == {"items": 2, "tokens": 20 + 17 + 4, "unchecked": {"5": 1, "8": 1}}
    assert index.sets["places"]["unchecked"] == {"5": 0, "8": 0}
    assert index.unchecked(8) == ["sums/1"]


def test_what_is_missing_or_of_another_kind(tmp_path: Path) -> None:
    path = index_file(tmp_path, ITEMS)
    with pytest.raises(InputError, match="n-grams of 5, 8 tokens, not of 13; add it to the fit's sizes"):
        load(path).lookup(13)
    with pytest.raises(InputError, match="no index of evaluation sets at"):
        locate(str(tmp_path / "other.json"))
    (tmp_path / "places-8.npy").unlink()
    with pytest.raises(InputError, match=r"lacks places-8\.npy"):
        locate(path)
    for content, cause in (("{}", "format"), ('{"format": 99}', "has format 99"), ("no JSON", "is no index")):
        (tmp_path / MAIN).write_text(content)
        with pytest.raises(InputError, match=cause):
            locate(path)


def with_array(folder: Path, name: str, change: Callable[[Any], Any]) -> str:
    """The main file of an index of which one array is another."""
    path = index_file(folder, ITEMS)
    file = folder / f"{name}.npy"
    array = change(np.load(file))
    np.save(file, array)
    return path


def put(place: int, value: int) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array[place] = value
        return array

    return change


@table(
    "name, change, message",
    {
        "places behind the last token": ("places-5", put(0, 2**32 - 1), "lie behind its last token"),
        "places beyond their n-grams": ("firsts-5", put(1, 2**32 - 1), "not at the places that it names"),
        "n-grams out of order": ("hashes-5", put(0, 2**64 - 1), "out of order"),
        "no n-gram": ("hashes-5", lambda array: array[:0], "not at the places that it names"),
        "a directory that ends early": ("directory-5", put(-1, 0), "cannot be looked up"),
        "a short filter": ("filter-5", lambda array: array[:-1], "cannot be looked up"),
        "tokens behind the text": ("starts", put(-1, 2**40), "tokens are not those of its items' texts"),
        "tokens before the text": ("starts", put(1, -1), "tokens are not those of its items' texts"),
        "items behind the last token": ("first", put(1, 10**6), "tokens are not those of its items"),
        "fewer parts than tokens": ("part", lambda array: array[1:], "tokens are not those of its items' texts"),
        "other parts than are counted": ("part", put(0, 1), "sums over 5-grams are not those of its items"),
        "numbers of another type": ("folded", lambda array: array.astype(np.int64), "numbers of another type"),
        "sums of fewer items": ("counts-5", lambda array: array[1:], "sums over 5-grams are not those of its items"),
    },
)
def test_arrays_that_do_not_fit_together(tmp_path: Path, name: str, change: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(InputError, match=f"damaged index of evaluation sets: .*{message}.*; run the fit again"):
        load(with_array(tmp_path, name, change))


@pytest.mark.parametrize(
    "field", [{"sizes": [0]}, {"sizes": [10**9]}, {"sizes": 5}, {"files": 1}, {"sets": {"a": 1}}], ids=str
)
def test_facts_of_another_kind(tmp_path: Path, field: dict[str, object]) -> None:
    path = Path(index_file(tmp_path, ITEMS))
    path.write_text(json.dumps({**json.loads(path.read_text()), **field}))
    with pytest.raises(InputError, match="is no index of"):
        load(str(path))


def test_items_that_are_none(tmp_path: Path) -> None:
    path = index_file(tmp_path, ITEMS)
    pq.write_table(pa.table({"id": ["a", "b", "c"]}), tmp_path / "items.parquet")
    with pytest.raises(InputError, match=r"items\.parquet holds no items of evaluation sets: .*; run the fit again"):
        load(path).item("a")
