"""From web archives to kept text, ours through Ray against datatrove's local executor: the same pages and rules.

    python -m benchmarks.datatrove                              once: sets up datatrove
    python -m benchmarks pipeline.side_by_side [ARCHIVES …]     20,000 pages on 2 cores; default: the test data

The rules are FineWeb's without deduplication: URL, extraction, English, Gopher repetition and quality, C4 without
terminal punctuation, FineWeb quality, ours in the variant `datatrove`, with its URL lists and the same language model.
datatrove extracts with trafilatura and splits words with spaCy, as in its example for FineWeb (--whitespace: with
`str.split`); ours runs with resiliparse, with an extractor learnt from 1,000 of the first pages as trafilatura reads
them, with the cascade of resiliparse and trafilatura, and with one that ends in etrafilatura, where that is installed.
The fit is timed apart.

The archives' pages are written to new archives under distinct URLs, repeatedly until there are enough. Start-up is
measured apart: both sides first run over 25 pages per worker, which starts processes and loads models and lists. Our
processes keep running, so the clock starts after that; from datatrove's second run, the seconds and pages of its first
one are subtracted. With --subset, datatrove gets only that many of the first pages, and rates are compared.
"""

import argparse
import gzip
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import yaml

from benchmarks import data
from benchmarks import datatrove as environment
from benchmarks.case import Figures
from benchmarks.extraction.cascade import RECIPE
from benchmarks.parity.ours import VARIANT, url_options
from benchmarks.pipeline.pages import Archives, Page, pages_of, write_archives
from curation.account.run import Run
from curation.engine.driver.runner import curate
from curation.engine.executor.on_ray import OnRay
from curation.engine.recipe.recipe import parse
from curation.models.fasttext.classifier import EMBEDDED, locate

ARCHIVES = 16  # files of each set; both sides work file by file
WARM_UP = 25  # pages per worker
# times the pages per second of datatrove
TARGETS = {
    "datatrove": 1,
    "resiliparse": 10,
    "learnt": 10,
    "cascade": 4,
    "etrafilatura": 6,
}


class Datatrove:
    """Runs datatrove's pipeline in its own environment; whatever it downloads or unpacks stays in `folder`."""

    def __init__(self, python: Path, folder: Path, workers: int, words: str, seconds: float = 1) -> None:
        self._python = python
        self._folder = folder
        self._runs = count()
        self._options = {"workers": workers, "words": words, "seconds": seconds, "model": locate(EMBEDDED)}

    def write_lists(self) -> None:
        """Writes the lists of its URL filter to the folder."""
        environment.run(self._python, "verdicts.write_lists", cache=self._folder, folder=self._folder)

    def run(self, archives: Path) -> tuple[float, int]:
        """Wall seconds and documents kept."""
        output = self._folder / f"datatrove-{next(self._runs)}"
        files = {"archives": archives, "output": output}
        seconds = environment.run(self._python, "pipeline.fineweb", cache=self._folder, **files, **self._options)
        kept = sum(gzip.decompress(file.read_bytes()).count(b"\n") for file in output.glob("kept/*.gz"))
        return seconds, kept


def recipe(archives: Path, lists: Path, extract: dict[str, Any]) -> str:
    variant = {"variant": VARIANT}
    stages: list[dict[str, Any]] = [
        {"read": {"warc": {"paths": [str(archives)]}}},
        {"extract": extract},
        {"filter": {"url_blocklist": url_options(lists), "language": {"languages": ["en"]}}, "name": "url-language"},
        {"filter": {"gopher_repetition": variant, "gopher_quality": variant}, "name": "gopher"},
        {"rewrite": {"c4_lines": {**variant, "terminal_punctuation": False}}},
        {"filter": {"c4_quality": {**variant, "from_lines": True}, "fineweb_quality": variant}, "name": "c4-fineweb"},
    ]
    return yaml.safe_dump({"version": 1, "shards": {"group_mb": 0}, "sources": {"web": stages}}, sort_keys=False)


