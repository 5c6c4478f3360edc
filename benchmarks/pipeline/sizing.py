"""Compares what `winnow plan --nodes` predicts from one run with the figures of a run ten times as large.

There are two cases. *pages*: the archives' pages through the recipe `demo`, then --times copies of each page. Every
paragraph of a copy begins with a word of that copy, so stages keep about the same shares. *texts*: seeded documents of
`benchmarks.dedup` through MinHash, a tokenizer and packing, then --times as many. Each run starts its own Ray, as a
user's run does.

Core-seconds are wall-clock seconds of units, as in plan, so both runs of a case need the same load on the machine. CPU
seconds are those of all processes while a stage ran, and depend less on the load. The prediction is those of the sample
times the growth of core-seconds that plan predicts.
"""

import argparse
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.case import Figures
from benchmarks.dedup.stage import make_corpus
from benchmarks.dedup.texts import Mix
from benchmarks.parity.pages import Page, pages_of, write_archives
from benchmarks.pipeline.process_tree import ProcessTree
from curation.account.run import Run
from curation.core.manifest import Manifest
from curation.core.progress import Progress
from curation.engine.executor.executor import Executor
from curation.engine.executor.on_ray import OnRay
from pipelines.api import curate, size

PER_ARCHIVE = 50  # pages
PER_FILE = 500  # texts
PARAGRAPH = re.compile(rb"<p\b[^>]*>")
TEXTS: dict[str, Any] = {
    "version": 1,
    "name": "texts",
    "shards": {"group_mb": 0},
    "sources": {
        "texts": [
            {"read": {"parquet": {"paths": [], "id": "id"}}},
            {"dedup": {"minhash": {}}},
            {"fit": {"tokenizer": {"vocab_size": 8192}}},
            {"tokenize": {"tokenizer": "@tokenizer"}},
            {"pack": {"sequence_length": 256}},
        ]
    },
}
KINDS = ("core_seconds", "cpu_seconds", "wall_seconds", "file_bytes")


@dataclass(frozen=True)
class Line:
    stage: str
    figure: str
    predicted: float
    measured: float

    @property
    def error(self) -> float:
        """As a fraction of what was measured."""
        return self.predicted / self.measured - 1 if self.measured else 0.0


def write_pages(archives: str, folder: Path, times: int) -> tuple[str, str]:
    """The globs of a sample and of `times` as many pages."""
    pages = list(pages_of([archives]))
    files = -(-len(pages) // PER_ARCHIVE)
    first = list(_copies(pages, 1))
    write_archives(folder / "sample", first, len(first), files)
    every = list(_copies(pages, times))
    write_archives(folder / "large", every, len(every), files * times)
    return str(folder / "sample/*.warc.gz"), str(folder / "large/*.warc.gz")


def _copies(pages: list[Page], times: int) -> Iterator[Page]:
    for copy in range(times):
        word = b"Copy" + bytes([65 + copy // 26, 97 + copy % 26]) + b" "
        for url, date, block in pages:
            marked = PARAGRAPH.sub(lambda tag: tag.group() + word, block)  # noqa: B023 (used at once)
            yield f"{url}{'&' if '?' in url else '?'}of={copy}", date, marked


def write_texts(documents: int, folder: Path, times: int) -> tuple[str, str]:
    """The globs of a sample and of `times` as many documents."""
    for name, count in (("sample", documents), ("large", documents * times)):
        make_corpus(Mix(documents=count), folder / name, PER_FILE)
    return str(folder / "sample/texts/*"), str(folder / "large/texts/*")


def check(
    recipe: str | dict[str, Any], inputs: tuple[str, str], folder: Path, executor: Executor, cpus: int
) -> list[Line]:
    """Runs both with so many cores, and compares the larger with its prediction."""
    sample, before = _run(recipe, inputs[0], folder / "run-sample", executor)
    sized = size(recipe, sample, nodes=1, cpus=cpus, inputs=(inputs[1],))
    _, after = _run(recipe, inputs[1], folder / "run-large", executor)
    lines = []
    for stage in sized.stages:
        had = before[stage.name]
        measured = after[stage.name]
        predicted = {name: getattr(stage, name) for name in KINDS if name != "cpu_seconds"}
        predicted["cpu_seconds"] = had["cpu_seconds"] * stage.core_seconds / had["core_seconds"] if stage.steps else 0.0
        lines += [Line(stage.name, name, predicted[name], measured[name]) for name in KINDS]
    for name in KINDS:
        own = [line for line in lines if line.figure == name]
        lines.append(Line("total", name, sum(line.predicted for line in own), sum(line.measured for line in own)))
    return lines


def _run(
    recipe: str | dict[str, Any], inputs: str, output: Path, executor: Executor
) -> tuple[Run, dict[str, dict[str, float]]]:
    """The run, and the figures of each stage."""
    used: dict[str, float] = {}
    with ProcessTree() as tree:

        def note_cpu(progress: Progress) -> None:
            if progress.step in ("start", "done"):
                used[progress.stage] = tree.cpu_seconds() - used.get(progress.stage, 0.0)

        run = curate(recipe, output, inputs=(inputs,), executor=executor, on_progress=note_cpu)
    return run, {stage.name: {"cpu_seconds": used[stage.name], **figures_of(stage.manifest)} for stage in run.stages}


def figures_of(manifest: Manifest) -> dict[str, float]:
    """A stage's figures from its manifest."""
    return {
        "core_seconds": sum(step.seconds for step in manifest.steps),
        "wall_seconds": manifest.wall_seconds,
        "file_bytes": sum(step.file_bytes for step in manifest.steps),
    }


def run(options: argparse.Namespace) -> Iterator[Figures]:
    with tempfile.TemporaryDirectory() as name:
        for case in ("pages", "texts"):
            folder = Path(name, case)
            folder.mkdir()
            if case == "pages":
                inputs = write_pages(options.archives, folder, options.times)
            else:
                inputs = write_texts(options.texts, folder, options.times)
            rows: dict[str, dict[str, float]] = {}
            for line in check(
                "demo" if case == "pages" else TEXTS, inputs, folder, OnRay(cpus=options.cpus), options.cpus
            ):
                own = {"": line.predicted, ", measured": line.measured, ", error": line.error}
                rows.setdefault(line.stage, {}).update({f"{line.figure}{what}": value for what, value in own.items()})
            yield Figures(case, rows)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("archives")
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--cpus", type=int, default=2)
