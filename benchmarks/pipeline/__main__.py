"""A whole curation run, stage by stage: documents, MB and tokens per second and core, and Ray's share of the time.

    python -m benchmarks.pipeline 'ARCHIVES/*.warc.gz' [--recipe demo] [--cpus 2] [--json figures.json]

Ray and its workers are started, and a first empty execution is run, before the clock. A stage's work is the seconds
that its units took, from its manifest; what is left of wall time times cores is Ray's overhead, waiting included.
In the JSON file: `cpus`, `startup_seconds`, `wall_seconds`, `work_seconds`, `overhead_share`, and `stages`, each with
`name`, `documents`, `wall_seconds`, `work_seconds`, `documents_per_second`, `megabytes_per_second`,
`tokens_per_second` (all three per core-second of work) and `overhead_share`.
"""

import argparse
import json
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from curation.account.run import Run
from curation.core.commits import Commit
from curation.engine.recipe.recipe import parse
from curation.engine.run.attempts import Listener, run
from curation.engine.run.runner import curate
from curation.engine.run.session import Session
from curation.engine.run.work import Cheap, Unit


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
    found = []
    documents = megabytes = tokens = 0.0
    for stage in Run.open(run_folder).stages:
        manifest = stage.manifest
        if manifest.parts:
            documents, megabytes = manifest.total("rows"), manifest.total("text_bytes") / 1e6
            tokens = manifest.total("tokens")
        work = sum(step.seconds for step in manifest.steps) or manifest.wall_seconds  # a mix has no steps
        rates = [amount / work if work else 0.0 for amount in (documents, megabytes, tokens)]
        busy = cpus if manifest.commits else 1
        share = max(0.0, 1 - work / (manifest.wall_seconds * busy)) if manifest.wall_seconds else 0.0
        found.append(StageFigures(manifest.name, int(documents), manifest.wall_seconds, work, *rates, share))
    return found


def measure(archives: str, recipe: str, cpus: int) -> dict[str, object]:
    path = Path(recipe) if recipe.endswith(".yaml") else Path("pipelines/curate") / f"{recipe}.yaml"
    parsed = parse(path.read_text(), str(path), (archives,))
    with tempfile.TemporaryDirectory() as folder, Session(cpus=cpus) as session:
        began = time.perf_counter()
        session.start()
        run(Nothing(), [Unit(number, None) for number in range(cpus * 2)], Listener(_ignore, _ignore, _ignore))
        startup = time.perf_counter() - began
        began = time.perf_counter()
        curate(parsed, folder, session)
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


def _ignore(_: object) -> None: ...


def show(found: dict[str, object]) -> None:
    table = Table(title=f"per core-second of work, {found['cpus']} cores")
    table.add_column("stage")
    for name in ("documents", "wall s", "work s", "documents/s", "MB/s", "tokens/s", "overhead"):
        table.add_column(name, justify="right")
    stages: list[dict[str, float]] = found["stages"]  # type: ignore[assignment]
    for stage in stages:
        rates = [f"{stage[f'{name}_per_second']:,.1f}" for name in ("documents", "megabytes", "tokens")]
        cells = [f"{stage['documents']:,}", f"{stage['wall_seconds']:.1f}", f"{stage['work_seconds']:.1f}"]
        table.add_row(str(stage["name"]), *cells, *rates, f"{stage['overhead_share']:.0%}")
    console = Console(width=110)
    console.print(table)
    console.print(
        f"start-up {found['startup_seconds']:.1f} s; then {found['wall_seconds']:.1f} s for "
        f"{found['work_seconds']:.1f} s of work: {found['overhead_share']:.0%} of the cores' time is Ray's overhead",
        soft_wrap=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.pipeline", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("archives")
    parser.add_argument("--recipe", default="demo")
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    found = measure(arguments.archives, arguments.recipe, arguments.cpus)
    show(found)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