def learnt(folder: Path, pages: list[Page], workers: int) -> tuple[str, float]:
    """A model of an extractor, learnt from archives of the pages, and the wall seconds of it, with start-up."""
    archives = write_archives(folder / "lessons", pages, len(pages), 2 * workers)
    recipe = {
        "version": 1,
        "sources": {
            "web": [
                {"read": {"warc": {"paths": [str(archives.folder)]}}},
                {"fit": {"extractor": {"teacher": {"trafilatura": {}}}}},
                {"extract": {"learnt": {"model": "@extractor"}}},
            ]
        },
    }
    output = folder / "learnt"
    began = time.perf_counter()
    with OnRay(cpus=workers) as executor:
        curate(parse(yaml.safe_dump(recipe, sort_keys=False), "learnt"), str(output), executor)
    (model,) = output.glob("*/extractor.bin")
    return str(model), time.perf_counter() - began


def extractors(lists: Path, model: str) -> dict[str, dict[str, Any]]:
    """Our ways to the text; `benchmarks.extraction.cascade` has the cascade's margins."""
    cascade = yaml.safe_load(RECIPE)["sources"]["web"][1]["extract"]["cascade"]
    judge = {"url_blocklist": url_options(lists), **cascade["judge"]}
    options = {
        "resiliparse": {"resiliparse": {}},
        "learnt": {"learnt": {"model": model}},
        "cascade": {"cascade": {**cascade, "judge": judge}},
    }
    if find_spec("etrafilatura"):
        options["etrafilatura"] = {"cascade": {**cascade, "judge": judge, "then": {"etrafilatura": {}}}}
    return options


def side(pages: int, megabytes: float, startup: float, seconds: float, kept: int) -> dict[str, float]:
    return {
        "pages": pages,
        "start-up, s": startup,
        "wall s": seconds,
        "kept": kept,
        "kept, %": 100 * kept / pages,
        "MB/s": megabytes / seconds,
        "pages/s": pages / seconds,
    }


def ours(
    name: str, extract: dict[str, Any], folder: Path, warm: Archives, full: Archives, workers: int
) -> dict[str, float]:
    began = time.perf_counter()
    with OnRay(cpus=workers) as executor:
        seconds = []
        for archives in (warm, full):
            text = recipe(archives.folder, folder, extract)
            output = str(folder / f"{name}-{archives.folder.name}")
            curate(parse(text, name), output, executor)
            seconds.append(time.perf_counter() - began)
    kept = Run.open(output).funnel().stages[-1].kept
    return side(full.pages, full.megabytes, seconds[0], seconds[1] - seconds[0], kept)


def run(options: argparse.Namespace) -> Iterator[Figures]:
    python = environment.required(options.python)
    pages = list(pages_of(options.archives or data.default_paths()[:1]))
    workers = options.workers
    words = "whitespace" if options.whitespace else "spacy"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        warm = write_archives(folder / "warm", pages, workers * WARM_UP, workers)
        full = write_archives(folder / "full", pages, options.pages, ARCHIVES)
        part = full
        if options.subset and options.subset < options.pages:
            part = write_archives(folder / "part", pages, options.subset, ARCHIVES)
        datatrove = Datatrove(python, folder, workers, words)
        datatrove.write_lists()
        model, fit_seconds = learnt(folder, pages, workers)
        ways = extractors(folder, model)
        sides = {name: ours(name, one, folder, warm, full, workers) for name, one in ways.items()}
        startup, kept_warm = datatrove.run(warm.folder)
        wall, kept = datatrove.run(part.folder)
    timed = part.pages - warm.pages, part.megabytes - warm.megabytes
    theirs = side(*timed, startup, wall - startup, kept - kept_warm)
    rows = {
        name: one | {"times": one["pages/s"] / theirs["pages/s"], "target": TARGETS[name]}
        for name, one in {"datatrove": theirs, **sides}.items()
    }
    title = f"archives to kept text, {workers} workers; datatrove's words by {words}"
    yield Figures(title, rows, (f"fitting `learnt` took {fit_seconds:.0f} s",))


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("archives", nargs="*", help="files, folders or globs; default: the test data")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--subset", type=int, help="pages that datatrove gets; default: all")
    parser.add_argument("--whitespace", action="store_true", help="datatrove splits words as ours does")
    parser.add_argument("--workers", type=int, default=2)
    environment.add_python_option(parser)
