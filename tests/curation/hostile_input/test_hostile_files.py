"""Files made to exhaust whoever reads them, at their real sizes: memory stays within a task's, and what is cut is
counted."""

import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from curation.core.protocols import Piece, ReadTally, Source
from curation.sources.jsonl import Jsonl
from curation.sources.parquet import Parquet
from curation.sources.warc import Warc
from tests.curation.sources.sample_archives import http, warc
from tests.peak_memory import LIMIT, peak_memory

SOURCES: dict[str, Source] = {
    "jsonl": Jsonl(paths=()),
    "parquet": Parquet(paths=(), url="url"),
    "parquet_text": Parquet(paths=()),
    "warc": Warc(paths=()),
}
Counts = dict[str, int]


def consume(source: str, path: str) -> tuple[Counts, Counts]:
    """(rows by reason, what the tally counted)."""
    tally = ReadTally()
    reasons = Counter[str]()
    for batch in SOURCES[source].read((Piece(path),), "s", tally):
        reasons.update(str(reason) for reason in batch.column("drop_reason").to_pylist())
    return dict(reasons), dict(tally.records)


def read(source: str, path: Path) -> tuple[Counts, Counts]:
    peak, (reasons, counted) = peak_memory(consume, source, str(path))
    print(source, path.name, path.stat().st_size, "bytes:", peak, "MB;", reasons, counted)
    assert peak <= LIMIT
    return reasons, counted


def one_line(path: Path, megabytes: int, record: bytes) -> Path:
    """A gzip file, in members of 100 MB, of one line and then a good record."""
    member = gzip.compress(b"a" * 100_000_000, 1)
    with path.open("wb") as file:
        for _ in range(megabytes // 100):
            file.write(member)
        file.write(gzip.compress(record))
    return path


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "megabytes", [pytest.param(300, marks=pytest.mark.slow), pytest.param(10_000, marks=pytest.mark.soak)]
)
@pytest.mark.parametrize(
    ("source", "record", "counted"),
    [("jsonl", b'\n{"text": "kept"}\n', {"skipped.long_line": 1}), ("warc", warc("kept", http()), {})],
)
def test_a_gzip_of_one_line(tmp_path: Path, source: str, record: bytes, counted: Counts, megabytes: int) -> None:
    assert read(source, one_line(tmp_path / "line.gz", megabytes, record)) == ({"None": 1}, counted)


@pytest.mark.soak
def test_a_megabyte_of_json_lines_that_unpacks_to_two_gigabytes(tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.zst"
    lines = b'{"text": "' + b"a " * 500 + b'"}\n'
    with path.open("wb") as file, zstandard.ZstdCompressor(level=19).stream_writer(file) as writer:
        for _ in range(200):
            writer.write(lines * 10_000)
    assert path.stat().st_size < 1_000_000
    assert read("jsonl", path) == ({"None": 2_000_000}, {})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("megabytes", "expected"),
    [
        pytest.param(30, ({"extract:too_many_bytes": 1}, {}), id="too long a document"),
        pytest.param(256, ({}, {"skipped.long_line": 1}), id="too long a line"),
    ],
)
def test_a_line_of_short_words(tmp_path: Path, megabytes: int, expected: tuple[Counts, Counts]) -> None:
    path = tmp_path / "long.jsonl"
    path.write_bytes(b'{"text": "' + b"a " * (megabytes * 500_000) + b'"}\n')
    assert read("jsonl", path) == expected


@pytest.mark.slow
@pytest.mark.parametrize("item", ["[]", "{}", '{"":1}', "1e9"])
def test_a_line_of_a_great_many_values(tmp_path: Path, item: str) -> None:
    path = tmp_path / "values.jsonl"
    most = (31 << 20) // (len(item) + 1)
    path.write_text(f'{{"text": "a", "x": [{",".join([item] * most)}]}}\n{{"text": "b"}}\n')
    assert read("jsonl", path) == ({"None": 1}, {"skipped.bad_json": 1})


@pytest.mark.slow
def test_a_dictionary_that_stands_for_terabytes(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    rows = pa.array(np.zeros(100_000, np.int32))
    column = pa.DictionaryArray.from_arrays(rows, pa.array(["a " * 15_000_000]))
    table = pa.table({"text": column, "url": column})
    pq.write_table(table, path, compression="zstd", dictionary_pagesize_limit=1 << 30, write_statistics=False)
    assert path.stat().st_size < 100_000
    reasons, counted = read("parquet", path)
    assert reasons == {"extract:too_many_bytes": 100_000}
    assert counted == {"lenient.long_value": 100_000}


@pytest.mark.slow
def test_a_dictionary_of_the_longest_documents(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(100, np.int32)), pa.array(["a" * (16 << 20)]))
    pq.write_table(pa.table({"text": column}), path, compression="zstd", dictionary_pagesize_limit=1 << 30)
    assert read("parquet_text", path) == ({"None": 100}, {})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("megabytes", "rows", "expected"),
    [
        pytest.param(256, 1, ({"extract:too_many_bytes": 1}, {}), id="one document of 256 MB"),
        pytest.param(40, 1, ({"extract:too_many_bytes": 1}, {}), id="a page of 40 MB"),
        pytest.param(40, 12, ({"extract:too_many_bytes": 12}, {}), id="pages of 40 MB"),
    ],
)
def test_pages_that_unpack_to_much_more(
    tmp_path: Path, megabytes: int, rows: int, expected: tuple[Counts, Counts]
) -> None:
    path = tmp_path / "bomb.parquet"
    table = pa.table({"text": pa.array(["a " * (megabytes * 500_000)])})
    options = {"compression": "zstd", "use_dictionary": False, "write_statistics": False, "data_page_size": 1}
    with pq.ParquetWriter(path, table.schema, **options, write_batch_size=1) as writer:
        writer.write_table(pa.concat_tables([table] * rows), row_group_size=rows)
    assert read("parquet_text", path) == expected


def types(path: str, most: int) -> list[str]:
    with gzip.open(path, "wb", compresslevel=1) as file:
        for i in range(most):
            file.write(warc(f"t{i}", http(b"x", media=f"image/x-{i}")))
            file.write(warc(f"k{i}", b"x").replace(b"WARC-Type: response", b"WARC-Type: kind-%d" % i))
    return [str(most)]


@pytest.mark.parametrize("most", [1_000, pytest.param(1_000_000, marks=pytest.mark.soak)])
def test_as_many_media_types_and_record_types_as_records(tmp_path: Path, most: int) -> None:
    path = tmp_path / "types.warc.gz"
    types(str(path), most)
    expected: tuple[Counts, Counts] = ({}, {"skipped.type.image/other": most, "skipped.unknown": most})
    assert (read("warc", path) if most > 1_000 else consume("warc", str(path))) == expected
