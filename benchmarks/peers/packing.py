"""TRL's best-fit packing of a Parquet file of documents."""

import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
from datasets import Dataset
from datasets.utils.logging import disable_progress_bar
from trl import pack_dataset


def pack(documents: str, row_tokens: int) -> dict[str, Any]:
    """Rows, tokens in them, and CPU seconds, which include writing its Arrow file. `documents` has `input_ids`; they
    are loaded, and a few packed, before the clock starts."""
    disable_progress_bar()
    data = Dataset(pq.read_table(documents))
    pack_dataset(data.select(range(10)), row_tokens, "bfd_split")
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        packed = pack_dataset(data, row_tokens, "bfd_split", {"cache_file_name": str(Path(folder) / "packed.arrow")})
        seconds = time.process_time() - started
        tokens = pc.sum(pc.list_value_length(packed.with_format("arrow")[:]["input_ids"])).as_py()
        return {"rows": len(packed), "tokens": tokens, "seconds": seconds}
