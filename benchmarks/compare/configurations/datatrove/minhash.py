import sys

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

if __name__ == "__main__":
    folder, output = sys.argv[1:]
    config = MinhashConfig(n_grams=5, num_buckets=14, hashes_per_bucket=8)
    signatures, pairs, removed = (f"{output}/{name}" for name in ("signatures", "pairs", "removed"))
    stages = {
        "signatures": ([JsonlReader(folder), MinhashDedupSignature(signatures, config)], 4),
        "pairs": ([MinhashDedupBuckets(signatures, pairs, config=config)], 14),
        "removed": ([MinhashDedupCluster(pairs, removed, config)], 1),
        "kept": ([JsonlReader(folder), MinhashDedupFilter(removed), JsonlWriter(f"{output}/kept")], 4),
    }
    for name, (steps, tasks) in stages.items():
        LocalPipelineExecutor(pipeline=steps, tasks=tasks, workers=2, logging_dir=f"{output}/logs/{name}").run()
