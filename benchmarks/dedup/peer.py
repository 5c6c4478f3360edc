"""Runs datatrove's four MinHash steps over Parquet files of texts, in datatrove's environment.

    PYTHON -m benchmarks.dedup.peer FOLDER OUTPUT [--workers 2] [--whitespace]

FOLDER holds files with `id` and `text`, one task of the first and of the last step for each; OUTPUT gets the documents
that are kept, as Parquet. Settings are datatrove's own: five words, 14 buckets of 8 hashes of 64 bits, one task for
each bucket; words by spaCy or, with --whitespace, by `str.split`. Signatures are read whole (`lines_to_buffer=-1`),
which is faster here. Prints one line of JSON: `steps`, the wall seconds of each, and `removed`, the numbers of the
removed documents.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.readers import ParquetReader
from datatrove.pipeline.writers import ParquetWriter
from datatrove.utils.typeshelper import Languages

from benchmarks.parity.child import SPLITTER

Step = tuple[list[Any], int]  # pipeline and tasks


def steps(folder: str, output: str, files: int, language: Any) -> dict[str, Step]:
    config = MinhashConfig()
    signatures, pairs, removed = (f"{output}/{name}" for name in ("signatures", "pairs", "removed"))
    reader = ParquetReader(folder, glob_pattern="*.parquet")
    return {
        "signature": ([reader, MinhashDedupSignature(signatures, config, language)], files),
        "buckets": ([MinhashDedupBuckets(signatures, pairs, config=config, lines_to_buffer=-1)], config.num_buckets),
        "cluster": ([MinhashDedupCluster(pairs, removed, config, lines_to_buffer=-1)], 1),
        "filter": ([reader, MinhashDedupFilter(removed), ParquetWriter(f"{output}/kept")], files),
    }


def removed_documents(folder: Path, files: Sequence[Path]) -> list[int]:
    """Numbers of the removed documents, counted from 0 across all files."""
    first: int = 0
    removed: list[int] = []
    for number, file in enumerate(files):
        listed = folder / f"{number:06d}.remove"
        if listed.exists():
            removed += (first + np.fromfile(listed, np.uint32).astype(np.int64)).tolist()
        first += pq.read_metadata(file).num_rows
    return removed


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("output")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--whitespace", action="store_true")
    options = parser.parse_args()
    files = sorted(Path(options.folder).glob("*.parquet"))
    language = SPLITTER if options.whitespace else Languages.english
    seconds = {}
    for name, (pipeline, tasks) in steps(options.folder, options.output, len(files), language).items():
        executor = LocalPipelineExecutor(
            pipeline=pipeline, tasks=tasks, workers=options.workers, logging_dir=f"{options.output}/logs/{name}"
        )
        began = time.perf_counter()
        executor.run()
        seconds[name] = time.perf_counter() - began
    json.dump({"steps": seconds, "removed": removed_documents(Path(options.output, "removed"), files)}, sys.stdout)


if __name__ == "__main__":
    main()
