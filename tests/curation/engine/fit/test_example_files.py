"""Files of examples: JSON lines and Parquet, compressed or not, in their order, with conditions and labels."""

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest

from curation.core import storage
from curation.core.errors import InputError
from curation.core.fits import Examples
from curation.core.protocols import Piece
from curation.engine.fit.example_files import ExampleFile, check_fields, labelled_rows
from curation.engine.recipe.address import list_inputs

ROWS: list[dict[str, Any]] = [
    {"text": "ä b", "kind": 1, "inner": {"text": "deep"}, "score": 3.5},
    {"text": None, "kind": 2, "inner": {"text": "x"}, "score": 1},
    {"text": "third", "kind": 2, "inner": {"text": "y"}, "score": 5},
    {"text": "fourth", "kind": None, "inner": {"text": None}, "score": 0},
]


def example_file(path: Path | str, **options: Any) -> ExampleFile:
    (file,) = list_inputs((str(path),))
    return ExampleFile(Piece.of(file), Examples(files=(str(path),), **options))


def pairs(file: ExampleFile, label: str = "good") -> list[tuple[str, str]]:
    tables = list(labelled_rows(file, label))
    assert all(table.schema.types == [pa.large_string(), pa.string()] for table in tables)
    return [(row["text"], row["label"]) for table in tables for row in table.to_pylist()]


@pytest.fixture(params=["jsonl", "jsonl.gz", "ndjson", "parquet"])
def rows_file(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / f"rows.{request.param}"
    lines = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    if request.param == "parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    else:
        path.write_bytes(gzip.compress(lines) if request.param.endswith(".gz") else lines)
    return path


def test_text_in_the_order_of_the_file(rows_file: Path) -> None:
    assert pairs(example_file(rows_file)) == [("ä b", "good"), ("third", "good"), ("fourth", "good")]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        pytest.param("(SELECT count(*) FROM read_csv('/etc/passwd')) > 0", "where holds a query", id="a file"),
        pytest.param("score IN (FROM range(9))", "where holds a query", id="a table"),
        pytest.param("score > 1 UNION SELECT 2", "where holds a query", id="a second query"),
        pytest.param("score > random()", "where calls random", id="chance"),
        pytest.param("now() > '2026-01-01'", "where calls now", id="the time"),
        pytest.param("score >", "where is no condition", id="half of one"),
        pytest.param("1 = 1; DROP TABLE t", "where is no condition", id="a statement"),
    ],
)
def test_a_condition_reads_the_fields_of_a_row_and_nothing_else(rows_file: Path, where: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_fields(example_file(rows_file, where=where))


def test_a_condition_a_label_and_a_field_inside_another(rows_file: Path) -> None:
    file = example_file(rows_file, text="inner.text", where="score > 0.5 AND text IS NOT NULL", label="kind")
    assert pairs(file, "") == [("deep", "1"), ("y", "2")]
    assert {label for _, label in pairs(example_file(rows_file), "it's")} == {"it's"}


def test_many_rows_keep_their_order(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text("".join(json.dumps({"text": f"{n}"}) + "\n" for n in range(30_000)))
    assert [int(text) for text, _ in pairs(example_file(path))] == list(range(30_000))


def test_a_file_in_a_store(tmp_path: Path) -> None:
    fs, path = storage.resolve("memory://examples/rows.jsonl")
    assert isinstance(fs, pafs.PyFileSystem)
    fs.handler.fs.pipe_file(path, b'{"text": "far away"}\n')
    assert pairs(example_file("memory://examples/rows.jsonl")) == [("far away", "good")]


def test_a_file_that_changed_is_refused(rows_file: Path) -> None:
    file = example_file(rows_file)
    rows_file.write_bytes(b"")
    with pytest.raises(InputError, match="has changed since the run began"):
        pairs(file)


def test_a_damaged_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"text": "a"}\n{"text": broken\n')
    with pytest.raises(InputError, match=r"cannot read examples from .*bad\.jsonl: .*Malformed JSON"):
        pairs(example_file(path))


def test_a_field_that_is_not_there(rows_file: Path) -> None:
    check_fields(example_file(rows_file))
    for options in ({"text": "body"}, {"label": "body"}, {"where": "body > 1"}):
        with pytest.raises(InputError, match=r'rows\..*"body" not found'):
            check_fields(example_file(rows_file, **options))
