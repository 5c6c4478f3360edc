"""Checks what `winnow plan --nodes` predicts: fitted on one run, compared with another that is ten times as large.

    python -m benchmarks.pipeline.sizing 'ARCHIVES/*.warc.gz' [--texts 20000] [--times 10] [--json figures.json]

Two cases. *pages*: the archives' pages through the recipe `demo`, then the same with so many copies of each page. Every
paragraph of a copy begins with a word of that copy, so that stages keep the shares that they kept of the pages.
*texts*: seeded documents of `benchmarks.dedup` through MinHash, a tokenizer and packing, then so many times as many.
Each run has a Ray of its own, as a user's has. Seconds are those of a clock, so both runs of a case want the same load
of the machine; `busy` tells it: core-seconds of work by CPU seconds of all processes, Ray's included.

In the JSON file, by case: `busy` of `sample` and `large`, and `lines`, each with `stage` ("total" for all), `figure`
("core_seconds", "wall_seconds" or "file_bytes"), `predicted`, `measured` and `error` (of the measured).
"""

import argparse
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.dedup.stage import make_corpus
from benchmarks.dedup.texts import Mix
from benchmarks.parity.pages import Page, pages_of, write_archives
from benchmarks.pipeline.process_tree import ProcessTree
from curation.account.run import Run
from curation.core.manifest import Manifest
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
FIGURES = ("core_seconds", "wall_seconds", "file_bytes")


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
    """The globs of a sample and of so many times as many pages."""
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
    """The globs of a sample and of so many times as many documents."""
    for name, count in (("sample", documents), ("large", documents * times)):
        make_corpus(Mix(documents=count), folder / name, PER_FILE)
    return str(folder / "sample/texts/*"), str(folder / "large/texts/*")


def check(recipe: str | dict[str, Any], inputs: tuple[str, str], folder: Path, cpus: int) -> dict[str, Any]:
    """Runs both, and compares the larger with what was predicted of it."""
    sample, sample_busy = _run(recipe, inputs[0], folder / "run-sample", cpus)
    sized = size(recipe, sample, nodes=1, cpus=cpus, inputs=(inputs[1],))
    large, large_busy = _run(recipe, inputs[1], folder / "run-large", cpus)
    lines = []
    for stage, ran in zip(sized.stages, large.stages, strict=True):
        measured = figures(ran.manifest)
        lines += [Line(stage.name, name, getattr(stage, name), measured[name]) for name in FIGURES]
    for name in FIGURES:
        own = [line for line in lines if line.figure == name]
        lines.append(Line("total", name, sum(one.predicted for one in own), sum(one.measured for one in own)))
    return {"busy": {"sample": sample_busy, "large": large_busy}, "lines": lines}


def figures(manifest: Manifest) -> dict[str, float]:
    """What a stage took."""
    return {
        "core_seconds": sum(step.seconds for step in manifest.steps),
        "wall_seconds": manifest.wall_seconds,
        "file_bytes": sum(step.file_bytes for step in manifest.steps),
    }


def _run(recipe: str | dict[str, Any], inputs: str, output: Path, cpus: int) -> tuple[Run, float]:
    with ProcessTree() as tree:
        before = tree.cpu_seconds()
        run = curate(recipe, output, inputs=(inputs,), cpus=cpus)
        used = tree.cpu_seconds() - before
    return run, sum(figures(stage.manifest)["core_seconds"] for stage in run.stages) / used


def show(name: str, found: dict[str, Any]) -> None:
    busy = found["busy"]
    table = Table(title=f"{name}: work by CPU time {busy['sample']:.2f} in the sample, {busy['large']:.2f} in the run")
    table.add_column("stage")
    for figure in ("core-seconds", "wall seconds", "MB written"):
        for column in (figure, "measured", "error"):
            table.add_column(column, justify="right")
    rows: dict[str, list[str]] = {}
    for line in found["lines"]:
        unit = 1e6 if line.figure == "file_bytes" else 1
        cells = [f"{line.predicted / unit:,.1f}", f"{line.measured / unit:,.1f}", f"{line.error:+.0%}"]
        rows.setdefault(line.stage, []).extend(cells)
    for stage, cells in rows.items():
        table.add_row(stage, *cells)
    Console(width=130).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.pipeline.sizing",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("archives")
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in ("pages", "texts"):
            (folder / case).mkdir()
        pages = write_pages(arguments.archives, folder / "pages", arguments.times)
        found["pages"] = check("demo", pages, folder / "pages", arguments.cpus)
        texts = write_texts(arguments.texts, folder / "texts", arguments.times)
        found["texts"] = check(TEXTS, texts, folder / "texts", arguments.cpus)
    for case, one in found.items():
        show(case, one)
        one["lines"] = [{**asdict(line), "error": line.error} for line in one["lines"]]
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
