"""Files of documents: where one ends, what each form holds, and equal bytes for equal documents."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from curation.account.texts import text_files
from curation.account.texts.text_files import DocumentFiles, Form, by_split
from curation.core.new_file import checksum_of

TABLE = pa.table({"text": [f"text {number}" for number in range(10)]})
LINES = b"".join(b'{"text":"text %d"}\n' % number for number in range(10))


def write(folder: Path, form: Form, file_bytes: int = 1 << 20) -> list[text_files.TextFile]:
    folder.mkdir()
    files = DocumentFiles(str(folder), "part", form, file_bytes=file_bytes)
    for first in (0, 3, 6, 9):
        files.add(TABLE.slice(first, 3))
    return files.close()


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "jsonl.zst", "parquet"])
def test_forms(tmp_path: Path, form: Form) -> None:
    (file,) = write(tmp_path / "one", form)
    path = tmp_path / "one" / file.name
    assert (file.name, file.documents, file.bytes) == (f"part-00000.{form}", 10, path.stat().st_size)
    assert file.blake2b == checksum_of(str(path))
    assert write(tmp_path / "again", form) == [file]
    content = path.read_bytes()
    if form == "parquet":
        assert pq.read_table(path).equals(TABLE)
    elif form == "jsonl.gz":
        assert gzip.decompress(content) == LINES
    elif form == "jsonl.zst":
        assert zstandard.ZstdDecompressor().stream_reader(content).read() == LINES
    else:
        assert content == LINES


def test_a_file_ends_with_the_row_group_that_fills_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "GROUP_ROWS", 3)
    files = write(tmp_path / "many", "parquet", file_bytes=60)
    assert [(file.name, file.documents) for file in files] == [("part-00000.parquet", 6), ("part-00001.parquet", 4)]
    assert pq.read_metadata(tmp_path / "many" / "part-00000.parquet").num_row_groups == 2


def test_no_document_is_no_file(tmp_path: Path) -> None:
    assert DocumentFiles(str(tmp_path), "part", "jsonl").close() == []
    assert [*tmp_path.iterdir()] == []


def test_splits() -> None:
    table = pa.table({"split": ["train", "validation", "train"], "n": [1, 2, 3]})
    assert {split: rows["n"].to_pylist() for split, rows in by_split(table)} == {"train": [1, 3], "validation": [2]}
