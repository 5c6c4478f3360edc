"""Rows of each kind of file in the file's order, and faults in one line."""

import gzip
from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.core.row_files import field, literal, reading, rows_of


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson.gz", "a.json"])
def test_json_lines(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    content = b'{"n": 2}\n{"n": 1}\n'
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with reading("cannot read") as connection:
        rows = rows_of(connection, str(path))
        assert rows is not None
        assert rows.fetchall() == [(2,), (1,)]


def test_csv_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n\n02\n1\n")
    with reading("cannot read") as connection:
        rows = rows_of(connection, str(tmp_path / "a.csv"), csv=True)
        assert rows is not None
        assert rows.fetchall() == [("02",), ("1",)]
        assert rows_of(connection, str(tmp_path / "a.csv")) is None
        assert rows_of(connection, str(tmp_path / "a.txt"), csv=True) is None


def rows(path: Path) -> list[tuple[int, ...]]:
    with reading("cannot read it") as connection:
        found = rows_of(connection, str(path), sample_size=-1)
        assert found is not None
        return found.fetchall()


def test_faults_are_one_line_that_says_what_failed(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"n": 1}\n{"n"\n')
    with pytest.raises(InputError, match=r"^cannot read it: [^\n]+$"):
        rows(tmp_path / "a.jsonl")


def test_names_and_texts_in_sql() -> None:
    assert field('a.b"c') == '"a"."b""c"'
    assert literal("it's") == "'it''s'"
