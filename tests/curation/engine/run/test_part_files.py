"""Part files: equal rows give equal bytes however they arrive, and counts that add up."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.document import DOCUMENT, TEXT_OF_DROPPED
from curation.engine.run import part_files
from curation.engine.run.part_files import PartWriter, read_part
from tests.support import documents

TEXTS = [f"text number {i} " * (i % 7) for i in range(300)]
REASONS = [None if i % 3 else "a.b:low" for i in range(300)]
TABLE = pa.Table.from_batches([documents(*TEXTS, drop_reason=list(REASONS))])


def written(folder: Path, tables: list[pa.Table], full_bytes: int | None = None) -> tuple[part_files.Part, ...]:
    writer = PartWriter(str(folder), 0, DOCUMENT, "web", full_bytes)
    for table in tables:
        writer.add(table)
    return writer.close()


@pytest.mark.parametrize("size", [1, 7, 100, 300])
def test_bytes_do_not_depend_on_how_rows_arrive(tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_files, "GROUP_ROWS", 40)
    monkeypatch.setattr(part_files, "GROUP_BYTES", 1000)
    whole = tmp_path / "whole"
    pieces = tmp_path / "pieces"
    whole.mkdir()
    pieces.mkdir()
    one = written(whole, [TABLE])
    other = written(pieces, [TABLE.slice(i, size) for i in range(0, 300, size)])
    assert one == other
    assert (whole / one[0].file).read_bytes() == (pieces / other[0].file).read_bytes()
    groups = pq.ParquetFile(whole / one[0].file).metadata
    assert max(groups.row_group(g).num_rows for g in range(groups.num_row_groups)) <= 40


def test_counts(tmp_path: Path) -> None:
    (part,) = written(tmp_path, [TABLE])
    assert (part.rows, part.kept, part.dropped) == (300, 200, {"a.b:low": 100})
    assert part.text_bytes == sum(len(text) for text in TEXTS)
    assert part.kept_text_bytes == sum(len(t) for t, r in zip(TEXTS, REASONS, strict=True) if r is None)
    assert part.file_bytes == (tmp_path / part.file).stat().st_size


def test_a_full_file_is_followed_by_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_files, "GROUP_ROWS", 40)
    found = written(tmp_path, [TABLE], full_bytes=5000)
    assert [part.file for part in found[:2]] == ["part-00000.parquet", "part-00000.01.parquet"]
    assert sum(part.rows for part in found) == 300
    texts = [text for part in found for text in pq.read_table(tmp_path / part.file)["text"].to_pylist()]
    assert texts == TEXTS


def test_a_writer_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    writer = PartWriter(str(tmp_path), 0, DOCUMENT, "web")
    writer.add(TABLE)
    writer.__exit__(ValueError, ValueError(), None)
    assert list(tmp_path.iterdir()) == []


def test_row_groups_are_bounded_by_all_strings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_files, "GROUP_BYTES", 10_000)
    urls: list[object] = ["u" * 4000] * 9
    (part,) = written(tmp_path, [pa.Table.from_batches([documents(*["short"] * 9, url=urls)])])
    assert pq.ParquetFile(tmp_path / part.file).metadata.num_row_groups == 5, "two of 4,000 bytes fit in each"


def test_text_of_dropped_rows_is_written_and_all_is_counted(tmp_path: Path) -> None:
    schema = pa.schema([DOCUMENT.field("doc_id"), TEXT_OF_DROPPED, DOCUMENT.field("drop_reason")])
    with PartWriter(str(tmp_path), 0, schema, "web") as writer:
        writer.add(TABLE)
        (part,) = writer.close()
    texts = [text if reason else None for text, reason in zip(TEXTS, REASONS, strict=True)]
    table = pq.read_table(tmp_path / part.file)
    assert table["text"].to_pylist() == texts
    assert table["doc_id"].equals(TABLE["doc_id"])
    sizes = [len(text.encode()) for text in TEXTS]
    assert part.text_bytes == sum(sizes)
    assert part.kept_text_bytes == sum(size for size, reason in zip(sizes, REASONS, strict=True) if reason is None)


def test_no_rows_still_make_a_file_with_the_columns(tmp_path: Path) -> None:
    (part,) = written(tmp_path, [])
    assert part.rows == 0
    assert pq.read_schema(tmp_path / part.file).names == DOCUMENT.names


def test_reading_leaves_dropped_rows_out_and_numbers_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_files, "GROUP_ROWS", 40)
    (part,) = written(tmp_path, [TABLE])
    kept = pa.concat_tables(read_part((str(tmp_path / part.file),), columns=["text"]))
    assert kept["text"].to_pylist() == [t for t, r in zip(TEXTS, REASONS, strict=True) if r is None]
    assert kept["_row"].to_pylist() == list(range(200))
    everything = pa.concat_tables(read_part((str(tmp_path / part.file),), columns=["text"], kept_only=False))
    assert everything["_row"].to_pylist() == list(range(300))
