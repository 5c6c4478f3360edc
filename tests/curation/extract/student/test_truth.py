"""People's text of pages: which rows of a file count, and files that say nothing."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.errors import InputError
from curation.extract.student.truth import check_truth, texts_at, truth_files


def test_the_first_row_of_a_url_counts_and_those_without_text_do_not(tmp_path: Path) -> None:
    rows = [{"url": "b", "text": None}, {"url": "b", "text": "two", "n": 1}, {"text": "no"}, {"url": "b", "text": "3"}]
    (tmp_path / "1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.table({"text": ["four", "", "five"], "url": ["c", "d", "b"]}), tmp_path / "2.parquet")
    files = truth_files((str(tmp_path / "*"), str(tmp_path / "1.jsonl")))
    urls = pa.array(["c", None, "b", "d", "a"])
    assert texts_at(urls, files).to_pylist() == ["four", None, "two", None, None]
    assert [Path(file.path).name for file in files] == ["1.jsonl", "2.parquet"]
    (tmp_path / "2.parquet").unlink()
    (tmp_path / "1.jsonl").write_text(json.dumps({"url": "a", "text": "six"}))
    assert texts_at(urls, truth_files((str(tmp_path),))).to_pylist() == [None, None, None, None, "six"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"url": "b", "body": "c"}\n', "a.jsonl has no row with a `url` and a `text`"),
        ("a.jsonl", b"[1\n", "cannot read people's text from .*a.jsonl: "),
        ("a.parquet", b"PAR1", "cannot read people's text from .*a.parquet: "),
        ("a.txt", b"", "its name ends in neither .parquet nor .jsonl"),
    ],
)
def test_files_that_say_nothing(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        check_truth(str(tmp_path / name))
