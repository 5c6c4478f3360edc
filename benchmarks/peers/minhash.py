"""datatrove's four MinHash steps over Parquet files of texts.

Settings are datatrove's own: five words, 14 buckets of 8 hashes of 64 bits, one task for each bucket. Signatures are
read whole (`lines_to_buffer=-1`), which is faster here.
"""

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

from benchmarks.peers.verdicts import LANGUAGES


def deduplicate(folder: str, output: str, workers: int, words: str) -> dict[str, Any]:
    """`steps`, the wall seconds of each, and `removed`, the numbers of the removed documents.

    `folder` holds files with `id` and `text`, one task of the first and of the last step for each; `output` gets the
    documents that are kept, as Parquet. `words` is one of LANGUAGES.
    """
    files = sorted(Path(folder).glob("*.parquet"))
    seconds = {}
    for name, (pipeline, tasks) in _steps(folder, output, len(files), LANGUAGES[words]).items():
        executor = LocalPipelineExecutor(
            pipeline=pipeline, tasks=tasks, workers=workers, logging_dir=f"{output}/logs/{name}"
        )
        began = time.perf_counter()
        executor.run()
        seconds[name] = time.perf_counter() - began
    return {"steps": seconds, "removed": _removed(Path(output, "removed"), files)}


def _steps(folder: str, output: str, files: int, language: Any) -> dict[str, tuple[list[Any], int]]:
    """Name -> pipeline and tasks."""
    config = MinhashConfig()
    signatures, pairs, removed = (f"{output}/{name}" for name in ("signatures", "pairs", "removed"))
    reader = ParquetReader(folder, glob_pattern="*.parquet")
    return {
        "signature": ([reader, MinhashDedupSignature(signatures, config, language)], files),
        "buckets": ([MinhashDedupBuckets(signatures, pairs, config=config, lines_to_buffer=-1)], config.num_buckets),
        "cluster": ([MinhashDedupCluster(pairs, removed, config, lines_to_buffer=-1)], 1),
        "filter": ([reader, MinhashDedupFilter(removed), ParquetWriter(f"{output}/kept")], files),
    }


def _removed(folder: Path, files: Sequence[Path]) -> list[int]:
    """Numbers of the removed documents, counted from 0 across all files."""
    first = 0
    removed: list[int] = []
    for number, file in enumerate(files):
        listed = folder / f"{number:06d}.remove"
        if listed.exists():
            removed += (first + np.fromfile(listed, np.uint32).astype(np.int64)).tolist()
        first += pq.read_metadata(file).num_rows
    return removed
