"""What a file is taken for, and whether the line that reads it does."""

import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from curation.core.errors import InputError
from curation.sources.inspection import inspected
from tests.curation.sources.test_corpus import CCNET, DOLMA, FINE, WARC, WEB, tar, written
from tests.curation.sources.test_wet import archive

OSCAR = {"content": "A", "warc_headers": WARC, "metadata": {"identification": {"label": "fr"}}}


@pytest.mark.parametrize(
    ("name", "file", "row"),
    [
        ("mc4", "multilingual/c4-fr.tfrecord-00000-of-00064.json.gz", WEB),
        ("ccnet", "x.json.gz", CCNET),
        ("dolma", "dolma-v1_7/cc_en_head-0000.json.gz", DOLMA | {"metadata": {"url": "u"}}),
        ("fineweb_2", "fineweb-2/data/fra_Latn/train/0.parquet", FINE),
        ("oscar", "part-1.jsonl", OSCAR),
        ("slimpajama", "x.jsonl", {"text": "A", "meta": {"redpajama_set_name": "RedPajamaC4"}}),
        ("redpajama", "redpajama/cc.jsonl", {"text": "A", "meta": json.dumps({"url": "u", "timestamp": "2020"})}),
        ("wikipedia", "wikipedia/20231101.fr/train-00000-of-00017.parquet", {"id": "1", "url": "u", "text": "A"}),
    ],
)
def test_a_file_of_a_corpus(name: str, file: str, row: dict[str, Any], tmp_path: Path) -> None:
    found = inspected(str(written(tmp_path / file, [row])))
    assert found.corpus == name
    assert yaml.safe_load(found.read) == [{"read": {"corpus": {"name": name, "paths": [found.path]}}}]
    assert [one["text"] for one in found.rows] == ["A"]


def test_what_a_layout_says_and_the_file_lacks(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", [{"text": "A", "url": "u"}])
    assert inspected(str(path), "c4").missing == {"crawled_at": "timestamp"}
    assert not inspected(str(path), "c4").verified
    with pytest.raises(InputError, match="did you mean 'c4'"):
        inspected(str(path), "c44")


def test_a_file_of_no_corpus(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", [{"body": "A" * 9, "uuid": "1", "meta": {"license": "MIT"}}] * 7)
    found = inspected(str(path))
    options = {"text": "body", "id": "uuid", "licence": "meta.license", "paths": [str(path)]}
    assert yaml.safe_load(found.read) == [{"read": {"jsonl": options}}]
    assert [(row["text"], row["licence"]) for row in found.rows] == [("A" * 9, "MIT")] * 5


@pytest.mark.parametrize(
    ("content", "form", "key"),
    [
        pytest.param(gzip.compress(archive(["one", "two"])), "wet", "wet", id="WET"),
        pytest.param(archive(["one"]).replace(b"conversion", b"response"), "warc", "warc", id="WARC"),
        pytest.param(lzma.compress(tar({"a.txt": b"one"})), "tar", "corpus", id="tar"),
        pytest.param(b"one\ntwo\n\nthree\n", "text", "corpus", id="text"),
    ],
)
def test_forms_without_fields(content: bytes, form: str, key: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    found = inspected(str(path))
    assert (found.form, list(yaml.safe_load(found.read)[0]["read"])) == (form, [key])


def test_what_cannot_be_inspected_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file at"):
        inspected(str(tmp_path / "none"))
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(InputError, match="empty has nothing to read"):
        inspected(str(tmp_path / "empty"))
    pq.write_table(pa.table({"n": [1]}), tmp_path / "n.parquet")
    with pytest.raises(InputError, match="no field of text; it has n"):
        inspected(str(tmp_path / "n.parquet"))
    (tmp_path / "bad").write_bytes(b'{"text": "A"\n')
    with pytest.raises(InputError, match="no field of text"):
        inspected(str(tmp_path / "bad"))
