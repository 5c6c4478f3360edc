"""Fit stages: small results that one task computes and seals, no matter how large the corpus is."""

import hashlib
from collections.abc import Sequence

import ray

from curation.core import storage
from curation.core.protocols import Fit
from curation.engine.run.execution import root_cause
from curation.engine.run.sample import learn
from curation.fit.sample.shares import Shard


def run_fit(component: Fit, shards: Sequence[Shard], folder: str) -> dict[str, object]:
    """Fits the component on the kept text of the shards in one Ray task, and writes the asset.

    Returns its file name, SHA-256 (hex) and `sample`, which tells what it was learnt from: see `sample.learn`.
    """
    task = ray.remote(num_cpus=1, max_retries=2)(learn)
    try:
        content, sample = ray.get(task.remote(component, list(shards)))
    except ray.exceptions.RayError as error:
        raise root_cause(error) from error
    storage.write_bytes(storage.join(folder, component.asset), content)
    return {"file": component.asset, "sha256": hashlib.sha256(content).hexdigest(), "sample": sample}
