"""Runs winnow's MinHash stage over seeded texts, and measures what it cost and whether it was right."""

import shutil
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
    tree.peak_bytes()
    cpu = tree.cpu_seconds()
    curate(_recipe([*stages, {"dedup": {"minhash": {"verify": verify}}}]), str(output), executor)
    cpu = tree.cpu_seconds() - cpu
    peak = tree.peak_bytes()
    (folder,) = output.glob(f"*-{STAGE}-????????")
    manifest = read_manifest(str(folder))
    assert manifest is not None, "the run has ended"
    reasons = [pq.read_table(folder / part.file, columns=["drop_reason"])["drop_reason"] for part in manifest.parts]
    figures = {
        "documents": corpus.mix.documents,
        "megabytes": corpus.written.text_bytes / 1e6,
        "shards": len(manifest.parts),
        "wall_seconds": manifest.wall_seconds,
        "cpu_seconds": cpu,
        "peak_memory_bytes": peak,
        "bytes_written": sum(step.file_bytes for step in manifest.steps),
        "bytes_left": sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
        **rightness(corpus.planned, np.concatenate([np.asarray(column.is_valid()) for column in reasons])),
        "steps": {
            step.name: {"wall s": step.wall_seconds, "work s": step.seconds, "bytes": step.file_bytes}
            for step in manifest.steps
        },
    }
    shutil.rmtree(output)
    return figures


def _recipe(stages: list[dict[str, Any]]) -> Any:
    recipe = {"version": 1, "shards": {"group_mb": 0}, "sources": {"texts": stages}}
    return parse(yaml.safe_dump(recipe, sort_keys=False), STAGE)


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
