"""Files and ranges of them are read as they were sent; errors name the file that cannot be read."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import StageError
from curation.engine.run import sent_files
from curation.engine.run.routing import write_batches
from curation.engine.run.sent_files import SentFiles, StoredRanges, opened, read_batches, read_file
from tests.peak_memory import peak_memory

BOUNDS = np.cumsum(np.random.default_rng(3).integers(0, 99, (5, 9)), axis=1)
TABLE = pa.table({"text": ["a", None], "bytes": [b"x", b""]})


def test_a_file_is_read_whole_or_batch_by_batch(tmp_path: Path) -> None:
    path = str(tmp_path / "rows-00000.arrow")
    write_batches(path, TABLE.schema, [TABLE, TABLE.slice(1)])
    assert read_file(path).equals(pa.concat_tables([TABLE, TABLE.slice(1)]))
    assert [opened(path).get_batch(number).num_rows for number in range(2)] == [2, 1]
    assert [batch.num_rows for batch in read_batches(path)] == [2, 1]
    assert [batch.to_pydict() for batch in read_batches(path, ("bytes",))] == [{"bytes": [b"x", b""]}, {"bytes": [b""]}]


@pytest.mark.parametrize("size", [None, 0, 100])
def test_a_file_that_is_gone_or_was_cut_short_is_named(tmp_path: Path, size: int | None) -> None:
    path = tmp_path / "rows-00000.arrow"
    write_batches(str(path), TABLE.schema, [TABLE])
    content = path.read_bytes()
    path.unlink()
    if size is not None:
        path.write_bytes(content[:size])
    sent = SentFiles(str(tmp_path), "", "rows", np.array([[0, len(content)]]))
    for read in (
        lambda: read_file(str(path)),
        lambda: list(read_batches(str(path))),
        lambda: sent.to(0, 1).table(TABLE.schema),
    ):
        with pytest.raises(StageError, match=r"rows-00000\.arrow cannot be read: .*; delete its stage's folder"):
            read()


def rows_in(path: str) -> int:
    return sum(batch.num_rows for batch in read_batches(path))


def test_one_batch_at_a_time_is_in_memory(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    row = 1 << 16
    rows = 64
    batch = pa.table({"text": [rng.bytes(row) for _ in range(rows)]})  # 4 MB that do not compress
    for name, batches in (("small", 1), ("large", 40)):
        write_batches(str(tmp_path / name), batch.schema, [batch] * batches)
    (small, few), (large, many) = (peak_memory(rows_in, str(tmp_path / name)) for name in ("small", "large"))
    assert (few, many) == (rows, 40 * rows)
    assert large < small + 40  # MB, of a file of 160


@pytest.mark.parametrize("receivers", [1, 4, 8, 16])
def test_ranges_are_those_that_would_be_sent(tmp_path: Path, receivers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = SentFiles(str(tmp_path), "_step", "keys", BOUNDS)
    assert sent.compact() is sent
    monkeypatch.setattr(sent_files, "FEW_SENDERS", 4)
    for receiver in range(receivers):
        stored = sent.compact().to(receiver, receivers).ranges
        assert isinstance(stored, StoredRanges)
        assert stored.read().tolist() == np.asarray(sent.to(receiver, receivers).ranges).tolist()


def test_stored_ranges_that_are_gone_or_cut_short_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sent_files, "FEW_SENDERS", 4)
    path = SentFiles(str(tmp_path), "a", "b", BOUNDS).compact().stored
    assert path == f"{tmp_path}/_ranges/a-b"
    with pytest.raises(StageError, match=r"_ranges/a-b cannot be read.*run the same command again"):
        StoredRanges(path, 5, 8, 9).read()
    Path(path).unlink()
    with pytest.raises(StageError, match="_ranges/a-b cannot be read"):
        StoredRanges(path, 5, 0, 1).read()
