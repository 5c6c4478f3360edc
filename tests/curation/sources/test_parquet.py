"""Parquet files as documents."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.document import DOCUMENT, document_id
from curation.core.errors import InputError
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.sources import typed_columns
from curation.sources.parquet import Parquet, rows_at_once
from tests.curation.sources.sample import Sample


def written(texts: Sequence[str]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"text": list(texts)}), sink, row_group_size=7)
    return sink.getvalue()


SAMPLE = Sample(written, {"max_document_bytes": 2000})


def read(source: Parquet, *pieces: Piece) -> list[dict[str, Any]]:
    batches = list(source.read(pieces, "s", ReadTally()))
    assert all(batch.schema == DOCUMENT for batch in batches)
    return [row for batch in batches for row in batch.to_pylist()]


@pytest.fixture
def path(tmp_path: Path) -> str:
    table = pa.table(
        {
            "content": ["a", None, "c", "d", "e"],
            "key": [1, 2, 3, 4, 5],
            "meta": [{"url": f"u{i}"} for i in range(5)],
            "raw": [b"ok", b"\xff", b"", None, b"x"],
        }
    )
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=2)
    return str(tmp_path / "x.parquet")


def test_documents(path: str) -> None:
    source = Parquet(paths=(), text="content", id="key", url="meta.url", default_licence="MIT")
    rows = read(source, Piece(path))
    assert [row["text"] for row in rows] == ["a", None, "c", "d", "e"]
    assert [row["url"] for row in rows] == ["u0", "u1", "u2", "u3", "u4"]
    assert [row["origin_offset"] for row in rows] == [0, 1, 2, 3, 4]
    assert rows[1]["drop_reason"] == "extract:no_text"
    assert (rows[4]["doc_id"], rows[4]["licence"]) == (document_id("s", "", 4, "5"), "MIT")


def test_a_range_of_row_groups(path: str) -> None:
    rows = read(Parquet(paths=(), text="content"), Piece(path, 1, 3))
    assert [(row["text"], row["origin_offset"]) for row in rows] == [("c", 2), ("d", 3), ("e", 4)]


def test_bytes_are_read_as_utf_8(path: str) -> None:
    assert [row["text"] for row in read(Parquet(paths=(), text="raw"), Piece(path))] == ["ok", "\ufffd", "", None, "x"]


def test_dictionaries_are_text(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": pa.array(["a", "a", None]).dictionary_encode()}), tmp_path / "x")
    assert [row["text"] for row in read(Parquet(paths=()), Piece(str(tmp_path / "x")))] == ["a", "a", None]


def test_split_cuts_large_files_at_row_groups(path: str) -> None:
    source = Parquet(paths=(), text="content")
    files = [InputFile(path, Path(path).stat().st_size)]
    assert source.split(files, group_bytes=10**6, split_bytes=1) == [(Piece(path, i, i + 1),) for i in range(3)]
    assert source.split(files, group_bytes=10**6, split_bytes=10**6) == [(Piece(path),)]


def write(path: Path, **columns: Any) -> str:
    pq.write_table(pa.table(columns), path)
    return str(path)


def test_files_are_refused_before_work(tmp_path: Path) -> None:
    good = write(tmp_path / "a.parquet", text=["x"])
    twice = str(tmp_path / "b.parquet")
    pq.write_table(pa.table([["x"], ["y"]], names=["text", "text"]), twice)
    nested = write(tmp_path / "c.parquet", text=[{"body": "x"}])
    cut = tmp_path / "d.parquet"
    cut.write_bytes(Path(good).read_bytes()[:-20])
    source = Parquet(paths=())
    source.check([good])
    for path, error in (
        (twice, "b.parquet has 2 columns 'text'"),
        (nested, r"column 'text' of .*c.parquet is struct<body: string>; .* write `text: text.body`"),
        (str(cut), r"d.parquet cannot be read as Parquet: .* its end is missing"),
        (write(tmp_path / "e.parquet", body=["x"]), r"e.parquet has no column 'text'; it has body; .* is body$"),
        (str(tmp_path / "none"), "no file at .*none"),
    ):
        with pytest.raises(InputError, match=error):
            source.check([good, path])
        with pytest.raises(InputError, match=error):
            read(source, Piece(good), Piece(path))
    with pytest.raises(InputError, match=r"^\S*b.parquet has .* \(2 of 3 files that were looked at cannot be read\)$"):
        source.check([good, twice, nested])


def test_no_byte_of_a_footer_ends_the_process(tmp_path: Path) -> None:
    """pyarrow ends it where it is asked for a column of some of these files."""
    path = tmp_path / "x.parquet"
    data = Path(write(path, text=["a", None])).read_bytes()
    refused = 0
    for at in range(len(data) - 8 - int.from_bytes(data[-8:-4], "little"), len(data) - 8):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        try:
            read(Parquet(paths=()), Piece(str(path)))
        except InputError as error:
            refused += str(path) in str(error)
    assert refused > 100


def test_of_many_files_some_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typed_columns, "CHECKED", 3)
    good = write(tmp_path / "a.parquet", text=["x"])
    source = Parquet(paths=())
    source.check([good, "missing", "missing", good, "missing", "missing", good])
    with pytest.raises(InputError, match="no file at missing"):
        source.check([good, good, "missing"])


def test_a_large_file_that_is_damaged_is_not_cut(path: str) -> None:
    """So that it can be passed over where the recipe allows that."""
    Path(path).write_bytes(Path(path).read_bytes()[:-1])
    files = [InputFile(path, 1000)]
    assert Parquet(paths=()).split(files, group_bytes=10**6, split_bytes=1) == [(Piece(path),)]


@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()], ids=["string", "large_string"])
def test_no_string_is_trusted(tmp_path: Path, kind: pa.DataType, dictionary: bool) -> None:
    strings = pa.array([b"a\xff", b"fine", None, b"2020\xff"], kind).view(
        pa.string() if kind == pa.binary() else pa.large_string()
    )
    names = ("text", "id", "url", "crawled_at", "licence", "declared_language")
    table = pa.table({name: strings.dictionary_encode() if dictionary else strings for name in names})
    pq.write_table(table, tmp_path / "x.parquet", use_dictionary=dictionary)
    tally = ReadTally()
    source = Parquet(paths=(), **{name: name for name in names[1:]})
    (batch,) = source.read((Piece(str(tmp_path / "x.parquet")),), "s", tally)
    batch.validate(full=True)
    for name in ("text", "url", "licence", "declared_language"):
        assert batch[name].to_pylist() == ["a\ufffd", "fine", None, "2020\ufffd"]
    assert batch["doc_id"][0].as_py() == document_id("s", "", 0, "a\ufffd")
    assert batch["crawled_at"].to_pylist() == [None] * 4
    assert tally.records == {"lenient.invalid_utf8": 12}


def test_a_dictionary_is_not_decoded_before_its_values_are_measured(tmp_path: Path) -> None:
    keys = pa.array([0, 1, None, 0], pa.int32())
    text = pa.DictionaryArray.from_arrays(keys, pa.array(["x" * 1001, "x" * 1000]))
    url = pa.DictionaryArray.from_arrays(pa.array([0, 0, 1, 1], pa.int32()), pa.array(["u" * 65_537, "u" * 65_536]))
    pq.write_table(pa.table({"text": text, "url": url}), tmp_path / "x.parquet")
    tally = ReadTally()
    source = Parquet(paths=(), url="url", max_document_bytes=1000)
    (batch,) = source.read((Piece(str(tmp_path / "x.parquet")),), "s", tally)
    long = "extract:too_many_bytes"
    assert batch["drop_reason"].to_pylist() == [long, None, "extract:no_text", long]
    assert [None if value is None else len(value) for value in batch["text"].to_pylist()] == [None, 1000, None, None]
    assert [value is None for value in batch["url"].to_pylist()] == [True, True, False, False]
    assert tally.records == {"lenient.long_value": 2}


MIB = 1 << 20


@pytest.mark.parametrize(
    ("rows", "size", "at_once"),
    [
        pytest.param(5_000, 64 * MIB, 1_000, id="small"),
        pytest.param(5_000, 640 * MIB, 500, id="500 of these rows are 64 MiB"),
        pytest.param(2, 640 * MIB, 1, id="rows of 320 MiB"),
        pytest.param(0, 0, 1, id="none"),
    ],
)
def test_rows_that_are_read_at_a_time(rows: int, size: int, at_once: int) -> None:
    assert rows_at_once(rows, size) == at_once


def test_a_group_that_is_a_thousand_times_its_file_is_read(tmp_path: Path) -> None:
    path = str(tmp_path / "x.parquet")
    pq.write_table(pa.table({"text": ["a " * 17_000] * 6_000}), path, compression="zstd", use_dictionary=False)
    assert Path(path).stat().st_size < 200_000
    tally = ReadTally()
    batches = list(Parquet(paths=()).read((Piece(path),), "s", tally))
    assert sum(len(batch) for batch in batches) == 6_000
    assert max(batch.nbytes for batch in batches) < 20 * MIB
    assert (dict(tally.records), tally.faults) == ({}, [])


def test_a_text_that_is_too_long_costs_only_its_own_row(tmp_path: Path) -> None:
    path = str(tmp_path / "x.parquet")
    table = pa.table({"text": ["a " * (33 * MIB), "b", "c", "d"]})
    pq.write_table(table, path, compression="zstd", use_dictionary=False, write_statistics=False, row_group_size=2)
    rows = [row for batch in Parquet(paths=()).read((Piece(path),), "s", ReadTally()) for row in batch.to_pylist()]
    assert [(row["text"], row["drop_reason"], row["origin_offset"]) for row in rows] == [
        (None, "extract:too_many_bytes", 0),
        ("b", None, 1),
        ("c", None, 2),
        ("d", None, 3),
    ]


def test_a_column_without_dates_is_refused_as_crawled_at(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"text": ["a", "b"], "title": [None, "Bridges"], "day": ["2020-01", None]}), tmp_path / "x.parquet"
    )
    path = str(tmp_path / "x.parquet")
    with pytest.raises(
        InputError, match=r"'title' of .*x\.parquet, which the recipe names as crawled_at, holds no date"
    ):
        Parquet(paths=(), crawled_at="title").check([path])
    Parquet(paths=(), crawled_at="day").check([path])


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_strings_stored_as_differences(tmp_path: Path, encoding: str) -> None:
    table = pa.table({"text": [f"text {number}" for number in range(3000)], "name": ["a", "b", None] * 1000})
    path = str(tmp_path / "x.parquet")
    pq.write_table(table, path, row_group_size=2000, use_dictionary=["name"], column_encoding={"text": encoding})
    rows = read(Parquet(paths=(), id="name"), Piece(path))
    assert [(row["text"], row["record_id"]) for row in rows] == list(zip(*table.to_pydict().values(), strict=True))
