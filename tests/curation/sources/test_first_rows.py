"""The first rows of a file of JSON against the fields that a recipe names."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.sources.first_rows import LONGEST, check_named, field_types, first_rows, rows_in
from curation.sources.jsonl import Jsonl
from tests.support import refusal


def written(path: Path, *rows: Any) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"text": "body"}, r"x\.jsonl has no field 'body', which the recipe names as text, in its "
         "first 2 rows; they have text, n, meta.url, day: write `text: text` for that one"),
        ({"text": "txt"}, "no field 'txt'.*write `text: text`"),
        ({"text": "n"}, r"the field 'n' of .*x\.jsonl, which the recipe names as text, holds no text.*such as '7'"),
        ({"url": "link"}, "no field 'link', which the recipe names as url.*name one of them, or leave it out"),
        ({"url": "meta.uri"}, "no field 'meta.uri'.*write `url: meta.url`"),
        ({"url": "n"}, "'n' of .* names as url, holds no text in its first 2 rows"),
        ({"crawled_at": "text"}, "'text' of .* names as crawled_at, holds no date .*such as 'A text'"),
        ({"id": "key"}, "no field 'key', which the recipe names as id"),
    ],
)  # fmt: skip
def test_a_wrong_field(fields: dict[str, str], error: str, tmp_path: Path) -> None:
    row = {"text": "A text", "n": 7, "meta": {"url": "u"}, "day": None}
    path = written(tmp_path / "x.jsonl", row, {**row, "day": "2020-01-01"})
    with pytest.raises(InputError, match=error):
        Jsonl(paths=(), **fields).check([path])


def test_fields_that_are_there(tmp_path: Path) -> None:
    rows = [{"meta": '{"url": "u"}', "text": ["a", "b"], "n": 1}, {"day": 1577836800, "other": None}, {}]
    named = {"text": "body|text", "id": "n", "url": "meta.url", "crawled_at": "day", "licence": "other"}
    path = written(tmp_path / "x.jsonl", *rows)
    assert refusal(Jsonl(paths=(), **named).check, [path]) is None
    assert "no field 'nowhere'" in str(refusal(Jsonl(paths=(), **named | {"url": "nowhere"}).check, [path]))


@pytest.mark.parametrize("name", ["licence", "declared_language"])
def test_what_few_data_sets_state_may_be_missing(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", {"text": "a"})
    assert refusal(Jsonl(paths=(), **{name: name}).check, [path]) is None


def test_a_text_must_be_in_every_file_and_a_url_in_one(tmp_path: Path) -> None:
    one = written(tmp_path / "a.jsonl", {"text": "a", "url": "u"})
    other = written(tmp_path / "b.jsonl", {"text": "b"})
    third = written(tmp_path / "c.jsonl", {"body": "c"})
    empty = written(tmp_path / "d.jsonl")
    Jsonl(paths=(), url="url").check([one, other, empty])
    with pytest.raises(InputError, match=r"c\.jsonl has no field 'text'.*write `text: body`"):
        Jsonl(paths=(), url="url").check([one, third])


def test_where_files_may_be_passed_over_one_that_has_the_field_is_enough(tmp_path: Path) -> None:
    one = written(tmp_path / "a.jsonl", {"text": "a"})
    other = written(tmp_path / "b.jsonl", {"body": "b"})
    (tmp_path / "c.jsonl").write_bytes('{"text": "a"}'.encode("utf-16"))
    third = str(tmp_path / "c.jsonl")
    Jsonl(paths=()).check_fields([one, other, third])
    Jsonl(paths=()).check_fields([third])
    with pytest.raises(InputError, match=r"b\.jsonl has no field 'text'"):
        Jsonl(paths=()).check_fields([other, third])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("lines.jsonl", b'{"text": "a"}\noops\n{"text": "b"}\n'),
        ("array.json", b'[\n{"text": "a"},\n{"text": "b"}\n]'),
        ("behind.json", b'{"text": "a"}{"text": "b"}'),
        ("arrays.json", b'[{"text": "a"}]\n[{"text": "b"}]\n'),
        ("packed.jsonl.gz", gzip.compress(b'{"text": "a"}\n{"text": "b"}\n', mtime=0)),
    ],
)
def test_rows_of_any_form(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    found = first_rows(str(tmp_path / name), "text")
    assert found.rows == [{"text": "a"}, {"text": "b"}]
    check_named([found], {"text": "text"})


def test_a_file_without_any_row_of_json(tmp_path: Path) -> None:
    path = tmp_path / "page.jsonl"
    path.write_text("<!DOCTYPE html>\n<p>Not found</p>\n")
    with pytest.raises(InputError, match=r"page\.jsonl has no row that is a JSON object: it begins with b'<!DOCTYPE"):
        Jsonl(paths=()).check([str(path)])


@pytest.mark.parametrize(
    "content", [b"", b"\n \r\n", b"[]", b"\xef\xbb\xbf[\n]\n"], ids=["nothing", "blank", "array", "mark"]
)
def test_a_file_without_rows_is_empty(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    assert first_rows(str(path), "text").rows == []


@pytest.mark.parametrize(
    "row", [b'\x1e{"text": "a"}', b'{"text": "a"},', b'[{"text": "a"}]'], ids=["record", "comma", "array"]
)
def test_rows_that_are_more_than_an_object(row: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(row + b"\n" + row + b"\n")
    assert first_rows(str(path), "text").rows == [{"text": "a"}] * 2


def nested(depth: int, innermost: Any) -> Any:
    for _ in range(depth):
        innermost = {"a": innermost}
    return innermost


@pytest.mark.parametrize(("depth", "rows"), [(198, 1), (199, 1), (200, 0), (900, 0), (20_000, 0)])
def test_rows_are_looked_at_as_deep_as_they_are_read(depth: int, rows: int) -> None:
    row = b'{"text": "A", "m": ' + b'{"a":' * depth + b"1" + b"}" * (depth + 1) + b"\n"
    assert len(rows_in(row)) == rows


def test_fields_within_strings_and_endless_names_end() -> None:
    deep = {"text": "A", "m": json.dumps(nested(900, 1))}
    assert dict(field_types(deep)) == {"text": "str"}
    assert dict(field_types({"a" * LONGEST: 1, "b" * (LONGEST + 1): 1, "c" * 999: {"d": 1}})) == {"a" * LONGEST: "int"}
    assert dict(field_types({"\ud800": 1})) == {"\ufffd": "int"}
