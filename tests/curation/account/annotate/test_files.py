"""Files of documents that are not a run: JSON lines and Parquet, with and without ids, and mistakes."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.account.annotate.files import FileUnit, file_units
from curation.core.errors import InputError

ROWS: list[dict[str, Any]] = [
    {"text": "one", "doc_id": "a", "url": "u1", "source": "s", "language": {"score": 1}, "odd": 1},
    {"text": "zwei\n" * 9000, "doc_id": "b", "language": {"score": 0.5}, "odd": "x"},
    {"text": None, "language": None},
    {"text": "", "url": "u4", "source": None, "language": {"score": None}},
    {"text": "one"},
]


def write(folder: Path, name: str) -> FileUnit:
    lines = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    path = folder / name
    if name.endswith(".parquet"):
        rows = [{key: value for key, value in row.items() if key != "odd"} for row in ROWS]
        schema = pa.schema(
            [
                *((field, pa.large_string()) for field in ("text", "doc_id", "url", "source")),
                ("language", pa.struct([("score", pa.float32())])),
            ]
        )
        pq.write_table(pa.Table.from_pylist(rows, schema), path, row_group_size=2)
    else:
        path.write_bytes(gzip.compress(lines) if name.endswith(".gz") else lines)
    return FileUnit(str(path))


@pytest.mark.parametrize("name", ["d.jsonl", "d.jsonl.gz", "d.parquet"])
def test_ids_and_documents(tmp_path: Path, name: str) -> None:
    unit = write(tmp_path, name)
    ids = pa.concat_tables(unit.ids("language.score"))
    assert ids["usable"].to_pylist() == [True, True, False, True, True]
    assert ids["source"].to_pylist() == ["s", name, name, name, name]
    assert ids["value"].to_pylist() == [1, 0.5, None, None, None]
    assert ids["doc_id"].to_pylist()[:2] == ["a", "b"]
    assert len(ids["doc_id"][4].as_py()) == 32
    documents = unit.documents(np.array([0, 1, 4]))
    assert documents["text"].to_pylist() == [ROWS[row]["text"] for row in (0, 1, 4)]
    assert documents["url"].to_pylist() == ["u1", None, None]
    assert documents["doc_id"].to_pylist() == [ids["doc_id"][row].as_py() for row in (0, 1, 4)]


def test_a_row_with_a_long_text(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps({"text": "x" * 2_000_000}) + "\n")
    [table] = FileUnit(str(path)).ids(None)
    assert table["usable"].to_pylist() == [True]


@pytest.mark.parametrize(
    ("content", "signal", "message"),
    [
        ('{"body": "a"}\n', None, "has no field 'text'; known: body"),
        ('{"text": "a", "langage": 1}\n', "language", "has no field 'language'; did you mean 'langage'?"),
        ('{"text": "a", "language": {"score": 1}}\n', "language.scor", "cannot read documents from .*scor"),
        ("text\n", None, "cannot read documents from"),
        ('{"text": "a"}\nnot json\n', None, "cannot read documents from"),
        ("", None, "has no field 'text'"),
    ],
)
def test_mistakes(tmp_path: Path, content: str, signal: str | None, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match=message) as caught:
        [list(unit.ids(signal)) for unit in file_units(str(path), signal)]
    assert "\n" not in str(caught.value)


def test_which_files(tmp_path: Path) -> None:
    write(tmp_path, "b.jsonl")
    write(tmp_path, "a.jsonl")
    (tmp_path / "it's.parquet").write_bytes(b"PAR1")
    assert [unit.path for unit in file_units(f"{tmp_path}/*.jsonl", None)] == [
        f"{tmp_path}/{name}.jsonl" for name in "ab"
    ]
    with pytest.raises(InputError, match=r"cannot read documents from .*it's.parquet"):
        file_units(str(tmp_path), None)
    with pytest.raises(InputError, match="no input matches"):
        file_units(str(tmp_path / "none.jsonl"), None)
    (tmp_path / "notes.txt").write_text('{"text": "a"}\n')
    with pytest.raises(InputError, match=r"neither .parquet nor .jsonl, which .gz or .zst may follow"):
        file_units(str(tmp_path / "notes.txt"), None)
    with pytest.raises(InputError, match="files are read from a local disk"):
        file_units("s3://bucket/a.jsonl", None)
