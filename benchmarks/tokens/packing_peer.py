"""Times TRL's best-fit packing of a Parquet file of documents; `packing.py` runs it where TRL can be imported.

    PYTHON -m benchmarks.tokens.packing_peer INPUT ROW_TOKENS

INPUT has `input_ids`. Prints one line of JSON: rows, tokens in them, and CPU seconds, which include writing its Arrow
file. Documents are loaded, and a few packed, before the clock starts.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
from datasets import Dataset
from datasets.utils.logging import disable_progress_bar
from trl import pack_dataset


def main() -> None:
    table = pq.read_table(sys.argv[1])
    row_tokens = int(sys.argv[2])
    disable_progress_bar()
    documents = Dataset(table)
    pack_dataset(documents.select(range(10)), row_tokens, "bfd_split")
    with tempfile.TemporaryDirectory() as folder:
        options = {"cache_file_name": str(Path(folder) / "packed.arrow")}
        started = time.process_time()
        packed = pack_dataset(documents, row_tokens, "bfd_split", options)
        seconds = time.process_time() - started
        tokens = pc.sum(pc.list_value_length(packed.with_format("arrow")[:]["input_ids"])).as_py()
        print(json.dumps({"rows": len(packed), "tokens": tokens, "seconds": seconds}))


if __name__ == "__main__":
    main()
