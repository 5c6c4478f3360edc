"""Writes a mix's rows, in the mix's order, as Parquet shards that Hugging Face `datasets` loads.

    train-00000-of-00012.parquet …, validation-00000-of-00001.parquet, README.md (which names the splits), the tokenizer

A row has `input_ids` int32[L]; `position_ids` int32[L], which restart at 0 with each document so that models can keep
attention inside packed documents; `segment_ids` int32[L], 0 in padding, else 1, 2, … by document; and `source`, the
leaf of the mix. Rows are in the mix's shuffled order, so readers need not shuffle. They are written a row group at a
time: memory is a few tens of megabytes, whatever the mix. L = row_tokens.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from curation.core.errors import UserError
from curation.tokens.export.megatron import copy_tokenizer, local_folder
from curation.tokens.shards import RowBatch, TokenData

Int32s = npt.NDArray[np.int32]
GROUP_TOKENS = 1 << 20  # of a row group
FILE_TOKENS = 1 << 27
SCHEMA = pa.schema(
    [
        ("input_ids", pa.list_(pa.int32())),
        ("position_ids", pa.list_(pa.int32())),
        ("segment_ids", pa.list_(pa.int32())),
        ("source", pa.string()),
    ]
)
ENCODINGS = {  # ids are spread too evenly for a dictionary; the others are runs
    "input_ids.list.element": "PLAIN",
    "position_ids.list.element": "DELTA_BINARY_PACKED",
    "segment_ids.list.element": "DELTA_BINARY_PACKED",
}
README = """---
configs:
- config_name: default
  data_files:
{files}
---
# Packed token rows

Load with `datasets.load_dataset`. Rows are in the order in which training sees them and hold {row_tokens} tokens, of
which a model predicts all but the first. Set labels to -100 where `segment_ids` is 0: that is padding (id {padding}).
The vocabulary has {vocabulary} ids, padding included; {around}. The tokenizer is {tokenizer}.
"""


def export_parquet(path: str, output: str, *, rows: int | None = None) -> dict[str, Any]:
    """`path`: a run or mix folder; `rows`: at most that many training rows, from the first. Returns "files" [{name,
    split, rows}].

    Raises UserError for an output folder that is not empty, or for fewer than one row.
    """
    if rows is not None and rows < 1:
        raise UserError(f"rows is {rows}; give at least 1, or leave it out for the whole mix")
    data = TokenData.open(path)
    folder = local_folder(output)
    training = data.rows if rows is None else min(rows, data.rows)
    written = _write(data, folder, "train", training, data.read)
    written += _write(data, folder, "validation", data.validation_rows, data.read_validation)
    copy_tokenizer(data, folder)
    splits = dict.fromkeys(file["split"] for file in written)
    readme = README.format(
        files="\n".join(f"  - split: {split}\n    path: {split}-*.parquet" for split in splits),
        row_tokens=data.row_tokens,
        padding=data.padding,
        vocabulary=data.vocabulary,
        around=_around(data),
        tokenizer=data.tokenizer_path.rpartition("/")[2],
    )
    (folder / "README.md").write_text(readme)
    return {"format": "parquet", "output": str(folder), "files": written}


def _around(data: TokenData) -> str:
    if data.begin_of_text is None:
        return f"id {data.end_of_text} ends a document, and none begins it"
    return f"id {data.begin_of_text} begins a document and id {data.end_of_text} ends it"


def _write(
    data: TokenData, folder: Path, split: str, rows: int, read: Callable[[int, int], RowBatch]
) -> list[dict[str, Any]]:
    """Writes the files of a split, none if it has no row."""
    file_rows = max(1, FILE_TOKENS // data.row_tokens)
    group = max(1, GROUP_TOKENS // data.row_tokens)
    files = -(-rows // file_rows)
    written = []
    for number in range(files):
        name = f"{split}-{number:05d}-of-{files:05d}.parquet"
        first = number * file_rows
        stop = min(rows, (number + 1) * file_rows)
        options: dict[str, Any] = {"use_dictionary": ["source"], "column_encoding": ENCODINGS, "compression": "zstd"}
        with pq.ParquetWriter(folder / name, SCHEMA, **options) as file:
            for start in range(first, stop, group):
                batch = read(start, min(group, stop - start))
                batch.check(data.rules)
                file.write_table(_table(batch), row_group_size=group)
        written.append({"name": name, "split": split, "rows": stop - first})
    return written


def _table(batch: RowBatch) -> pa.Table:
    segments = batch.segment_ids
    columns = [_lists(values) for values in (batch.tokens.astype(np.int32), positions_in(segments), segments)]
    return pa.table([*columns, pa.array(batch.sources, pa.string())], schema=SCHEMA)


def positions_in(segments: Int32s) -> Int32s:
    """int32[B, L]: the number of tokens before each token in its segment."""
    place = np.arange(segments.shape[1], dtype=np.int32)
    begins = np.diff(segments, axis=1, prepend=-1) != 0
    return place - np.maximum.accumulate(np.where(begins, place, np.int32(0)), axis=1)


def _lists(values: Int32s) -> pa.Array:
    """int32[B, L] -> list<int32>[B]."""
    return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), values.shape[1]).cast(pa.list_(pa.int32()))
