import sys

from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import ExactDedupConfig, ExactDedupFilter, ExactDedupSignature, ExactFindDedups
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter


def text(document: Document) -> str:
    return document.text


if __name__ == "__main__":
    folder, output = sys.argv[1:]
    config = ExactDedupConfig(content_getter=text, only_dedup_in_index=False)
    signatures, removed = (f"{output}/{name}" for name in ("signatures", "removed"))
    stages = {
        "signatures": ([JsonlReader(folder), ExactDedupSignature(signatures, config, finder_workers=2)], 4),
        "removed": ([ExactFindDedups(signatures, removed, config)], 2),
        "kept": ([JsonlReader(folder), ExactDedupFilter(removed, config), JsonlWriter(f"{output}/kept")], 4),
    }
    for name, (steps, tasks) in stages.items():
        LocalPipelineExecutor(pipeline=steps, tasks=tasks, workers=2, logging_dir=f"{output}/logs/{name}").run()
