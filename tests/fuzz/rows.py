"""Targets: damaged files of rows. Parquet is read or refused by name; a JSON line reads as it does alone."""

import io
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from curation.core.errors import InputError
from curation.core.protocols import Piece, ReadTally
from curation.sources.arrow import Arrow
from curation.sources.csv import Csv
from curation.sources.json_blocks import lines_of
from curation.sources.json_rows import parse_rows
from curation.sources.jsonl import Jsonl
from curation.sources.lines import LineBlock, line_bounds
from curation.sources.mapping import Columns
from curation.sources.parquet import Parquet
from tests.fuzz.child import Execution, Target
from tests.mutations import mutated

FIELDS = {"id": "id", "url": "meta.url", "crawled_at": "t", "licence": "licence", "declared_language": "language"}
ROWS = 60
DELTAS = {"id": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY", "language": "DELTA_LENGTH_BYTE_ARRAY"}
WRITERS: tuple[dict[str, Any], ...] = (
    {},
    {"compression": "zstd", "data_page_version": "2.0", "write_page_index": True},
    {"compression": "none", "use_dictionary": False},
    {"compression": "gzip", "store_schema": False, "sorting_columns": [pq.SortingColumn(0)]},
    {"compression": "none", "row_group_size": 10, "data_page_size": 50, "write_page_index": True},
    {"compression": "lz4", "write_statistics": False, "use_dictionary": False, "column_encoding": DELTAS},
)


def parquet_files() -> Iterator[bytes]:
    table = pa.table(
        {
            "text": [f"text {i} é " * 3 if i % 7 else None for i in range(ROWS)],
            "meta": [{"url": f"http://example.org/{i}", "list": [1, 2]} for i in range(ROWS)],
            "id": list(range(ROWS)),
            "licence": pa.array(["CC0-1.0", "MIT", None] * (ROWS // 3)).dictionary_encode(),
            "language": pa.array(["en"] * ROWS, pa.large_string()),
            "t": pa.array([1_600_000_000_000 + i for i in range(ROWS)], pa.timestamp("ms")),
            "more": [i / 2 for i in range(ROWS)],
        }
    )
    for options in WRITERS:
        sink = io.BytesIO()
        pq.write_table(table, sink, **{"row_group_size": 25, **options})
        yield sink.getvalue()


def damaged_parquet(data: bytes, rng: random.Random) -> bytes:
    """Mostly with a footer that is still found: it is the part that a reader has to understand."""
    length = int.from_bytes(data[-8:-4], "little")
    pages = data[: -length - 8]
    footer = data[-length - 8 : -8]
    part = rng.random()
    if part < 0.7:
        footer = mutated(footer, rng)
    elif part < 0.9:
        pages = mutated(pages, rng)
    else:
        return mutated(data, rng)
    return pages + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def parquet(folder: Path) -> Execution:
    files = list(parquet_files())
    return _reading(
        Parquet(paths=(), **FIELDS), folder / "x.parquet", lambda rng: damaged_parquet(rng.choice(files), rng)
    )


def _reading(source: Parquet | Arrow, path: Path, damaged: Callable[[random.Random], bytes]) -> Execution:
    """Reads one damaged file; a refusal names it."""

    def execute(rng: random.Random) -> None:
        path.write_bytes(damaged(rng))
        refused = ""
        try:
            source.check([str(path)])
            read(source, Piece(str(path)))
        except InputError as error:
            refused = str(error)
        assert not refused or str(path) in refused

    return execute


def read(source: Any, *pieces: Piece) -> tuple[list[dict[str, Any]], ReadTally]:
    tally = ReadTally()
    rows = []
    for batch in source.read(pieces, "s", tally):
        batch.validate(full=True)
        rows += batch.to_pylist()
    return rows, tally


SEEDS = [
    json.dumps(
        {"text": f"text {i}", "id": i if i % 2 else str(i), "t": "2020-01-01T00:00:00Z", "n": [1.5, {"a": None}]}
    )
    for i in range(4)
] + [
    json.dumps({"text": "é\n", "id": 1, "meta": {"url": "http://example.org"}, "t": 1_600_000_000}, ensure_ascii=False),
    '{"text": "\\ud83d\\ude00", "licence": "MIT", "language": "en", "t": 1600000000.5, "big": 12345678901234567890}',
]


def arrow_files() -> Iterator[bytes]:
    table = pa.table(
        {
            "text": [f"text {i} é " * 3 if i % 7 else None for i in range(ROWS)],
            "meta": [{"url": f"http://example.org/{i}", "list": [1, 2]} for i in range(ROWS)],
            "id": list(range(ROWS)),
            "licence": pa.array(["CC0-1.0", "MIT", None] * (ROWS // 3)).dictionary_encode(),
            "language": pa.array(["en"] * ROWS, pa.string_view()),
            "t": pa.array([1_600_000_000_000 + i for i in range(ROWS)], pa.timestamp("ms")),
        }
    )
    for new in (pa.ipc.new_stream, pa.ipc.new_file):
        for compression in (None, "lz4", "zstd"):
            sink = io.BytesIO()
            with new(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
                writer.write_table(table, max_chunksize=25)
            yield sink.getvalue()


def arrow(folder: Path) -> Execution:
    files = list(arrow_files())
    return _reading(Arrow(paths=(), **FIELDS), folder / "x.arrow", lambda rng: mutated(rng.choice(files), rng))


CSV = (
    b"id,text,meta.url,t,licence,language\r\n"
    + b'1,"text ""one"", and\nmore",http://example.org/1,2020-01-01,MIT,en\r\n'
    + "2,Größe,,1600000000,,de\r\n".encode()
    + b'"","","","","",""\r\n'
) * 3


def csv(folder: Path) -> Execution:
    path = folder / "x.csv"
    source = Csv(paths=(), max_row_bytes=500, **FIELDS)

    def execute(rng: random.Random) -> None:
        path.write_bytes(mutated(CSV, rng))
        refused = ""
        try:
            rows, tally = read(source, Piece(str(path)))
            assert len(rows) == tally.files[str(path)].read
        except InputError as error:
            refused = str(error)
        assert not refused or str(path) in refused

    return execute


def jsonl(folder: Path) -> Execution:
    path = folder / "x.jsonl"
    source = Jsonl(paths=(), max_line_bytes=4000, **FIELDS)
    fields = Columns(paths=(), **FIELDS).named()

    def execute(rng: random.Random) -> None:
        lines = [rng.choice(SEEDS).encode() for _ in range(rng.randint(1, 5))]
        place = rng.randrange(len(lines))
        data = b"\n".join([*lines[:place], mutated(lines[place], rng, most=2), *lines[place + 1 :]])
        path.write_bytes(data)
        rows, tally = read(source, Piece(str(path)))
        assert_as_alone(data, fields)
        if data[:1] == b"{" and rng.random() < 0.1:  # ranges are of plain files only
            cut = rng.randint(1, len(data))
            parts = [read(source, Piece(str(path), 0, cut)), read(source, Piece(str(path), cut))]
            assert rows == parts[0][0] + parts[1][0]
            assert tally.records == parts[0][1].records + parts[1][1].records

    return execute


def assert_as_alone(data: bytes, fields: dict[str, str]) -> None:
    """Every line has the values, or the refusal, that it has without the others."""
    together = parsed(data, 0, fields)
    starts, stops = line_bounds(data)
    alone = [parsed(data[start:stop], int(start), fields) for start, stop in zip(starts, stops, strict=True)]
    assert together == ([row for rows, _ in alone for row in rows], [bad for _, several in alone for bad in several])


def parsed(data: bytes, offset: int, fields: dict[str, str]) -> tuple[list[tuple[Any, ...]], list[int]]:
    bad: list[int] = []
    found = parse_rows(lines_of(LineBlock(data, offset)), fields, lambda at, _: bad.append(at))
    columns = [found.offsets.tolist(), *(found.values[name].to_pylist() for name in sorted(found.values))]
    return list(zip(*columns, strict=True)), sorted(bad)  # a block's deep lines are told before its others


# The header of a damaged page may state up to 2 GiB, which pyarrow sets aside before it reads the page.
TARGETS = {
    "parquet": Target(parquet, 100_000, most_mb=2_500),
    "arrow": Target(arrow, 50_000, most_mb=2_500),
    "csv": Target(csv, 50_000),
    "jsonl": Target(jsonl, 50_000),
}
