"""The benchmark's figures: right counts of what a deduplication did, and a small run of the whole."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import main
from benchmarks.dedup.minhash import exponent, ratios, without
from benchmarks.dedup.stage import bytes_by_kind, make_corpus, rightness, run_stage
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


def test_start_up_is_taken_off_with_its_documents() -> None:
    run = {"documents": 1100, "wall_seconds": 7.0, "cpu_seconds": 9.0}
    found = without(run, {"documents": 100, "wall_seconds": 2.0, "cpu_seconds": 1.0})
    assert (found["seconds"], found["cpu"]) == (5, 8)
    assert (found["documents_per_second"], found["documents_per_cpu_second"]) == (200, 125)


def test_a_run_no_longer_than_the_start_up_is_taken_whole() -> None:
    run = {"documents": 300, "wall_seconds": 2.0, "cpu_seconds": 3.0}
    found = without(run, {"documents": 100, "wall_seconds": 2.0, "cpu_seconds": 1.0})
    assert (found["seconds"], found["cpu"], found["documents_per_second"]) == (2, 3, 150)


def test_ratios() -> None:
    whole, same, peer = (
        {"documents_per_second": wall, "documents_per_cpu_second": cpu} for wall, cpu in ((30, 16), (20, 9), (10, 8))
    )
    assert ratios(whole, same, peer) == {"ratio": 3, "ratio_same": 2, "ratio_cpu": 2}


def test_bytes_by_kind(tmp_path: Path) -> None:
    (tmp_path / "_keys").mkdir()
    for name, size in (("_keys/keys-00000.arrow", 3), ("_keys/keys-00001.arrow", 4), ("part-00000.parquet", 5)):
        (tmp_path / name).write_bytes(b"x" * size)
    assert bytes_by_kind(tmp_path) == {"_keys/keys": 7, "part": 5}


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
    assert list(found["steps"]) == ["start", "keys", "collide", "fetch", "verify", "elect", "attach"]
    assert {"_keys/keys", "_keys/minhash", "_collided/candidates", "_elected/verdicts", "part"} <= set(
        found["bytes_by_kind"]
    )
    assert found["bytes_written"] > found["bytes_left"] > 0


def test_a_stage_that_compares_shingles(tmp_path: Path) -> None:
    with ProcessTree() as tree:
        found = run_stage(make_corpus(Mix(documents=300), tmp_path / "corpus", 200), Inline(), tree, "exact")
    assert (found["known_copies"], found["lost_families"], found["recall"]) == (90, 0, 1.0)


@pytest.mark.slow
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
