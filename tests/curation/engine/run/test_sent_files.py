"""Files that are read whole, and errors that name those that cannot be."""

from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.errors import StageError
from curation.engine.run.routing import write_batches
from curation.engine.run.sent_files import opened, read_file

TABLE = pa.table({"text": ["a", None], "bytes": [b"x", b""]})


def test_a_file_is_read_whole_or_batch_by_batch(tmp_path: Path) -> None:
    path = str(tmp_path / "rows-00000.arrow")
    write_batches(path, TABLE.schema, [TABLE, TABLE.slice(1)])
    assert read_file(path).equals(pa.concat_tables([TABLE, TABLE.slice(1)]))
    assert [opened(path).get_batch(number).num_rows for number in range(2)] == [2, 1]


@pytest.mark.parametrize("size", [None, 0, 100])
def test_a_file_that_is_gone_or_was_cut_short_is_named(tmp_path: Path, size: int | None) -> None:
    path = tmp_path / "rows-00000.arrow"
    write_batches(str(path), TABLE.schema, [TABLE])
    content = path.read_bytes()
    path.unlink()
    if size is not None:
        path.write_bytes(content[:size])
    with pytest.raises(StageError, match=r"rows-00000\.arrow cannot be read: .*; delete its stage's folder"):
        read_file(str(path))
