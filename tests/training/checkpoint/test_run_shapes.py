"""The files of a training as their readers take them: keys of later winnows stay, wrong values are named."""

from typing import Any

import pytest

from curation.core.shape_error import ShapeError
from curation.core.shapes import checked
from training.checkpoint.run_shapes import AnswersFile, ResultFile, RunFile

RUN: dict[str, Any] = {"config": {}, "versions": {}, "data": "00", "path": "/a", "begun": "2026-11-21T10:00:00+00:00"}
RESULT: dict[str, Any] = {
    "steps": 8,
    "tokens": 512,
    "parameters": 9,
    "validation_loss": float("nan"),
    "unigram_entropy": 4.0,
    "world_size": 1,
    "data": "/a",
    "data_fingerprint": "00",
}


def test_whole_files() -> None:
    assert checked({**RUN, "later": 1}, RunFile) == {**RUN, "later": 1}
    assert checked(RESULT, ResultFile)["steps"] == 8
    task = {"n": 5, "shots": 0, "metrics": {"acc": {"value": 0.5, "stderr": None}}}
    assert checked({"step": 8, "tasks": {"arc": task}}, AnswersFile)["tasks"] == {"arc": task}


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (RunFile, {**RUN, "begun": "yesterday"}, "begun: expected a time such as"),
        (
            RunFile,
            {**RUN, "averaged": {"run": "/b", "steps": [-1]}},
            r"averaged.steps\[0\]: expected a whole",
        ),
        (ResultFile, {**RESULT, "steps": "8"}, "steps: expected a whole number of 0 or more, got '8'"),
        (ResultFile, {**RESULT, "energy": {}}, "energy.duration: expected a value, got nothing"),
        (AnswersFile, {"step": 8, "tasks": {"arc": {}}}, "tasks.arc.metrics: expected a value, got nothing"),
    ],
)
def test_wrong_values(kind: Any, value: dict[str, Any], message: str) -> None:
    with pytest.raises(ShapeError, match=f"^{message}"):
        checked(value, kind)
