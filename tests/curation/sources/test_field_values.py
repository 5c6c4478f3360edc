"""Lists, JSON in strings, and several names: the same from lines at once, line by line, and Parquet."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.protocols import Piece, ReadTally, Source
from curation.sources.field_values import joined, joined_lists, parsed
from curation.sources.jsonl import Jsonl
from curation.sources.parquet import Parquet

FIELDS: dict[str, Any] = {"text": "a|b.c", "licence": "m.licences", "declared_language": "langs", "url": "m.url"}
ROWS: list[dict[str, Any]] = [
    {
        "a": ["one", "two"],
        "b": {"c": ["x"]},
        "m": json.dumps({"licences": ["MIT", "ISC"], "url": "u"}),
        "langs": ["fr", "en"],
    },
    {"a": None, "b": {"c": ["three", None]}, "m": "not JSON", "langs": []},
    {"a": [], "b": {"c": ["four"]}, "m": "[" * 5000, "langs": None},
    {"a": None, "b": {"c": None}, "m": None, "langs": ["de"]},
]
EXPECTED = [
    ("one\n\ntwo", "MIT AND ISC", "fr", "u"),
    ("three\n\n", None, None, None),
    ("four", None, None, None),
    (None, None, "de", None),
]


def found(source: Source, path: Path) -> list[tuple[Any, ...]]:
    batches = source.read([Piece(str(path))], "s", ReadTally())
    names = ("text", "licence", "declared_language", "url")
    return [tuple(row[name] for name in names) for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize("bad", ["", "not JSON\n"], ids=["at once", "line by line"])
def test_json_lines(bad: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(bad + "".join(json.dumps(row) + "\n" for row in ROWS))
    assert found(Jsonl(paths=(), **FIELDS), path) == EXPECTED


def test_parquet(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "x.parquet")
    assert found(Parquet(paths=(), **FIELDS), tmp_path / "x.parquet") == EXPECTED


def test_a_list_that_is_too_long_together_has_no_text(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [["x" * 60] * 2, ["y"], None]}), tmp_path / "x.parquet")
    source = Parquet(paths=(), text="a", max_document_bytes=100)
    rows = [
        row
        for batch in source.read([Piece(str(tmp_path / "x.parquet"))], "s", ReadTally())
        for row in batch.to_pylist()
    ]
    assert [(row["text"], row["drop_reason"]) for row in rows] == [
        (None, "extract:too_many_bytes"),
        ("y", None),
        (None, "extract:no_text"),
    ]


@pytest.mark.parametrize("name", ["text", "licence", "url"])
@pytest.mark.parametrize("values", [["a", "b"], ["a"], [None, "b"], []], ids=str)
def test_one_list_and_many_are_joined_alike(name: str, values: list[str | None]) -> None:
    assert joined_lists(name, pa.array([values, None], pa.list_(pa.string()))).to_pylist() == [
        joined(name, values),
        None,
    ]


def test_what_is_no_json() -> None:
    assert (parsed("{"), parsed("[" * 100_000), parsed('{"a": 1}')) == (None, None, {"a": "1"})
