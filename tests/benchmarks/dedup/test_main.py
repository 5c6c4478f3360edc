"""The benchmark's figures: right counts of what a deduplication did, and a small run of the whole."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import main
from benchmarks.dedup.minhash import CPU, WALL, exponent, without
from benchmarks.dedup.stage import make_corpus, rightness, run_stage
from benchmarks.dedup.texts import Mix, Plan
from benchmarks.pipeline.process_tree import ProcessTree
from curation.engine.executor.inline import Inline

SMALL = ["--documents", "600", "--scale", "300", "600", "--per-file", "200", "--warm", "100", "--peer-documents", "0"]


def families(*numbers: int) -> Plan:
    family = np.array(numbers)
    return Plan(np.zeros_like(family), family, family)


@pytest.mark.parametrize(
    ("dropped", "recall", "precision"),
    [
        pytest.param([0, 1, 1, 0, 0], 1.0, 1.0, id="all copies"),
        pytest.param([1, 1, 0, 0, 0], 1.0, 1.0, id="all copies, another one left"),
        pytest.param([0, 1, 0, 0, 0], 0.5, 1.0, id="one copy missed"),
        pytest.param([0, 1, 1, 1, 0], 1.0, 2 / 3, id="a document that is no copy"),
        pytest.param([0, 0, 0, 0, 0], 0.0, 1.0, id="nothing"),
    ],
)
def test_rightness(dropped: list[int], recall: float, precision: float) -> None:
    found = rightness(families(7, 7, 7, 1, 2), np.array(dropped, bool))
    assert found["known_copies"] == 2
    assert found["recall"] == pytest.approx(recall)
    assert found["precision"] == pytest.approx(precision)


def test_exponent() -> None:
    assert exponent([10, 20, 40], [3, 6, 12]) == pytest.approx(1)
    assert exponent([10, 20, 40], [1, 4, 16]) == pytest.approx(2)


@pytest.mark.parametrize(
    ("documents", "wall", "cpu", "expected"),
    [
        pytest.param(1100, 7.0, 9.0, (5, 8, 200, 125), id="start-up is taken off with its documents"),
        pytest.param(300, 2.0, 3.0, (2, 3, 150, 100), id="a run no longer than the start-up is taken whole"),
    ],
)
def test_start_up(documents: int, wall: float, cpu: float, expected: tuple[float, ...]) -> None:
    run = {"documents": documents, "wall_seconds": wall, "cpu_seconds": cpu}
    found = without(run, {"documents": 100, "wall_seconds": 2.0, "cpu_seconds": 1.0})
    assert tuple(found[name] for name in ("seconds", "cpu", WALL, CPU)) == expected


def test_a_tree_of_processes_has_memory_and_work() -> None:
    with ProcessTree() as tree:
        before = tree.cpu_seconds()
        sum(range(3_000_000))
        assert tree.cpu_seconds() > before
        assert tree.peak_bytes() > 10_000_000


def test_a_stage_finds_the_copies(tmp_path: Path) -> None:
    with ProcessTree() as tree:
        found = run_stage(make_corpus(Mix(documents=600), tmp_path / "corpus", 200), Inline(), tree)
    assert (found["shards"], found["known_copies"], found["lost_families"]) == (3, 180, 0)
    assert found["recall"] > 0.98
    assert list(found["steps"]) == ["keys", "collide", "fetch", "verify", "elect", "attach"]
    assert found["bytes_written"] > found["bytes_left"] > 0


@pytest.mark.soak
def test_a_small_run_ends_with_figures_of_each_size(tmp_path: Path) -> None:
    """In a process of its own: Ray warns of its own options, and here a warning is an error."""
    files = ["--work", str(tmp_path / "work"), "--json", str(tmp_path / "figures.json")]
    subprocess.run([sys.executable, "-m", "benchmarks", "dedup.minhash", *SMALL, *files], check=True)
    tables = json.loads((tmp_path / "figures.json").read_text())["tables"]
    stage = next(iter(tables.values()))
    assert [row["documents"] for row in stage.values()] == [300, 600]
    assert not list((tmp_path / "work").iterdir())


def test_no_fewer_documents_than_the_start_up_has() -> None:
    with pytest.raises(SystemExit, match="--warm"):
        main(["dedup.minhash", "--documents", "1000", "--warm", "1000", "--peer-documents", "0"])
