"""CSV: dialects, headers, encodings, rows that do not fit, and files of any length."""

import csv
import gzip
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.core.protocols import Piece, ReadTally
from curation.sources import csv_blocks
from curation.sources.csv import Csv
from tests.curation.sources.sample import Sample

WORDS = "Ärzte und Köche gehen früh über die schöne Brücke nach Süden, dort hören sie fröhliche Gäste für Flüsse."


def written(texts: Sequence[str]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([("id", "text"), *((str(number), text) for number, text in enumerate(texts))])
    return out.getvalue().encode()


SAMPLE = Sample(written, {"max_document_bytes": 2000})


def read(path: Path, content: bytes, **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    path.write_bytes(content)
    tally = ReadTally()
    made = Csv(paths=(), **options)
    made.check([str(path)])
    batches = made.read([Piece(str(path), name=path.name)], "s", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


def texts(path: Path, content: bytes, **options: Any) -> list[str]:
    return [row["text"] for row in read(path, content, **options)[0]]


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        pytest.param("x.csv", b'id,text\n1,"A, B"\n2,C\n', {}, id="comma"),
        pytest.param("x.csv", b"id;text\r\n1;A, B\r\n2;C\r\n", {}, id="semicolon"),
        pytest.param("x.tsv", b"id\ttext\n1\tA, B\n2\tC", {}, id="by the name"),
        pytest.param("x.tsv.gz", gzip.compress(b"id\ttext,a\n1\tA, B\n2\tC"), {"text": "text,a"}, id="compressed"),
        pytest.param("x", b"id|text\n1|A, B\n2|C\n", {}, id="bar"),
        pytest.param("x.csv", b'\xef\xbb\xbftext,id\n"A, B",1\nC,2\n', {}, id="byte order mark"),
        pytest.param("x.csv", b' text , id\n"A, B",1\nC,2\n', {}, id="blanks around names"),
        pytest.param("x.csv", b"id:text,a\n1:A, B\n2:C\n", {"delimiter": ":", "text": "text,a"}, id="an option"),
        pytest.param("x.csv", b"id\ttext\n1\tA, B\n2\tC\n", {"delimiter": "tab"}, id="tab as a word"),
        pytest.param("x.csv", b'1,"A, B"\n2,C\n', {"header": ("id", "text")}, id="no header"),
        pytest.param("x.csv", b"id,text\n1,'A, B'\n2,C\n", {"quote": "'"}, id="another quote"),
    ],
)
def test_dialects(name: str, content: bytes, options: dict[str, Any], tmp_path: Path) -> None:
    rows, tally = read(tmp_path / name, content, id="id", **options)
    assert [(row["record_id"], row["text"]) for row in rows] == [("1", "A, B"), ("2", "C")]
    assert (dict(tally.records), tally.faults) == ({}, [])


def test_quotes_that_are_none(tmp_path: Path) -> None:
    assert texts(tmp_path / "x.tsv", b'id\ttext\n1\t"A\n2\tB"\n', quote="") == ['"A', 'B"']


def test_fields_become_columns(tmp_path: Path) -> None:
    content = b'url,when,body,meta,more,licence\nhttp://a/1,2020-01-02,"One\n\ntwo","{""lang"": ""de""}",x,MIT\n,,,,,\n'
    options = {"text": "body", "url": "url", "crawled_at": "when", "declared_language": "meta.lang"}
    rows, _ = read(tmp_path / "x.csv", content, licence="licence", default_licence="CC0-1.0", **options)
    names = ("text", "url", "declared_language", "licence", "drop_reason", "origin_offset")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("One\n\ntwo", "http://a/1", "de", "MIT", None, 32),
        (None, None, None, "CC0-1.0", "extract:no_text", 92),
    ]
    assert [row["crawled_at"] and row["crawled_at"].isoformat()[:10] for row in rows] == ["2020-01-02", None]


@pytest.mark.parametrize(
    ("encoding", "records"),
    [
        ("utf-8", {}),
        ("utf-8-sig", {}),
        ("cp1252", {"lenient.charset": 1}),
        ("utf-16", {"lenient.charset": 1}),
        ("utf-16-le", {"lenient.charset": 1}),
    ],
)
def test_encodings(encoding: str, records: dict[str, int], tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "x.csv", f'id,text\n1,"{WORDS}"\n'.encode(encoding))
    assert [row["text"] for row in rows] == [WORDS]
    assert dict(tally.records) == records


def test_a_nul_is_a_character(tmp_path: Path) -> None:
    assert texts(tmp_path / "x.csv", b"id,text\n1,One\0 and two\n") == ["One\0 and two"]


