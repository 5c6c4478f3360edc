"""A whole curation run, stage by stage: documents, MB and tokens per second and core, and Ray's share of the time.

Ray and its workers are started, and an empty execution is run, before the clock starts. A stage's work is the seconds
of its units, from its manifest; the remainder of wall time times cores is Ray's overhead, waiting included.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator

from benchmarks.case import Figures
from curation.account.run import Run
from curation.core.commits import Commit
from curation.engine.executor.executor import Listener
from curation.engine.executor.on_ray import OnRay
from curation.engine.executor.work import Cheap, Unit
from pipelines.api import curate


class Nothing(Cheap):
    """A step without work, to start the workers."""

    def run(self, unit: Unit) -> Commit:
        return Commit(unit.number, ())


def figures(run_folder: str, cpus: int) -> dict[str, dict[str, float]]:
    """Stage -> its figures; rates are per core-second of work."""
    stages = {}
    amounts: dict[str, float] = {}
    for stage in Run.open(run_folder).stages:
        manifest = stage.manifest
        if manifest.parts:
            totals = {"documents": "rows", "MB": "text_bytes", "tokens": "tokens"}
            amounts = {name: manifest.total(kind) for name, kind in totals.items()}
            amounts["MB"] /= 1e6
        work = sum(step.seconds for step in manifest.steps) or manifest.wall_seconds  # a mix has no steps
        busy = cpus if manifest.commits else 1
        share = max(0.0, 1 - work / (manifest.wall_seconds * busy)) if manifest.wall_seconds else 0.0
        stages[manifest.name] = {
            "documents": int(amounts.get("documents", 0)),
            "wall s": manifest.wall_seconds,
            "work s": work,
            **{f"{name}/s": amount / work if work else 0.0 for name, amount in amounts.items()},
            "overhead, %": 100 * share,
        }
    return stages


def run(options: argparse.Namespace) -> Iterator[Figures]:
    cpus = options.cpus
    executor = OnRay(cpus=cpus)
    with tempfile.TemporaryDirectory() as folder, executor:
        began = time.perf_counter()
        executor.start()
        executor.run(Nothing(), [Unit(number, None) for number in range(cpus * 2)], Listener(lambda commit: None))
        startup = time.perf_counter() - began
        began = time.perf_counter()
        curate(options.recipe, folder, inputs=(options.archives,), executor=executor)
        wall = time.perf_counter() - began
        stages = figures(folder, cpus)
    work = sum(stage["work s"] for stage in stages.values())
    overhead = max(0.0, 1 - work / (wall * cpus))
    note = (
        f"start-up {startup:.1f} s; then {wall:.1f} s for {work:.1f} s of work: {overhead:.0%} of the cores' time is "
        "Ray's overhead"
    )
    yield Figures(f"per core-second of work, {cpus} cores", stages, (note,))


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("archives")
    parser.add_argument("--recipe", default="demo")
    parser.add_argument("--cpus", type=int, default=2)
