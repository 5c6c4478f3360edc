"""datatrove's FineWeb steps without deduplication over web archives, on its LocalPipelineExecutor.

The rules and their order are those of datatrove's own example for FineWeb: URL, trafilatura (favouring precision),
English, Gopher repetition and quality, C4 without terminal punctuation, FineWeb quality.
"""

import shutil
import time
from pathlib import Path

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
from huggingface_hub import cached_assets_path

from benchmarks.peers.verdicts import LANGUAGES


def fineweb(archives: str, output: str, model: str, workers: int, words: str, seconds: float) -> float:
    """Wall seconds of the executor. `archives` is a folder of .warc.gz files, `output` gets JSON lines of what is kept.

    `words` is one of LANGUAGES; trafilatura gives a page up after `seconds`, 1 in the library.
    """
    _place_model(model)
    language = LANGUAGES[words]
    steps = [
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
    executor = LocalPipelineExecutor(pipeline=steps, tasks=workers, workers=workers, logging_dir=f"{output}/logs")
    began = time.perf_counter()
    executor.run()
    return time.perf_counter() - began


def _place_model(model: str) -> None:
    """Where its language filter would download the larger form of the same model to."""
    folder = cached_assets_path(library_name="datatrove", namespace="lid", subfolder=FT176LID.MODEL_SUBFOLDER)
    path = Path(folder, strip_protocol(FT176LID.MODEL_URL).replace("/", "_"))
    shutil.copy(model, path)
    path.with_name(f"{path.name}.completed").touch()
