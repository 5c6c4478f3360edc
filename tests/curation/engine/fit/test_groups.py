"""Sizes of groups, and samples by group: the same however the shards are cut, checked before any work."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from curation.core.errors import RecipeError, UserError
from curation.engine.executor.inline import Inline
from curation.engine.executor.work import Unit
from curation.engine.fit import fit_stage
from curation.engine.fit.fit_stage import Fitting, learned
from curation.engine.fit.groups import EVERYTHING, SampleGroups, SizesStep
from curation.engine.fit.portions import Portion, portions_of
from curation.fit.sample.shares import KeptShard
from curation.text.text_hash import text_hashes
from tests.curation.engine.fit.test_example_files import example_file
from tests.curation.engine.fit.toys import Listed, Plain, write_rows
from tests.curation.engine.inputs import numbered_shards
from tests.curation.engine.removed.test_tombstones import tombstones


def language(number: int) -> Any:
    """Every second document is in "a", a quarter has no language."""
    return {"label": "a" if number % 2 else None if number % 8 == 0 else "b"}


def groups_in(shards: list[KeptShard], by: str) -> SampleGroups:
    def step(name: str, work: Any, units: list[Unit], folder: str) -> Any:
        return tuple(work.run(unit) for unit in units)

    return Fitting(Listed(sample_by=by) if by else Plain(), portions_of(shards), "", step).groups()


def learn(fit: Listed, shards: list[KeptShard]) -> tuple[bytes, dict[str, Any]]:
    files, record = learned(fit, portions_of(shards), Inline())
    return files[fit.asset], record


def numbers_of(content: bytes) -> list[int]:
    return [int(one) for one in content.split()]


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_a_sample_is_of_the_stated_size_and_the_same_however_the_shards_are_cut(tmp_path: Path, share: float) -> None:
    shards = numbered_shards(tmp_path)
    fit = Plain(sample_bytes=round(share * sum(shard.kept_bytes for shard in shards)))
    chosen = learned(fit, portions_of(shards), Inline())[0]["plain.txt"]
    assert abs(len(numbers_of(chosen)) - 3000 * share) < 4 * (3000 * share * (1 - share)) ** 0.5
    (tmp_path / "more").mkdir()
    more = portions_of(numbered_shards(tmp_path / "more", shards=4, rows=1000))
    assert learned(fit, more, Inline())[0]["plain.txt"] == chosen


def test_sizes_of_sources_are_those_of_the_manifests() -> None:
    shards = [KeptShard(("a",), "web", 5, 1), KeptShard(("b",), "books", 7, 2), KeptShard(("c",), "web", 11, 4)]
    of_sources = groups_in(shards, "source")
    all_text = groups_in(shards, "")
    assert (of_sources.sizes, of_sources.documents) == ({"books": 7, "web": 16}, {"books": 2, "web": 5})
    assert (all_text.sizes, all_text.documents) == ({EVERYTHING: 23}, {EVERYTHING: 7})


def test_sizes_of_a_columns_values(tmp_path: Path) -> None:
    shards = numbered_shards(tmp_path, rows=8, language=language)
    # Kept are 0 to 15 without 3, 7, 11, 15. "a": 1, 5, 9, 13; none: 0, 8; "b": 2, 4, 6, 10, 12, 14.
    assert groups_in(shards, "language.label").sizes == {"a": 5, "b": 9, "none": 2}


def test_sizes_of_much_text_are_estimated_from_a_part_of_the_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = numbered_shards(tmp_path, shards=4, rows=8, language=language)
    monkeypatch.setattr(fit_stage, "MEASURED_BYTES", 20)
    # Text is read of the first and the third shard alone, where "a" has 1, 5, 17, 21: 6 bytes in 4 of its 8 documents.
    assert groups_in(shards, "language.label").sizes["a"] == 8 * 6 // 4


def test_what_is_drawn_of_each_source(tmp_path: Path) -> None:
    shards = numbered_shards(tmp_path, rows=4000, sources=("web", "books"))
    fit = Listed(sample_by="source", sample_bytes=4_000, sample_weights={"web": 3, "books": 1})
    content, record = learn(fit, shards)
    numbers = numbers_of(content)
    web = [n for n in numbers if n < 4000]
    books, of_web = record["groups"]
    assert (books["group"], books["target_bytes"], of_web["target_bytes"]) == ("books", 1000, 3000)
    assert of_web["documents"] == len(web)
    assert of_web["sample_bytes"] == sum(len(str(n)) for n in web)
    assert books["sample_bytes"] + of_web["sample_bytes"] == sum(len(str(n)) for n in numbers)
    assert abs(of_web["sample_bytes"] - 3_000) <= 2  # half of a document of four bytes
    assert abs(books["sample_bytes"] - 1_000) <= 2
    assert learn(fit, shards)[0] == content


def test_by_a_column_a_weight_of_zero_leaves_out(tmp_path: Path) -> None:
    shards = numbered_shards(tmp_path, language=language)
    content, record = learn(Listed(sample_by="language.label", sample_weights={"a": 1, "*": 0}), shards)
    assert numbers_of(content) == [n for n in range(4000) if n % 4 == 1]
    assert {one["group"]: one["documents"] for one in record["groups"]} == {"a": 1000, "b": 0, "none": 0}


def test_by_a_column_that_is_no_struct(tmp_path: Path) -> None:
    shards = numbered_shards(tmp_path, rows=8, declared_language=lambda n: "de" if n % 2 else None)
    fit = Listed(sample_by="declared_language", sample_weights={"de": 1, "none": 0})
    assert learn(fit, shards)[0] == b"1 5 9 13"


def test_shares_are_met_though_documents_are_long_and_shards_cut_otherwise(tmp_path: Path) -> None:
    fit = Listed(sample_by="language.label", sample_bytes=900, sample_temperature=float("inf"))
    content, record = learn(fit, numbered_shards(tmp_path, language=language))
    assert all(abs(one["sample_bytes"] - 300) <= 2 for one in record["groups"])
    (tmp_path / "more").mkdir()
    more = numbered_shards(tmp_path / "more", shards=8, rows=500, language=language)
    assert learn(fit, more) == (content, record)


def test_an_unknown_group_is_named_with_the_known_ones(tmp_path: Path) -> None:
    shards = numbered_shards(tmp_path, rows=8, language=language)
    with pytest.raises(RecipeError, match="no group 'fr' in the text; known: a, b, none"):
        learn(Listed(sample_by="language.label", sample_weights={"fr": 1}), shards)


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("langage.label", "no column 'langage', which sample_by names; did you mean 'language'"),
        ("language.lable", "language has no field 'lable', which sample_by names; did you mean 'label'"),
        ("language", "sample_by cannot take the values of language, .*; give a field of it, such as language.label"),
        ("crawled_at", r"sample_by cannot take the values of crawled_at, which holds timestamp\[.*\]$"),
    ],
)
def test_a_column_that_is_not_there(tmp_path: Path, by: str, message: str) -> None:
    shards = numbered_shards(tmp_path, rows=8, language=language)
    with pytest.raises(UserError, match=message):
        groups_in(shards, by)


def test_texts_of_files_that_were_taken_down_count_apart(tmp_path: Path) -> None:
    rows = [
        {"text": text, "kind": kind}
        for text, kind in (("ab", "x"), ("abc", "x"), ("AB", "y"), ("abcd", "y"), ("Ab", "z"))
    ]
    file = example_file(write_rows(tmp_path / "rows.jsonl", rows), label="kind")
    stones = tombstones(tmp_path, "0" * 32, texts=(text_hashes(pa.array(["ab"]))[0].as_py(),))
    commit = SizesStep("label", 1, stones).run(Unit(0, Portion(file=file)))
    assert commit.extra == {
        "groups": {"x": [1, 1, 3], "y": [1, 1, 4], "z": [0, 0, 0]},
        "taken": {"x": 1, "y": 1, "z": 1},
    }
