"""A whole curation run, stage by stage: documents, MB and tokens per second and core, and Ray's share of the time.

    python -m benchmarks.pipeline 'ARCHIVES/*.warc.gz' [--recipe demo] [--cpus 2] [--json figures.json]

Ray and its workers are started, and an empty execution is run, before the clock starts. A stage's work is the seconds
of its units, from its manifest; the remainder of wall time times cores is Ray's overhead, waiting included.
In the JSON file: `cpus`, `startup_seconds`, `wall_seconds`, `work_seconds`, `overhead_share`, and `stages`, each with
`name`, `documents`, `wall_seconds`, `work_seconds`, `documents_per_second`, `megabytes_per_second`,
`tokens_per_second` (all three per core-second of work) and `overhead_share`.
"""

import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.figures import command_line, empty_table, write_json
from curation.account.run import Run
from curation.core.commits import Commit
from curation.engine.driver.runner import curate
from curation.engine.executor.executor import Executor, Listener
from curation.engine.executor.on_ray import OnRay
from curation.engine.executor.work import Cheap, Unit
from curation.engine.recipe.recipe import parse


@dataclass(frozen=True)
class StageFigures:
    """Rates are per core-second of work."""

    name: str
    documents: int
    wall_seconds: float
    work_seconds: float
    documents_per_second: float
    megabytes_per_second: float
    tokens_per_second: float
    overhead_share: float


class Nothing(Cheap):
    """A step without work, to start the workers."""

    def run(self, unit: Unit) -> Commit:
        return Commit(unit.number, ())


def figures(run_folder: str, cpus: int) -> list[StageFigures]:
    stages = []
    documents = megabytes = tokens = 0.0
    for stage in Run.open(run_folder).stages:
        manifest = stage.manifest
        if manifest.parts:
            documents = manifest.total("rows")
            megabytes = manifest.total("text_bytes") / 1e6
            tokens = manifest.total("tokens")
        work = sum(step.seconds for step in manifest.steps) or manifest.wall_seconds  # a mix has no steps
        rates = [amount / work if work else 0.0 for amount in (documents, megabytes, tokens)]
        busy = cpus if manifest.commits else 1
        share = max(0.0, 1 - work / (manifest.wall_seconds * busy)) if manifest.wall_seconds else 0.0
        stages.append(StageFigures(manifest.name, int(documents), manifest.wall_seconds, work, *rates, share))
    return stages


def measure(archives: str, recipe: str, executor: Executor, cpus: int) -> dict[str, Any]:
    path = Path(recipe) if recipe.endswith(".yaml") else Path("pipelines/curate") / f"{recipe}.yaml"
    parsed = parse(path.read_text(), str(path), (archives,))
    with tempfile.TemporaryDirectory() as folder, executor:
        began = time.perf_counter()
        executor.start()
        executor.run(Nothing(), [Unit(number, None) for number in range(cpus * 2)], Listener(lambda commit: None))
        startup = time.perf_counter() - began
        began = time.perf_counter()
        curate(parsed, folder, executor)
        wall = time.perf_counter() - began
        stages = figures(folder, cpus)
    work = sum(stage.work_seconds for stage in stages)
    overhead = max(0.0, 1 - work / (wall * cpus))
    return {
        "cpus": cpus,
        "startup_seconds": startup,
        "wall_seconds": wall,
        "work_seconds": work,
        "overhead_share": overhead,
        "stages": [asdict(stage) for stage in stages],
    }


def show(run_figures: dict[str, Any]) -> None:
    columns = ("documents", "wall s", "work s", "documents/s", "MB/s", "tokens/s", "overhead")
    table = empty_table(f"per core-second of work, {run_figures['cpus']} cores", "stage", *columns)
    for stage in run_figures["stages"]:
        rates = [f"{stage[f'{name}_per_second']:,.1f}" for name in ("documents", "megabytes", "tokens")]
        cells = [f"{stage['documents']:,}", f"{stage['wall_seconds']:.1f}", f"{stage['work_seconds']:.1f}"]
        table.add_row(stage["name"], *cells, *rates, f"{stage['overhead_share']:.0%}")
    console = Console(width=110)
    console.print(table)
    console.print(
        f"start-up {run_figures['startup_seconds']:.1f} s; then {run_figures['wall_seconds']:.1f} s for "
        f"{run_figures['work_seconds']:.1f} s of work: {run_figures['overhead_share']:.0%} of the cores' time is "
        "Ray's overhead",
        soft_wrap=True,
    )


def main() -> None:
    parser = command_line("pipeline", __doc__)
    parser.add_argument("archives")
    parser.add_argument("--recipe", default="demo")
    parser.add_argument("--cpus", type=int, default=2)
    options = parser.parse_args()
    run_figures = measure(options.archives, options.recipe, OnRay(cpus=options.cpus), options.cpus)
    show(run_figures)
    write_json(run_figures, options.json)


if __name__ == "__main__":
    main()
