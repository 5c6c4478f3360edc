"""A Parquet part without some texts: rows, order, row groups and reasons stay, and doing it again changes nothing."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from curation.core.commits import Part
from curation.core.document import DOCUMENT
from curation.core.protocols import Ints
from curation.engine.erase.documents import erase_rows
from curation.engine.run.part_files import PartWriter
from tests.support import documents

TEXTS = ["one", "two two", None, "four", "fünf"]
TOKENS = [[1, 2], [3, 4, 5], None, [6], [7, 8]]


def write(folder: Path) -> tuple[Path, Part]:
    """Five rows in two row groups; the third has no text, the fourth is dropped."""
    reasons: list[object] = [None, None, "extract:empty", "a.b:low", None]
    batch = documents(*TEXTS, drop_reason=reasons)
    tokens = pa.array(TOKENS, pa.large_list(pa.uint16()))
    table = pa.Table.from_batches([batch]).append_column("tokens", tokens).append_column("n", pa.array(range(5)))
    schema = pa.schema([*DOCUMENT, pa.field("tokens", tokens.type), pa.field("n", pa.int64())])
    writer = PartWriter(str(folder), 0, schema, "web")
    writer.add(table.slice(0, 3))
    writer._flush()
    writer.add(table.slice(3))
    (part,) = writer.close()
    return folder / part.file, part


def erased(path: Path, part: Part, rows: Ints) -> Part:
    """The part's entry after its rows were erased in place."""
    target = path.with_name("beside")
    entry = erase_rows(str(path.parent), part, rows, str(target), {})
    target.rename(path)
    return entry


def test_text_and_tokens_go_and_all_else_stays(tmp_path: Path) -> None:
    path, part = write(tmp_path)
    before = pq.read_table(path).to_pylist()
    assert (part.rows, part.kept, part.text_bytes, part.kept_text_bytes, part.tokens) == (5, 3, 19, 15, 7)
    made = erased(path, part, np.array([1, 3, 4]))
    rows = pq.read_table(path).to_pylist()
    assert [row["text"] for row in rows] == ["one", None, None, None, None]
    assert [row["tokens"] for row in rows] == [[1, 2], None, None, None, None]
    for was, now in zip(before, rows, strict=True):
        assert {k: v for k, v in now.items() if k not in ("text", "tokens")} == {
            k: v for k, v in was.items() if k not in ("text", "tokens")
        }
    metadata = pq.read_metadata(path)
    assert [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)] == [3, 2]
    assert (made.rows, made.kept, made.text_bytes, made.kept_text_bytes, made.tokens) == (5, 3, 3, 3, 2)
    assert (made.dropped, made.file_bytes) == (part.dropped, path.stat().st_size)
    content = path.read_bytes()
    assert erased(path, made, np.array([1, 3, 4])) == made
    assert path.read_bytes() == content


def test_a_part_without_rows(tmp_path: Path) -> None:
    (part,) = PartWriter(str(tmp_path), 0, DOCUMENT, "web").close()
    assert erased(tmp_path / part.file, part, np.array([], np.int64)).rows == 0