def test_bytes_that_are_no_text_are_counted(tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "x.csv", b"id,text\n1,a\xff\n2,b\n")
    assert [row["text"] for row in rows] == ["a\ufffd", "b"]
    assert dict(tally.records) == {"lenient.invalid_utf8": 1}


def test_rows_with_another_number_of_fields_are_counted(tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "x.csv", b"id,text\n1,A\n2,B, and more\n3\n\n4,C\n")
    assert [row["text"] for row in rows] == ["A", "C"]
    assert dict(tally.records) == {"skipped.bad_row": 2}
    assert [(fault["offset"], fault["error"]) for fault in tally.faults] == [
        (12, "row of 3 fields, not 2"),
        (26, "row of 1 fields, not 2"),
    ]
    figures = tally.files[str(tmp_path / "x.csv")]
    assert (figures.read, dict(figures.failed), figures.called) == (2, {"bad_row": 2}, "row")


def test_a_quote_without_an_end_costs_its_line(tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "x.csv", b'id,text\n1,A\n2,"B\n3,C\n4,D\n')
    assert [row["text"] for row in rows] == ["A", "C", "D"]
    assert dict(tally.records) == {"skipped.bad_row": 1}
    assert [fault["error"] for fault in tally.faults] == ["row with a quote that has no end"]


def test_a_stray_quote_costs_its_line_also_where_another_follows(tmp_path: Path) -> None:
    content = b'id\ttext\n1\tA\n2\t"B\n3\tC\n4\tsay "D" now\n5\tE\n'
    rows, tally = read(tmp_path / "x.tsv", content)
    assert [row["text"] for row in rows] == ["A", "C", 'say "D" now', "E"]
    assert dict(tally.records) == {"skipped.bad_row": 1}
    assert [(fault["offset"], fault["error"]) for fault in tally.faults] == [(12, "row with a quote that has no end")]


def test_a_long_row_costs_its_line(tmp_path: Path) -> None:
    content = b"id,text\n1,A\n2," + b"x" * 3_000_000 + b"\n3,C\n"
    rows, tally = read(tmp_path / "x.csv", content, max_row_bytes=1000)
    assert [row["text"] for row in rows] == ["A", "C"]
    assert dict(tally.records) == {"skipped.long_row": 1}


def test_repairs_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_blocks, "MAX_REPAIRS", 3)
    rows, tally = read(tmp_path / "x.csv", b"id,text\n1,A\n" + b'2,"\n\n3,"B"C\n' * 9 + b'"')
    assert len(rows) >= 1
    assert 0 < len(tally.faults) <= 30


def test_rows_of_a_long_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks end anywhere, also within quotes."""
    monkeypatch.setattr(csv_blocks, "BLOCK_BYTES", 1 << 12)
    monkeypatch.setattr(csv_blocks, "SAMPLE", 50)
    expected = [f'text {number}, "quoted"\nand more ' * (number % 7 + 1) for number in range(30_000)]
    assert texts(tmp_path / "x.csv", written(expected)) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", "has nothing to read; give a file of rows with delimiters", id="empty"),
        pytest.param(b'"a', "has no end of its first row", id="no row"),
        pytest.param(b"a" * 300_000, "has no end of its first row", id="a first row without an end"),
        pytest.param(b"id,body\n1,A\n", "has no column 'text'; it has id, body; the nearest name is", id="no field"),
        pytest.param(b"1,A\n2,B\n", "it has 1, A; .*; if the first row has no names, give them as", id="no names"),
        pytest.param(b"text,text\n1,A\n", "has 2 columns 'text'; rename or remove", id="a field twice"),
        pytest.param(b"," * 5000 + b"\n", "has 5,001 fields in its first row; 4,096 are possible", id="many fields"),
        pytest.param(b"PK\x03\x04...", "is a zip archive; unpack it", id="zip"),
    ],
)
def test_what_cannot_be_read_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path / "x.csv", content)


def test_a_stray_quote_in_the_first_row_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no end of its first row"):
        read(tmp_path / "x.csv", b'id,"text\n1,"A\n', delimiter=",")


def test_a_field_without_dates_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'id' of .*, which the recipe names as crawled_at, holds no date"):
        read(tmp_path / "x.csv", b"id,text\nx,A\n", crawled_at="id")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": ",,"}, "delimiter is ',,'; give one ASCII character"),
        ({"delimiter": "\n"}, "delimiter is '\\\\n'"),
        ({"quote": "“"}, "quote is '“'; give one ASCII"),
        ({"delimiter": '"'}, "delimiter and quote are both"),
        ({"header": ("a", "a")}, "header names a field twice"),
        ({"max_row_bytes": 0}, "max_row_bytes is 0"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Csv(paths=(), **options)
