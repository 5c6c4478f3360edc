"""Groups by language, code and source, and the sums over each, by hand."""

from typing import Any

import pyarrow as pa

from curation.account.tokenizers.token_groups import GroupSums, measure, names_by_kind, sums_by_group
from tests.support import documents


def table(*texts: str, **columns: list[Any]) -> pa.Table:
    return pa.Table.from_batches([documents(*texts, **columns)])


def groups(given: pa.Table) -> list[tuple[str, list[str | None]]]:
    return [(kind, names.to_pylist()) for kind, names in names_by_kind("web", given)]


def test_declared_languages() -> None:
    given = table("", "", "", "", "", declared_language=["de", "en-GB", "ZH_Hant", "x-unknown", None])
    assert dict(groups(given))["language"] == ["de", "en", "zh", None, None]
    assert dict(groups(given))["all"] == ["all text"] * 5
    assert dict(groups(given))["source"] == ["web"] * 5


def test_found_languages_go_before_declared_ones() -> None:
    given = table("", "", declared_language=["de", "de"], language=[{"label": "nl"}, {"label": None}])
    assert dict(groups(given))["language"] == ["nl", None]


def test_code() -> None:
    urls = ["src/a.py", "https://x.example/a.php", "https://x.example/b", None]
    given = table("", "", "", "", declared_language=["en", "en", "Rust", "c"], url=urls)
    found = groups(given)
    assert found[1] == ("language", [None, "en", None, None])
    assert found[2] == ("code", ["all code", None, "all code", "all code"])
    assert found[3] == ("code", ["python", None, "rust", "c"])


def test_where_code_was_measured_any_name_tells() -> None:
    given = table("", url=["https://x.example/a.py?raw=1"], code_quality=[{"lines": 3}])
    assert groups(given)[3] == ("code", ["python"])


def test_sums() -> None:
    kinds = [("language", pa.array(["a", None, "a", "b"]))]
    values = {"tokens": pa.array([1, 2, 3, 4]), "bytes": pa.array([10, 20, 30, 40])}
    assert sums_by_group(kinds, values) == {("language", "a"): [2, 4, 40], ("language", "b"): [1, 4, 40]}


def test_measures_add_up() -> None:
    found: dict[tuple[str, str], GroupSums] = {}
    for _ in range(2):
        given = table("two words", "été 数字", "", declared_language=["en", "zh", None])
        measure(given, names_by_kind("web", given), found)
    assert found["language", "en"] == GroupSums(documents=2, bytes=18, characters=18, words=4)
    assert found["language", "zh"] == GroupSums(documents=2, bytes=24, characters=12, words=6)  # a Han character is one
    assert found["all", "all text"] == GroupSums(documents=6, bytes=42, characters=30, words=10)
    assert ("code", "all code") not in found
