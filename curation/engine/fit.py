"""Fit stages and the mix: small results that one task computes and seals, no matter how large the corpus is."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import ray

from curation.core import storage
from curation.engine.execution import root_cause
from curation.engine.parts import read_part
from curation.text.hashing import hash64
from curation.tokens.manifests import INDEX
from curation.tokens.mix import index_bytes


def run_fit(part: Any, paths: Sequence[str], kept_bytes: int, folder: str) -> dict[str, str]:
    """Fits `part` on the kept text of the shards in one Ray task; returns the asset's file name and SHA-256 (hex).

    More text than `part.sample_bytes` is sampled by a hash of doc_id, so the sample is the same on every run.
    """
    share = min(1.0, part.sample_bytes / max(kept_bytes, 1))
    task: Any = ray.remote(num_cpus=1, max_retries=2)(_fit)
    try:
        content: bytes = ray.get(task.remote(part, list(paths), share))
    except ray.exceptions.RayError as error:
        raise root_cause(error) from error
    storage.write_bytes(storage.join(folder, part.asset), content)
    return {"file": part.asset, "sha256": hashlib.sha256(content).hexdigest()}


def _fit(part: Any, paths: list[str], share: float) -> bytes:
    content: bytes = part.fit(sampled_texts(paths, share))
    return content


def sampled_texts(paths: Sequence[str], share: float) -> Iterator[pa.Array]:
    """large_string arrays of the kept texts, in shard order: each document with probability `share` by its doc_id."""
    limit = np.uint64(min(int(share * 2**64), 2**64 - 1))
    for path in paths:
        for table in read_part(path, columns=("doc_id", "text")):
            if share < 1.0:
                chosen = hash64(table["doc_id"].cast(pa.large_string()).combine_chunks()) <= limit
                table = table.filter(pa.array(chosen))
            if table.num_rows:
                yield table["text"].combine_chunks()


def build_mix(mix: Any, packs: Sequence[tuple[str, dict[str, Any]]], folder: str) -> dict[str, Any]:
    """Writes the index of the mix and returns it, without its entries' rows, for the manifest."""
    index: dict[str, Any] = mix.build(packs)
    storage.write_bytes(storage.join(folder, INDEX), index_bytes(index))
    return index
