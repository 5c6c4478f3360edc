"""Times datatrove's NGramsDecontFilter over a Parquet file of texts, in datatrove's environment.

    PYTHON -m benchmarks.contamination.peer TEXTS ITEMS

TEXTS has `text`, ITEMS `question` and `answer`. Prints one line of JSON: CPU seconds of this process for all texts, the
texts that it would remove, and the number of hashes. It has its default options (12 words), but also n-grams of the
questions; words are its own English ones. The index and the models are loaded before the clock starts.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from datatrove.data import Document
from datatrove.pipeline.decont.n_grams import NGramsDecontConfig, NGramsDecontFilter, NGramsDecontIndexer


def main() -> None:
    texts, items = (pq.read_table(path) for path in sys.argv[1:3])
    config = NGramsDecontConfig(find_query_ngrams=True)
    with tempfile.TemporaryDirectory() as folder:
        judge = NGramsDecontFilter(folder, config)
        # The indexer asks for lighteval, which only its own tasks need.
        NGramsDecontIndexer._requires_dependencies = []
        indexer = NGramsDecontIndexer.__new__(NGramsDecontIndexer)
        indexer.config = config
        indexer.tokenizer = judge.tokenizer
        indexer.hash_func = judge.hash_func
        rows = zip(items["answer"].to_pylist(), items["question"].to_pylist(), strict=True)
        hashes = {value for answer, question in rows for value in indexer.compute_hashes(answer, question)}
        np.array(sorted(hashes), config.hash_config.np_descr).tofile(Path(folder, "all.index.hashes"))
        judge.filter(Document("Words. Of one text, so that nothing is loaded later.", ""))
        start = time.process_time()
        kept = [judge.filter(Document(text, "")) is True for text in texts["text"].to_pylist()]
        seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "removed": kept.count(False), "hashes": len(hashes)}))


if __name__ == "__main__":
    main()
