"""Arrow files: both forms, the folders of datasets, columns, damage, and what a small file claims."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pytest

from curation.core.errors import InputError
from curation.core.input_files import list_files
from curation.core.protocols import Piece, ReadTally
from curation.sources import arrow
from curation.sources.arrow import Arrow
from tests.curation.sources.sample import Sample


def stream(table: pa.Table, *, rows: int = 7, footer: bool = False, **options: Any) -> bytes:
    out = io.BytesIO()
    writer = (pa.ipc.new_file if footer else pa.ipc.new_stream)(out, table.schema, **options)
    writer.write_table(table, max_chunksize=rows)
    writer.close()
    return out.getvalue()


def written(texts: Sequence[str]) -> bytes:
    return stream(pa.table({"text": texts}))


SAMPLE = Sample(written, {"max_document_bytes": 2000})
TABLE = pa.table(
    {
        "body": ["One", None, "Three"],
        "n": [1, 2, 3],
        "meta": [{"url": "http://a/1"}, {"url": None}, None],
        "licence": pa.array(["MIT", "MIT", None]).dictionary_encode(),
        "when": pa.array([0, 1, None], pa.timestamp("s")),
    }
)
THREE = ["a" * 90, "b" * 90, "c" * 90]
FIELDS = {"text": "body", "id": "n", "url": "meta.url", "licence": "licence", "crawled_at": "when"}


def read(path: Path, content: bytes, **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    path.write_bytes(content)
    tally = ReadTally()
    made = Arrow(paths=(), **options)
    made.check([str(path)])
    batches = made.read([Piece(str(path), name=path.name)], "s", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


@pytest.mark.parametrize("footer", [False, True], ids=["stream", "file"])
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_both_forms(footer: bool, compression: str | None, tmp_path: Path) -> None:
    content = stream(TABLE, rows=2, footer=footer, options=pa.ipc.IpcWriteOptions(compression=compression))
    rows, tally = read(tmp_path / "x.arrow", content, **FIELDS)
    assert [(row["text"], row["record_id"], row["url"], row["licence"], row["origin_offset"]) for row in rows] == [
        ("One", "1", "http://a/1", "MIT", 0),
        (None, "2", None, "MIT", 1),
        ("Three", "3", None, None, 2),
    ]
    assert [row["drop_reason"] for row in rows] == [None, "extract:no_text", None]
    assert [row["crawled_at"] is None for row in rows] == [False, False, True]
    assert (dict(tally.records), tally.faults) == ({}, [])


def test_feather(tmp_path: Path) -> None:
    pyarrow.feather.write_feather(pa.table({"text": ["A", "B"]}), tmp_path / "x.feather")
    rows, _ = read(tmp_path / "y", (tmp_path / "x.feather").read_bytes())
    assert [row["text"] for row in rows] == ["A", "B"]


def test_a_folder_of_datasets(tmp_path: Path) -> None:
    """As `save_to_disk` writes a DatasetDict, after a `map` has left a cache."""
    for split, text in (("train", "A"), ("test", "B")):
        (tmp_path / split).mkdir()
        (tmp_path / split / "data-00000-of-00001.arrow").write_bytes(written([text]))
        (tmp_path / split / "cache-1f.arrow").write_bytes(written(["again"]))
        (tmp_path / split / "dataset_info.json").write_text("{}")
        (tmp_path / split / "state.json").write_text(json.dumps({"_data_files": []}))
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    units = Arrow(paths=()).split(list_files(str(tmp_path)), group_bytes=1 << 20, split_bytes=1)
    tally = ReadTally()
    texts = [
        row["text"] for unit in units for batch in Arrow(paths=()).read(unit, "s", tally) for row in batch.to_pylist()
    ]
    assert texts == ["B", "A"]


def test_invalid_utf8_is_counted(tmp_path: Path) -> None:
    text = pa.array([b"A", b"\xff"], pa.binary()).view(pa.string())
    rows, tally = read(tmp_path / "x", stream(pa.table({"text": text})))
    assert [row["text"] for row in rows] == ["A", "\ufffd"]
    assert dict(tally.records) == {"lenient.invalid_utf8": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", "is no Arrow file: it begins with b''; `winnow inspect", id="empty"),
        pytest.param(b"PAR1....", "is no Arrow file: it begins with b'PAR1....'", id="Parquet"),
        pytest.param(b"FEA1....", "is of Feather's version 1; read it with pandas", id="Feather 1"),
        pytest.param(b"\xff\xff\xff\xff\xff\xff\xff\x7f", "it ends within its schema", id="a schema of 2 GiB"),
        pytest.param(b"ARROW1\0\0" + b"x" * 90, "cannot be read as Arrow", id="no footer"),
        pytest.param(written(["A"]).replace(b"text", b"body"), "has no column 'text'; it has body", id="no column"),
        pytest.param(stream(pa.table({"text": [1]})), "column 'text' of .* is int64; text must be text", id="numbers"),
    ],
)
def test_what_cannot_be_read_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path / "x", content)


@pytest.mark.parametrize("footer", [False, True], ids=["stream", "file"])
def test_a_damaged_batch_is_noted_and_the_others_are_read(footer: bool, tmp_path: Path) -> None:
    content = bytearray(stream(pa.table({"text": THREE}), rows=1, footer=footer))
    place = content.rindex((90).to_bytes(4, "little"), 0, content.index(THREE[1].encode()))
    content[place : place + 4] = (1 << 30).to_bytes(4, "little")  # where its text ends
    rows, tally = read(tmp_path / "x", bytes(content))
    assert [row["text"] for row in rows] == [THREE[0], THREE[2]]
    assert [(fault["offset"], str(fault["error"])[:25]) for fault in tally.faults] == [(1, "record batch 1 is damaged")]


def test_a_stream_that_is_cut_short_keeps_what_came_before(tmp_path: Path) -> None:
    content = stream(pa.table({"text": THREE}), rows=1)
    rows, tally = read(tmp_path / "x", content[: content.index(THREE[2].encode()) + 80])
    assert [row["text"] for row in rows] == THREE[:2]
    assert len(tally.faults) == 1


def test_rows_that_take_no_bytes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = stream(pa.table({"text": pa.nulls(5_000)}), rows=1_000)
    assert len(read(tmp_path / "x", content)[0]) == 5_000
    monkeypatch.setattr(arrow, "ROWS", 2_500)
    monkeypatch.setattr(arrow, "ROWS_PER_BYTE", 0)
    rows, tally = read(tmp_path / "x", content)
    assert len(rows) == 2_000
    assert [fault["error"] for fault in tally.faults] == [
        "record batch 2 has 1,000 rows, more than the file's size allows"
    ]
