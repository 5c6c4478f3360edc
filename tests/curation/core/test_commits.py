"""Commits come back as written, a group in one file; what was damaged is named."""

from pathlib import Path

import pytest

from curation.core.commits import Commit, Part, group_path, read_group, read_parts, write_group
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
