"""JSON lines as documents."""

import gzip
import json
import lzma
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import zstandard

from curation.core.document import DOCUMENT, document_id
from curation.core.errors import InputError
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.sources.jsonl import Jsonl
from curation.sources.lines import is_compressed
from curation.text.text_hash import text_hashes
from tests.curation.sources.sample import Sample

SAMPLE = Sample(
    lambda texts: b"".join(json.dumps({"text": text}).encode() + b"\n" for text in texts),
    {"max_document_bytes": 2000},
)


def read(source: Jsonl, *pieces: Piece) -> tuple[list[dict[str, Any]], ReadTally]:
    tally = ReadTally()
    batches = list(source.read(pieces, "books", tally))
    assert all(batch.schema == DOCUMENT and 0 < len(batch) <= 1000 for batch in batches)
    return [row for batch in batches for row in batch.to_pylist()], tally


def test_a_document(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    row = {"body": "Text.", "n": 7, "meta": {"url": "u", "lang": "fr"}, "date": "2020-01", "l": None}
    path.write_text(json.dumps(row) + "\n")
    source = Jsonl(
        paths=(), text="body", id="n", url="meta.url", crawled_at="date", licence="l", default_licence="MIT",
        declared_language="meta.lang",
    )  # fmt: skip
    assert read(source, Piece(str(path), name="x.jsonl"))[0] == [
        {
            "doc_id": document_id("books", "x.jsonl", 0, "7"),
            "url": "u",
            "source": "books",
            "record_id": "7",
            "crawled_at": datetime(2020, 1, 1, tzinfo=UTC),
            "licence": "MIT",
            "declared_language": "fr",
            "origin": str(path),
            "origin_offset": 0,
            "truncated": None,
            "text": "Text.",
            "drop_reason": None,
        }
    ]


def test_a_document_without_id(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "a", "id": null}\n{"text": 1}\n'))
    (first, second), tally = read(Jsonl(paths=(), id="id"), Piece(str(path)))
    assert first["doc_id"] == document_id("books", "", 0, text_hashes(pa.array(["a"]))[0].as_py())
    assert (second["origin_offset"], second["text"], second["drop_reason"]) == (26, None, "extract:no_text")
    assert not tally.records


def test_bad_lines_are_counted_and_the_first_hundred_listed(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"text": "a"}\n' + b"oops\n" * 101 + b'{"text": "b"}')
    rows, tally = read(Jsonl(paths=()), Piece(str(path)))
    assert [row["text"] for row in rows] == ["a", "b"]
    assert tally.records == {"skipped.bad_json": 101, "faults.unlisted": 1}
    assert (len(tally.faults), tally.faults[0]["offset"]) == (100, 14)


def test_a_clipped_file_gives_its_whole_lines_and_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    lines = b"".join(b'{"text": "%d"}\n' % (i * 7919) for i in range(10_000))
    path.write_bytes(gzip.compress(lines)[:-5000])
    rows, tally = read(Jsonl(paths=()), Piece(str(path)))
    assert [row["text"] for row in rows] == [str(i * 7919) for i in range(len(rows))]
    assert len(rows) > 1000
    assert "cut short" in str(tally.faults[0]["error"])


def test_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.jsonl").write_text('{"text": "a"}\n{"t":0}')
    files = [InputFile("a.jsonl", 10), InputFile("b.jsonl.gz", 30), InputFile("c.jsonl", 21), InputFile("d.jsonl", 20)]
    units = Jsonl(paths=()).split(files, group_bytes=40, split_bytes=20)
    assert units == [
        (Piece("a.jsonl"), Piece("b.jsonl.gz")),
        (Piece("c.jsonl", 0, 10),),
        (Piece("c.jsonl", 10, 21),),
        (Piece("d.jsonl"),),
    ]


@pytest.mark.parametrize(
    ("path", "compressed"),
    [("https://host/b.jsonl.gz?sig=a", True), ("https://host/b.jsonl?sig=a.gz", False), ("folder/b.jsonl?.gz", True)],
)
def test_a_compressed_file_is_known_by_its_name_without_a_query(path: str, compressed: bool) -> None:
    assert is_compressed(path) is compressed


def test_long_texts_make_batches_of_at_most_16_mebibytes(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps({"text": "z" * (9 << 20)}) + "\n" for _ in range(3)))
    assert [len(batch) for batch in Jsonl(paths=()).read((Piece(str(path)),), "s", ReadTally())] == [1, 1, 1]


def test_a_line_beyond_the_limit_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"text": "a" * (3 << 20)}) + '\n{"text": "b"}\n')
    tally = ReadTally()
    (batch,) = Jsonl(paths=(), max_line_bytes=1 << 20).read((Piece(str(path)),), "s", tally)
    assert batch["text"].to_pylist() == ["b"]
    assert tally.records == {"skipped.long_line": 1}


def test_a_size_that_no_line_has() -> None:
    with pytest.raises(ValueError, match="max_line_bytes is 0; give 1 or more"):
        Jsonl(paths=(), max_line_bytes=0)
    with pytest.raises(ValueError, match="max_document_bytes is -1; give 1 or more"):
        Jsonl(paths=(), max_document_bytes=-1)


def test_a_line_of_too_many_values_is_bad(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "a", "x": [' + ",".join(["[]"] * (3 << 20)) + ']}\n{"text": "[,"}\n')
    tally = ReadTally()
    (batch,) = Jsonl(paths=()).read((Piece(str(path)),), "s", tally)
    assert batch["text"].to_pylist() == ["[,"]
    assert tally.records == {"skipped.bad_json": 1}


TWO = b'{"text": "a"}', b'{"text": "b"}'


