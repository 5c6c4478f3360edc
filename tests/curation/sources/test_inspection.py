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
from tests.curation.sources.test_arrow import stream
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
        pytest.param(lzma.compress(tar({"a.txt": b"one"})), "tar", "plain_text", id="tar"),
        pytest.param(b"one\ntwo\n\nthree\n", "text", "plain_text", id="text"),
        pytest.param("Größe".encode("utf-16"), "text", "plain_text", id="text in UTF-16"),
        pytest.param(b"<!DOCTYPE html>\n<p>one", "html", "html", id="HTML"),
    ],
)
def test_forms_without_fields(content: bytes, form: str, key: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    found = inspected(str(path))
    assert (found.form, list(yaml.safe_load(found.read)[0]["read"])) == (form, [key])


CSV = b"id,title,text\n" + b"".join(b"%d,Town,The town is old\n" % number for number in range(9))


@pytest.mark.parametrize(
    ("content", "form", "sure"),
    [
        pytest.param(b'{"text": "A"}\n{"text": "B"}\n', "jsonl", "certain", id="rows with a text"),
        pytest.param(b'{"note": "A"}\n{"note": "B"}\n', "jsonl", "perhaps", id="rows with another field"),
        pytest.param(b'{"text": "A"}', "jsonl", "perhaps", id="one object"),
        pytest.param(b'{"text": "A"}\n{"text": "' + b"B" * (1 << 18) + b'"}\n', "jsonl", "certain", id="long rows"),
        pytest.param(b'{"text": "' + b"B" * (1 << 18) + b'"}\n' * 2, "jsonl", "certain", id="a long first row"),
        pytest.param(CSV, "csv", "likely", id="a table"),
        pytest.param(CSV.replace(b",", b"\t"), "csv", "likely", id="a table with tabs"),
        pytest.param(b"The town is old, and the river is wide.\n" * 3, "text", "likely", id="prose"),
        pytest.param(b"def old(town):\n    return town.age > 9\n", "text", "perhaps", id="a program"),
        pytest.param(b"a: 1\nb: 2\n", "text", "perhaps", id="settings"),
        pytest.param(b"<html><p>The town", "html", "certain", id="a page"),
        pytest.param(b"<div><p>The town</p></div>", "html", "likely", id="part of a page"),
        pytest.param(b"<p align=center>Logo</p>\n\n# Town\n\nThe town is old.\n", "text", "perhaps", id="Markdown"),
        pytest.param(
            tar({"a.html": b"<p>A", "b.css": b"p {}", "c.html": b"<p>B"}), "html", "likely", id="tar of pages"
        ),
        pytest.param(tar({"a": b"The town is old.", "b": b"The sea is not."}), "tar", "likely", id="tar of texts"),
        pytest.param(tar({"a": b"a = 1;\n", "b": b"import town\n"}), "tar", "perhaps", id="tar of programs"),
    ],
)
def test_how_sure_a_form_is(content: bytes, form: str, sure: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    found = inspected(str(tmp_path / "x"))
    assert (found.form, found.sure) == (form, sure)
    assert found.seen


def test_a_column_of_json_is_measured_as_a_text(tmp_path: Path) -> None:
    columns = {"a": pa.array(['"A"'], pa.json_()), "b": pa.array(['"Town"'], pa.json_())}
    pq.write_table(pa.table(columns), tmp_path / "x", store_schema=False)
    found = inspected(str(tmp_path / "x"))
    assert (found.source, found.sure, [row["text"] for row in found.rows]) == ("parquet", "perhaps", ['"Town"'])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "of no form"),
        (b"<?xml version='1.0'?>\n<!-- a --><project><a/></project>", "with the first element <project>"),
        (b"<project>\n<a>1</a>\n</project>\n", "with the first element <project>"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\r", "of no form"),
        (b"LZIP\x01\x14" + bytes(60), r"as it is not read here \(lzip\); unpack it"),
        (gzip.compress(gzip.compress(b"The town is old.")), r"compressed twice, .*\(gzip\); unpack it"),
        (bytes(range(1, 256)) * 9, "of no form"),
        (tar({"a.csv": CSV}), "is a tar archive that no source reads: it holds a.csv; unpack it"),
        (tar({"a.png": b"\x89PNG\0"}), "is a tar archive that no source reads: it holds a.png; unpack it"),
        (b"PK\x03\x04" + bytes(90), "is a zip archive that no source reads: it holds no file that can be read"),
    ],
)
def test_where_nothing_fits_it_is_said_with_what_to_do(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError, match=message) as refused:
        inspected(str(tmp_path / "x"))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "content", "read"),
    [
        ("x.csv", b"id,text\n1,A\n", {"csv": {"id": "id"}}),
        ("x.tsv", b"n\tlong\ttitle\n1\tA text\tA\n", {"csv": {"text": "long"}}),
        ("x.feather", stream(pa.table({"content": ["A"]}), footer=True), {"arrow": {"text": "content"}}),
        ("x.arrow", stream(pa.table({"n": ["1"], "long": ["A text"]})), {"arrow": {"text": "long"}}),
        ("x.csv", b"text,date,url\nA,03/12/20,http://a/1\n", {"csv": {"url": "url"}}),
        ("x.jsonl", b'{"text": "A", "date": "yesterday", "uri": "u"}\n', {"jsonl": {"url": "uri"}}),
        ("x.jsonl", b'{"when": "2026", "title": "A", "note": "A text"}\n', {"jsonl": {"text": "note"}}),
        ("x.jsonl", b'{"text_id": "1", "n": {"text_en": "A text"}}\n', {"jsonl": {"text": "n.text_en"}}),
        ("x.csv", b"text_id,text_en\n1,A text\n", {"csv": {"text": "text_en"}}),
        ("x.htm", b"Some <b>text</b>", {"html": {}}),
        ("foo.txt", b"one\n\ntwo", {"plain_text": {}}),
        ("cc100/en.txt", b"one\n\ntwo", {"corpus": {"name": "cc100"}}),
    ],
)
def test_ordinary_files(name: str, content: bytes, read: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    found = inspected(str(path))
    ((key, options),) = read.items()
    assert yaml.safe_load(found.read) == [{"read": {key: {**options, "paths": [str(path)]}}}]
    assert found.rows


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
    with pytest.raises(InputError, match="no row that can be read"):
        inspected(str(tmp_path / "bad"))


@pytest.mark.parametrize("name", ["note.txt", "note.md", "note.txt.gz"])
@pytest.mark.parametrize("text", ["[[A link]] begins it.", "{{Infobox}} of a wiki", "{x} is a set", "[1] Smith, J."])
def test_a_note_in_brackets_is_no_json(text: str, name: str, tmp_path: Path) -> None:
    content = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    found = inspected(str(tmp_path / name))
    assert (found.form, [row["text"] for row in found.rows]) == ("text", [text])


def test_rows_nested_too_deep_are_told(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b'{"text":"A","m":' + b'{"a":' * 20_000 + b"1" + b"}" * 20_001)
    with pytest.raises(InputError, match=r"no row that can be read in its first .* or nested over 200 deep"):
        inspected(str(tmp_path / "x.jsonl"))


def test_a_name_with_a_line_break_stands_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a\nb\x1b[31m.jsonl"
    path.write_text('{"text": "A"}\n')
    read = inspected(str(path)).read
    assert read.strip().isprintable()
    assert yaml.safe_load(read) == [{"read": {"jsonl": {"paths": [str(path)]}}}]


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is a folder; give files, as .*/\*"):
        inspected(str(tmp_path))


def test_a_field_without_a_name_is_no_text(tmp_path: Path) -> None:
    pq.write_table(pa.table({"": ["A longer text"], "n": ["A"]}), tmp_path / "x")
    assert yaml.safe_load(inspected(str(tmp_path / "x")).read)[0]["read"]["parquet"]["text"] == "n"
