"""Commits come back as written, a group in one file; what was damaged is named."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from curation.core.commits import SCHEMA, Commit, Part, group_path, read_group, read_parts, write_group
from curation.core.errors import InputError

PART = Part(
    "part-00000.parquet", "web", 10, rows=5, kept=3, dropped={"a.b:low": 1, "error.a.KeyError": 1}, blake2b="ab"
)
FULL = Commit(
    7, (PART,), {"a.b:low": 2}, {"skipped.request": 1}, ({"file": "f", "offset": 3, "error": "cut"},), {"n": [1]}, 0.5
)


def test_round_trip(tmp_path: Path) -> None:
    path = group_path(str(tmp_path), 0)
    Path(path).parent.mkdir()
    write_group(path, [FULL, Commit(3, ())])
    assert read_group(path) == (Commit(3, ()), FULL)
    content = Path(path).read_bytes()
    write_group(path, [Commit(3, ()), FULL])
    assert Path(path).read_bytes() == content


def test_files_of_a_commit() -> None:
    commit = Commit(0, (PART,), extra={"files": {"_keys/keys-00000.arrow": {"bytes": 4}}})
    assert commit.files() == {"part-00000.parquet": 10, "_keys/keys-00000.arrow": 4}


def test_a_flipped_bit_is_damage_wherever_it_is(tmp_path: Path) -> None:
    path = tmp_path / "group-00000.arrow"
    write_group(str(path), [FULL])
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        for read in (read_group, read_parts):
            with pytest.raises(InputError, match="is damaged: its checksum is not that of its content"):
                read(str(path))


@pytest.mark.parametrize("content", [b"", b"ARROW1", b"no such thing" * 9])
def test_what_was_damaged_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "group-00000.arrow"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"group-00000.arrow is damaged.*curate again"):
        read_group(str(path))


def test_the_parts_of_a_group_as_columns(tmp_path: Path) -> None:
    path = group_path(str(tmp_path), 0)
    Path(path).parent.mkdir()
    write_group(path, [FULL, Commit(3, ())])
    commits, parts = read_parts(path)
    assert (commits, parts.field("rows").to_pylist()) == (2, [5])
    assert parts.field("dropped").to_pylist() == [[("a.b:low", 1), ("error.a.KeyError", 1)]]
    Path(path).write_bytes(b"ARROW1")
    with pytest.raises(InputError, match="is damaged"):
        read_parts(path)


def forged(path: Path, table: pa.Table) -> str:
    """A file of commits whose checksum is right, whatever it holds."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    content = sink.getvalue().to_pybytes()
    path.write_bytes(content + hashlib.blake2b(content, digest_size=32).digest())
    return str(path)


def table_of(commit: Commit, **values: Any) -> pa.Table:
    parts = [{**part.__dict__, "dropped": [*part.dropped.items()]} for part in commit.parts]
    row = {"unit": 7, "seconds": 0.5, "parts": parts, "fired": [], "counts": [], "faults": "[]", "extra": "{}"}
    return pa.Table.from_pylist([row | values], SCHEMA)


@pytest.mark.parametrize("file", ["/etc/passwd", "../a", "a/../../b", "s3://bucket/a", "", "a\0b"])
def test_a_part_lies_in_its_stage(tmp_path: Path, file: str) -> None:
    path = forged(tmp_path / "group", table_of(replace(FULL, parts=(replace(PART, file=file),))))
    for read in (read_group, read_parts):
        with pytest.raises(InputError, match="is damaged: it names a file outside its stage; delete"):
            read(path)


def test_a_forged_group_of_good_values_is_read(tmp_path: Path) -> None:
    commits = read_group(forged(tmp_path / "group", table_of(FULL)))
    assert commits == (Commit(7, (PART,), seconds=0.5),)


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"unit": None}, "it lacks values"),
        ({"parts": None}, "it lacks values"),
        ({"parts": [None]}, "it lacks values"),
        ({"parts": [{"file": "a"}]}, "it lacks values"),
        ({"fired": [("a", None)]}, "it lacks values"),
        ({"faults": "[{}]"}, r"\[0\].error: expected a value, got nothing"),
        ({"faults": "["}, "Expecting value"),
        ({"extra": "[" * 100_000}, "recursion"),
        ({"extra": json.dumps({"files": {"a": {"bytes": -1}}})}, "files.a.bytes: expected a whole number of 0 or more"),
    ],
)
def test_values_of_a_forged_group_are_checked(tmp_path: Path, values: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=f"is damaged: .*{problem}.*curate again"):
        read_group(forged(tmp_path / "group", table_of(FULL, **values)))


def test_other_columns_are_damage(tmp_path: Path) -> None:
    path = forged(tmp_path / "group", table_of(FULL).drop_columns("parts"))
    for read in (read_group, read_parts):
        with pytest.raises(InputError, match="is damaged"):
            read(path)
