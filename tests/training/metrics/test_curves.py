"""Curves of a run: from hand-made records on a disk and in a store, while it is written, and what has none."""

import json
from pathlib import Path
from uuid import uuid4

import pytest

from curation.core import storage
from curation.core.errors import InputError
from training.metrics.curves import CURVES, BranchPoint, Curve, read_curves

RATES = {"learning_rate": 0.5, "gradient_norm": 2, "tokens_per_second": 100.0, "norms": {}}
RECORDS = [
    {"kind": "start", "step": 0},
    {"kind": "step", "step": 10, "loss": 5.0, **RATES},
    {"kind": "validation", "step": 10, "loss": 5.5},
    {"kind": "checkpoint", "step": 10, "seconds": 1.0},
    {"kind": "resume", "step": 10},
    {"kind": "step", "step": 20, "loss": 4.0, **RATES},
]


def content(records: list[dict[str, object]]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


@pytest.mark.parametrize("place", ["disk", "store"])
def test_curves_of_a_run(tmp_path: Path, place: str) -> None:
    run = str(tmp_path) if place == "disk" else f"memory://{uuid4().hex}/model"
    storage.write_bytes(storage.join(run, "metrics.jsonl"), content(RECORDS) + b'{"kind": "step", "st')
    training = read_curves(run)
    assert (training.run, training.updates, training.resumed) == (run, 20, (10,))
    assert training.curves == {
        "loss": Curve((10, 20), (5.0, 4.0)),
        "validation_loss": Curve((10,), (5.5,)),
        "learning_rate": Curve((10, 20), (0.5, 0.5)),
        "gradient_norm": Curve((10, 20), (2.0, 2.0)),
        "tokens_per_second": Curve((10, 20), (100.0, 100.0)),
    }
    assert training.curves.keys() == CURVES.keys()


def test_the_descent_at_the_beginning_does_not_count_for_the_highest_value() -> None:
    values = (11.0, 10.0, *[3.0] * 17, 4.0)
    assert Curve(tuple(range(1, 21)), values).highest() == 10.0
    assert Curve((1, 2), (11.0, 3.0)).highest() == 11.0


def test_a_folder_without_figures(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is no training: it has no metrics\.jsonl; give the --output of a"):
        read_curves(str(tmp_path))
    (tmp_path / "metrics.jsonl").write_bytes(content(RECORDS[:1]))
    with pytest.raises(InputError, match=r"metrics\.jsonl has no record of an update yet"):
        read_curves(str(tmp_path))


def branched(tmp_path: Path) -> tuple[str, str, str]:
    """A run of records after 10 and 20 updates, a branch after 10 of them, and a branch of that after 20."""
    folders = [str(tmp_path / name) for name in ("first", "second", "third")]
    steps = [{"kind": "step", "step": step, "loss": float(step), **RATES} for step in (10, 20, 30)]
    own = (RECORDS, steps[1:2], steps[2:])
    for folder, begun, parent, records in zip(folders, (0, 10, 20), ("", *folders), own, strict=False):
        start = [{"kind": "branch", "step": begun, "run": parent}] if parent else []
        Path(folder).mkdir()
        storage.write_bytes(storage.join(folder, "metrics.jsonl"), content([*start, *records]))
    return folders[0], folders[1], folders[2]


def test_a_branch_begins_with_the_records_of_its_parents(tmp_path: Path) -> None:
    first, second, third = branched(tmp_path)
    training = read_curves(third)
    assert training.curves["loss"] == Curve((10, 20, 30), (5.0, 20.0, 30.0))
    assert training.branched == (BranchPoint(10, first, drawn=True), BranchPoint(20, second, drawn=True))
    (tmp_path / "first" / "metrics.jsonl").unlink()
    training = read_curves(third)
    assert training.curves["loss"] == Curve((20, 30), (20.0, 30.0))
    assert training.branched == (BranchPoint(10, first, drawn=False), BranchPoint(20, second, drawn=True))


def test_runs_that_name_each_other_as_parents_end(tmp_path: Path) -> None:
    _, second, third = branched(tmp_path)
    storage.write_bytes(f"{second}/metrics.jsonl", content([{"kind": "branch", "step": 20, "run": third}]))
    assert [point.step for point in read_curves(third).branched] == [20]
