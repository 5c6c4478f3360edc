import sys

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.filters import GopherQualityFilter, GopherRepetitionFilter
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

if __name__ == "__main__":
    folder, output = sys.argv[1:]
    steps = [JsonlReader(folder), GopherRepetitionFilter(), GopherQualityFilter(), JsonlWriter(f"{output}/kept")]
    LocalPipelineExecutor(pipeline=steps, tasks=4, workers=2, logging_dir=f"{output}/logs").run()
