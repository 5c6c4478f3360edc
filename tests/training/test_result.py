"""What result.json holds of a training is what its validation and its model are."""

import json
from pathlib import Path

from tests.training.runs import TINY, counting_run, read_metrics
from training.config.parse import parse
from training.start import train


def test_figures_of_a_training(tmp_path: Path) -> None:
    result = train(parse(TINY), str(counting_run(tmp_path / "run")), str(tmp_path / "model"))
    assert json.loads((tmp_path / "model" / "result.json").read_text()) == result
    last = [one for one in read_metrics(tmp_path / "model" / "metrics.jsonl") if one["kind"] == "validation"][-1]
    assert (result["validation_loss"], result["bits_per_byte"]) == (last["loss"], last["bits_per_byte"])
    assert (result["steps"], result["tokens"], result["world_size"]) == (8, 8 * 4 * 16, 1)
