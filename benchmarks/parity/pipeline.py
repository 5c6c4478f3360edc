"""Runs datatrove's FineWeb steps without deduplication over web archives, on its LocalPipelineExecutor.

    PYTHON-OF-DATATROVE -m benchmarks.parity.pipeline FOLDER OUTPUT --model FILE [--workers 2] [--whitespace]

FOLDER holds the .warc.gz files; OUTPUT gets JSON lines of what is kept. The rules and their order are those of
datatrove's own example for FineWeb: URL, trafilatura (favouring precision), English, Gopher repetition and quality, C4
without terminal punctuation, FineWeb quality. spaCy splits words as in the example or, with --whitespace, `str.split`.
trafilatura gives a page up after `--seconds`, by default 1 as in the library.
Prints one line of JSON: `wall_seconds` of the executor.
"""

import argparse
import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from datatrove.executor import LocalPipelineExecutor
from datatrove.io import strip_protocol
from datatrove.pipeline.extractors import Trafilatura
from datatrove.pipeline.filters import (
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
    LanguageFilter,
    URLFilter,
)
from datatrove.pipeline.readers import WarcReader
from datatrove.pipeline.writers import JsonlWriter
from datatrove.utils.lid import FT176LID
from datatrove.utils.typeshelper import Languages
from huggingface_hub import cached_assets_path

from benchmarks.parity.child import SPLITTER


def place_model(model: str) -> None:
    """Where its language filter would download the larger form of the same model to."""
    folder = cached_assets_path(library_name="datatrove", namespace="lid", subfolder=FT176LID.MODEL_SUBFOLDER)
    path = Path(folder, strip_protocol(FT176LID.MODEL_URL).replace("/", "_"))
    shutil.copy(model, path)
    path.with_name(f"{path.name}.completed").touch()


def steps(archives: str, output: str, language: Any, seconds: float) -> list[Any]:
    return [
        WarcReader(archives, glob_pattern="*.warc.gz", default_metadata={"dump": "benchmark"}),
        URLFilter(),
        Trafilatura(favour_precision=True, timeout=seconds),
        LanguageFilter(["en"]),
        GopherRepetitionFilter(language=language),
        GopherQualityFilter(language=language),
        C4QualityFilter(filter_no_terminal_punct=False, language=language),
        FineWebQualityFilter(language=language),
        JsonlWriter(f"{output}/kept"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("archives")
    parser.add_argument("output")
    parser.add_argument("--model", required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--whitespace", action="store_true")
    parser.add_argument("--seconds", type=float, default=1)
    options = parser.parse_args()
    place_model(options.model)
    language = SPLITTER if options.whitespace else Languages.english
    executor = LocalPipelineExecutor(
        pipeline=steps(options.archives, options.output, language, options.seconds),
        tasks=options.workers,
        workers=options.workers,
        logging_dir=f"{options.output}/logs",
    )
    began = time.perf_counter()
    executor.run()
    json.dump({"wall_seconds": time.perf_counter() - began}, sys.stdout)


if __name__ == "__main__":
    main()
