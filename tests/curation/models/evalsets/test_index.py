"""What an index says of its items, and what it refuses."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.models.evalsets.index import MAIN, load, locate
from tests.curation.models.evalsets import HENS, ITEMS, SHIPS, index_file, indexed


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
