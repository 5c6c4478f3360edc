"""Runs winnow's MinHash stage over seeded texts, and measures what it cost and whether it was right."""

import shutil
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
import yaml

from benchmarks.dedup.texts import Mix, Plan, Written, plan, write
from benchmarks.pipeline.process_tree import ProcessTree
from curation.core.manifest import read_manifest
from curation.core.progress import Progress
from curation.engine.driver.runner import curate
from curation.engine.executor.executor import Executor
from curation.engine.recipe.recipe import parse

STAGE = "dedup"


@dataclass(frozen=True)
class Corpus:
    """Documents on disk, and which of them are copies."""

    mix: Mix
    planned: Plan
    folder: Path
    written: Written

    @property
    def texts(self) -> Path:
        return self.folder / "texts"


def make_corpus(mix: Mix, folder: Path, per_file: int) -> Corpus:
    planned = plan(mix)
    return Corpus(mix, planned, folder, write(mix, planned, folder / "texts", per_file))


def run_stage(corpus: Corpus, executor: Executor, tree: ProcessTree, verify: str = "signature") -> dict[str, Any]:
    """Figures of one dedup stage. The stage before it is sealed before the clock starts; its files are deleted."""
    output = corpus.folder / "run"
    stages: list[dict[str, Any]] = [{"read": {"parquet": {"paths": [str(corpus.texts)], "id": "id"}}}]
    curate(_recipe(stages), str(output), executor)
    steps = Steps(output, tree)
    tree.peak_bytes()
    curate(_recipe([*stages, {"dedup": {"minhash": {"verify": verify}}}]), str(output), executor, steps)
    steps.begin("")
    peak = tree.peak_bytes()
    (folder,) = output.glob(f"*-{STAGE}-????????")
    manifest = read_manifest(str(folder))
    assert manifest is not None, "the run has ended"
    reasons = [pq.read_table(folder / part.file, columns=["drop_reason"])["drop_reason"] for part in manifest.parts]
    left = bytes_by_kind(folder)
    written = {**steps.passing, **left}
    figures = {
        "documents": corpus.mix.documents,
        "megabytes": corpus.written.text_bytes / 1e6,
        "shards": len(manifest.parts),
        "wall_seconds": manifest.wall_seconds,
        "cpu_seconds": sum(step["cpu_seconds"] for step in steps.figures.values()),
        "peak_memory_bytes": peak,
        "steps": steps.figures,
        "bytes_by_kind": written,
        "bytes_written": sum(written.values()),
        "bytes_left": sum(left.values()),
        **rightness(corpus.planned, np.concatenate([np.asarray(column.is_valid()) for column in reasons])),
    }
    shutil.rmtree(output)
    return figures


def _recipe(stages: list[dict[str, Any]]) -> Any:
    recipe = {"version": 1, "shards": {"group_mb": 0}, "sources": {"texts": stages}}
    return parse(yaml.safe_dump(recipe, sort_keys=False), STAGE)


class Steps:
    """Follows a stage's progress: wall and CPU seconds of each step, and what is written."""

    def __init__(self, output: Path, tree: ProcessTree) -> None:
        self._output = output
        self._tree = tree
        self._name = ""
        self._began = (0.0, 0.0)
        self.figures: dict[str, dict[str, float]] = {}
        self.passing: dict[str, int] = {}  # bytes by kind of file, as the last step begins

    def __call__(self, progress: Progress) -> None:
        if progress.stage == STAGE and progress.step not in (self._name, "note"):
            self.begin("" if progress.step == "done" else progress.step)

    def begin(self, name: str) -> None:
        """The step before has ended; an empty name is that of none."""
        now = (time.perf_counter(), self._tree.cpu_seconds())
        if self._name:
            wall, cpu = (end - start for start, end in zip(self._began, now, strict=True))
            self.figures[self._name] = {"wall_seconds": wall, "cpu_seconds": cpu}
        if name == "attach":
            (folder,) = self._output.glob(f"*-{STAGE}-????????")
            self.passing = bytes_by_kind(folder)
        self._name = name
        self._began = now


def bytes_by_kind(folder: Path) -> dict[str, int]:
    """Bytes of a stage's files by their name without a number: `_keys/minhash` holds all shards' signatures."""
    total: Counter[str] = Counter()
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            stem = file.stem.rpartition("-")[0] or file.stem
            total[str(file.relative_to(folder).with_name(stem))] += file.stat().st_size
    return dict(total)


def rightness(planned: Plan, dropped: npt.NDArray[np.bool_]) -> dict[str, float]:
    """How well families were deduplicated. One document of each should be left; all others are known copies.

    `recall`: share of the known copies that were dropped. A copy is missed if another of its family is left as well.
    `precision`: share of the dropped documents that are copies. If a family has none left, one of them was not a copy.
    """
    members = np.bincount(planned.family)
    left = np.bincount(planned.family[~dropped], minlength=len(members))
    copies = int(len(dropped) - np.count_nonzero(members))
    missed = int(np.maximum(left - 1, 0).sum())
    lost = int(np.count_nonzero((members > 0) & (left == 0)))
    removed = int(dropped.sum())
    return {
        "known_copies": copies,
        "removed": removed,
        "missed_copies": missed,
        "lost_families": lost,
        "recall": 1 - missed / copies if copies else 1.0,
        "precision": 1 - lost / removed if removed else 1.0,
    }
