"""Files of text by file, blank line and line: encodings, what is none, archives, ranges."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.sources.plain_text import PlainText
from tests.curation.sources.sample import Sample
from tests.curation.sources.tar_files import tar

WORDS = "Ärzte und Köche gehen früh über die schöne Brücke nach Süden, dort hören sie fröhliche Gäste für Flüsse."


def archive(texts: Sequence[str]) -> bytes:
    return tar({f"{number}.txt": text.encode() for number, text in enumerate(texts)})


SAMPLE = Sample(archive, {"max_document_bytes": 2000})


def read(path: Path, content: bytes, **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    path.write_bytes(content)
    tally = ReadTally()
    batches = PlainText(paths=(), **options).read([Piece(str(path), name=path.name)], "notes", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


def texts(rows: list[dict[str, Any]]) -> list[str]:
    return [row["text"] for row in rows]


@pytest.mark.parametrize(
    ("content", "text", "records"),
    [
        pytest.param(b"One\n\nTwo\n", "One\n\nTwo\n", {}, id="blank lines are of the document"),
        pytest.param(gzip.compress(b"One"), "One", {}, id="compressed"),
        pytest.param(WORDS.encode("utf-8-sig"), WORDS, {}, id="byte order mark"),
        pytest.param(WORDS.encode("utf-16"), WORDS, {"lenient.charset": 1}, id="UTF-16"),
        pytest.param(WORDS.encode("utf-16-be"), WORDS, {"lenient.charset": 1}, id="UTF-16 without a mark"),
        pytest.param(WORDS.encode("cp1252"), WORDS, {"lenient.charset": 1}, id="Windows-1252"),
        pytest.param(b"One\0 and more of it", "One\0 and more of it", {}, id="a NUL"),
        pytest.param(b"a\xff", "a\ufffd", {"lenient.invalid_utf8": 1}, id="too short to tell"),
    ],
)
def test_a_file_is_a_document(content: bytes, text: str, records: dict[str, int], tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "a.txt", content, default_licence="CC0-1.0")
    assert texts(rows) == [text]
    assert (rows[0]["licence"], rows[0]["origin"], dict(tally.records)) == ("CC0-1.0", str(tmp_path / "a.txt"), records)


@pytest.mark.parametrize(
    ("content", "records", "faults"),
    [
        pytest.param(b" \n\n", {"skipped.empty": 1}, 0, id="white space"),
        pytest.param(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", {"skipped.not_text": 1}, 1, id="a picture"),
        pytest.param(b"abc\xff\xfe\0 and more of it", {"skipped.not_text": 1}, 1, id="a NUL, and no UTF-8"),
        pytest.param(tar({"a.txt": b"One", "b.bin": b"\0" * 9}), {"skipped.not_text": 1}, 1, id="in an archive"),
    ],
)
def test_what_is_no_text_is_counted(content: bytes, records: dict[str, int], faults: int, tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "x", content)
    assert texts(rows) == ["One"] * (b"One" in content)
    assert (dict(tally.records), len(tally.faults)) == (records, faults)


def test_blank_lines_end_documents(tmp_path: Path) -> None:
    rows, _ = read(tmp_path / "a.txt", b"One\nmore\n\n\nTwo\n", document="blank_lines")
    assert [(row["text"], row["origin_offset"]) for row in rows] == [("One\nmore", 0), ("Two", 11)]


def test_lines_are_documents(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbfOne\r\n\n  Two \n" + "Größe".encode("cp1252") + b"\nlast"
    rows, tally = read(tmp_path / "a.txt", content, document="line")
    assert [(row["text"], row["origin_offset"]) for row in rows] == [
        ("One", 3),
        ("Two", 11),
        ("Gr\ufffd\ufffde", 16),
        ("last", 22),
    ]
    assert dict(tally.records) == {"lenient.invalid_utf8": 1}


def test_a_long_line_is_counted(tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "a.txt", b"One\n" + b"x" * 90 + b"\nTwo\n", document="line", max_document_bytes=50)
    assert texts(rows) == ["One", "Two"]
    assert dict(tally.records) == {"skipped.long_line": 1}


@pytest.mark.parametrize("split_bytes", [1, 7, 30, 1000])
def test_lines_are_read_once_however_a_file_is_cut(split_bytes: int, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    rows, _ = read(path, content := b"".join(b"line %d\n" % number for number in range(20)), document="line")
    made = PlainText(paths=(), document="line")
    units = made.split([InputFile(str(path), len(content), name="a.txt")], group_bytes=1, split_bytes=split_bytes)
    parts = [row for unit in units for batch in made.read(unit, "notes", ReadTally()) for row in batch.to_pylist()]
    assert parts == rows
    assert len(rows) == 20