@pytest.mark.parametrize(
    ("content", "offsets"),
    [
        pytest.param(b"\n".join(TWO), [0, 14], id="lines"),
        pytest.param(b"[" + b",".join(TWO) + b"]", [1, 15], id="an array on one line"),
        pytest.param(b"[\n" + b",\n".join(TWO) + b"\n]\n", [2, 17], id="an array with an object a line"),
        pytest.param(b'{\n"text": "a"\n}\n{\n"text": "b"\n}', [0, 16], id="pretty-printed"),
        pytest.param(b"".join(TWO), [0, 13], id="one behind another"),
        pytest.param(b"\r".join(TWO), [0, 14], id="carriage returns"),
        pytest.param(b'{"text": "a"}\n\n' + TWO[1] + b",\n", [0, 15], id="a comma behind a line"),
        pytest.param(gzip.compress(b"[" + b",".join(TWO) + b"]"), [1, 15], id="an array in gzip"),
    ],
)
def test_every_form_gives_the_same_texts(content: bytes, offsets: list[int], tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    rows, tally = read(Jsonl(paths=()), Piece(str(tmp_path / "x")))
    assert [(row["text"], row["origin_offset"]) for row in rows] == list(zip("ab", offsets, strict=True))
    assert not tally.records


@pytest.mark.parametrize(
    "line", [b'{"text": "\xc3\xa9"}{"text": "b"}', b'[{"text": "\xc3\xa9"}, {"text": "b"}]'], ids=range(2)
)
def test_objects_that_share_a_line_are_read(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b'{"text": "a"}\n' + line + b"\n")
    rows, tally = read(Jsonl(paths=()), Piece(str(tmp_path / "x")))
    begins = 14 + line.index(b"{")
    assert [row["origin_offset"] for row in rows] == [0, begins, 14 + line.rindex(b"{")]
    assert [row["text"] for row in rows] == ["a", "é", "b"]
    assert not tally.records


def test_only_a_file_with_an_object_a_line_is_cut(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\n".join(TWO))
    (tmp_path / "b").write_bytes(b"[" + b",".join(TWO) + b"]")
    files = [InputFile(str(tmp_path / name), (tmp_path / name).stat().st_size) for name in "ab"]
    units = Jsonl(paths=()).split(files, group_bytes=1, split_bytes=20)
    assert [[(piece.start, piece.stop) for piece in unit] for unit in units] == [[(0, 13)], [(13, 27)], [(0, -1)]]


def test_rows_with_bytes_that_are_not_utf8_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"text": "a"}\n{"text": "\xffb\xff"}\n{"text": "\xef\xbf\xbd"}\n')
    rows, tally = read(Jsonl(paths=()), Piece(str(path)))
    assert [(row["text"], row["origin_offset"]) for row in rows] == [("a", 0), ("\ufffdb\ufffd", 14), ("\ufffd", 30)]
    assert tally.records == {"lenient.invalid_utf8": 1}


def test_what_could_not_be_read_of_a_file_and_where(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"text": "a"}\n\noops\n' + b'{"text": "' + b"x" * 40 + b'"}\n[1]\n')
    _, tally = read(Jsonl(paths=(), max_line_bytes=40), Piece(str(path)))
    rows = tally.files[str(path)]
    assert (rows.called, rows.read, rows.failed) == ("line", 1, {"bad_json": 2, "long_line": 1})
    assert rows.first is not None
    assert (rows.first.line, rows.first.offset) == (3, 15)
    (tmp_path / "y").write_bytes(b'[{"text": "a"}, 5, {"text": "b"}]')
    _, tally = read(Jsonl(paths=()), Piece(str(tmp_path / "y")))
    assert (
        tally.files[str(tmp_path / "y")].words() == "1 of 3 rows is not JSON, first at byte 16: JSON, but not an object"
    )


@pytest.mark.parametrize(
    "content", ['{"text": "a"}\n'.encode("utf-16"), b'{"rows": [{"text": "a"}]}'], ids=["wide", "rows"]
)
def test_what_no_row_can_be_read_of(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError, match="and give the new file"):
        read(Jsonl(paths=()), Piece(str(tmp_path / "x")))


def test_a_row_of_an_array_that_is_too_long_has_no_line(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"text": "x" * 100}, {"text": "a"}], indent=1))
    rows, tally = read(Jsonl(paths=(), max_line_bytes=50), Piece(str(path)))
    assert [row["text"] for row in rows] == ["a"]
    assert tally.files[str(path)].words() == "1 of 2 rows is too long, first at byte 3: longer than 50 bytes"


def test_rows_behind_damage_are_estimated(tmp_path: Path) -> None:
    rng = random.Random(1)
    packed = lzma.compress(b"".join(b'{"text": "%030x"}\n' % rng.getrandbits(120) for _ in range(40_000)))
    at = len(packed) // 3
    path = tmp_path / "x.jsonl"
    path.write_bytes(packed[:at] + bytes(1000) + packed[at + 1000 :])
    rows, tally = read(Jsonl(paths=()), Piece(str(path)))
    counted = tally.files[str(path)]
    assert 5_000 < len(rows) < 20_000
    assert 30_000 < counted.rows < 44_000
    assert counted.words().endswith("(the lines behind it are an estimate)")


def test_what_follows_damage_is_no_estimate(tmp_path: Path) -> None:
    packed = [zstandard.compress(b'{"text": "%d"}\n' % number) for number in range(9)]
    packed[4] = packed[4][:4] + bytes([255]) * len(packed[4][4:])
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"".join(packed))
    rows, tally = read(Jsonl(paths=()), Piece(str(path)))
    assert [row["text"] for row in rows] == list("01235678")
    assert tally.files[str(path)].failed.total() <= 1
