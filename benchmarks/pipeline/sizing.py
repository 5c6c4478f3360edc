"""Compares what `winnow plan --nodes` predicts from one run with the figures of a run ten times as large.

    python -m benchmarks.pipeline.sizing 'ARCHIVES/*.warc.gz' [--texts 20000] [--times 10] [--json figures.json]

There are two cases. *pages*: the archives' pages through the recipe `demo`, then --times copies of each page. Every
paragraph of a copy begins with a word of that copy, so stages keep about the same shares. *texts*: seeded documents of
`benchmarks.dedup` through MinHash, a tokenizer and packing, then --times as many. Each run starts its own Ray, as a
user's run does.

Core-seconds are wall-clock seconds of units, as in plan, so both runs of a case need the same load on the machine. CPU
seconds are those of all processes while a stage ran, and depend less on the load. The prediction is those of the sample
times the growth of core-seconds that plan predicts.

In the JSON file: for each case a list of lines, each with `stage` ("total" for all), `figure` ("core_seconds",
"cpu_seconds", "wall_seconds" or "file_bytes"), `predicted`, `measured` and `error` (as a fraction of the measured).
"""

import re
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.dedup.stage import make_corpus
from benchmarks.dedup.texts import Mix
from benchmarks.figures import command_line, empty_table, write_json
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
FIGURES = ("core_seconds", "cpu_seconds", "wall_seconds", "file_bytes")


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
        predicted = {name: getattr(stage, name) for name in FIGURES if name != "cpu_seconds"}
        predicted["cpu_seconds"] = had["cpu_seconds"] * stage.core_seconds / had["core_seconds"] if stage.steps else 0.0
        lines += [Line(stage.name, name, predicted[name], measured[name]) for name in FIGURES]
    for name in FIGURES:
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


def show(name: str, lines: list[Line]) -> None:
    titles = ("core-seconds", "CPU seconds", "wall seconds", "MB written")
    table = empty_table(name, "stage", *(column for title in titles for column in (title, "measured", "error")))
    rows: dict[str, list[str]] = {}
    for line in lines:
        unit = 1e6 if line.figure == "file_bytes" else 1
        cells = [f"{line.predicted / unit:,.1f}", f"{line.measured / unit:,.1f}", f"{line.error:+.0%}"]
        rows.setdefault(line.stage, []).extend(cells)
    for stage, cells in rows.items():
        table.add_row(stage, *cells)
    Console(width=150).print(table)


def main() -> None:
    parser = command_line("pipeline.sizing", __doc__)
    parser.add_argument("archives")
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--cpus", type=int, default=2)
    options = parser.parse_args()
    figures: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as name:
        for case in ("pages", "texts"):
            folder = Path(name, case)
            folder.mkdir()
            if case == "pages":
                inputs = write_pages(options.archives, folder, options.times)
            else:
                inputs = write_texts(options.texts, folder, options.times)
            recipe = "demo" if case == "pages" else TEXTS
            lines = check(recipe, inputs, folder, OnRay(cpus=options.cpus), options.cpus)
            show(case, lines)
            figures[case] = [{**asdict(line), "error": line.error} for line in lines]
    write_json(figures, options.json)


if __name__ == "__main__":
    main()
