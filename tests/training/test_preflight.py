"""What is refused with the model at hand: one larger than the memory, and formats that a device has not."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curation.tokens.shards import TokenData
from tests.training.runs import counting_run
from training import preflight
from training.checkpoint.manifest import MANIFEST, folder_of
from training.config.layout import layout_of
from training.config.parse import parse
from training.config.run import TrainConfig
from training.models.decoder import Decoder
from training.parallel.mesh import worker_group
from training.preflight import beyond_memory, check_initial, check_layout, check_memory, tell_costs


def test_a_model_larger_than_the_memory_is_refused_with_the_estimate() -> None:
    config = parse({"model": {"decoder": {"layers": 80, "width": 65536, "heads": 64, "vocabulary": 128_000}}})
    with pytest.raises(ValueError, match=r"has [0-9,]{15,} parameters, which take at least 20 bytes each .* GiB; take"):
        check_memory(config, 2)
    check_memory(replace(config, model=Decoder(vocabulary=100)), 2)


def test_workers_on_several_machines_share_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    config = parse({"model": {"decoder": {"preset": "70b", "vocabulary": 100}}})
    monkeypatch.setattr(preflight, "_memory", lambda: 512 << 30)
    with pytest.raises(ValueError, match="GiB here for shard 128"):
        check_memory(config, 128)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "8")
    check_memory(config, 128)


def test_initial_weights_are_not_asked_for_once_there_is_a_checkpoint(tmp_path: Path) -> None:
    config = parse({"model": {"decoder": {"vocabulary": 100}}, "init": str(tmp_path / "gone")})
    data = TokenData.open(str(counting_run(tmp_path / "run")))
    with pytest.raises(ValueError, match="gone is neither a training nor"):
        check_initial(config, str(tmp_path), data)
    folder = Path(folder_of(str(tmp_path), 3))
    folder.mkdir(parents=True)
    (folder / MANIFEST).touch()
    check_initial(config, str(tmp_path), data)


def test_a_format_that_the_device_has_not() -> None:
    config = parse({"precision": "fp16", "model": {"decoder": {"vocabulary": 100}}})
    with pytest.raises(ValueError, match="precision is fp16, which needs a GPU"):
        check_memory(config, 1)


def test_memory_that_runs_out_gets_the_arithmetic_and_what_to_try() -> None:
    config = parse({"model": {"decoder": {"vocabulary": 100}}, "sequence_length": 16, "batch_rows": 8})
    with worker_group() as worker:
        line = beyond_memory(config, worker, "CUDA out of memory. Tried to allocate 2.00 GiB.\nmore")
    assert line.startswith("memory ran out (CUDA out of memory. Tried to allocate 2.00 GiB.); weights, gradients and")
    assert "MiB in each of 1 processes; try micro_batch_rows below 8, then recompute: selective or full, then" in line


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"parallel": {"tensor": 2}, "model": {"decoder": {"kv_heads": 1}}}, "has 1 heads, which parallel.tensor 2"),
        ({"parallel": {"pipeline": 2}}, "write tied_embeddings: false"),
        (
            {"parallel": {"context": 2}, "objective": {"masked": {}}, "model": {"encoder": {}}},
            "take a causal objective",
        ),
    ],
)
def test_a_layout_that_the_model_does_not_fit(settings: dict[str, Any], message: str) -> None:
    config = resolved(settings)
    with pytest.raises(ValueError, match=message):
        check_layout(config, 2)


def resolved(settings: dict[str, Any]) -> TrainConfig:
    """With what the token data would give."""
    config = parse({"sequence_length": 16, **settings})
    return replace(config, model=replace(config.model, vocabulary=128))


def test_what_a_layout_costs_is_told_once_where_there_are_several_processes(caplog: pytest.LogCaptureFixture) -> None:
    config = resolved({"parallel": {"tensor": 2}})
    with caplog.at_level("INFO"):
        tell_costs(config, check_layout(config, 1 * 2), layout_of(config.parallel, 2))
        tell_costs(config, [], layout_of(resolved({}).parallel, 1))
    first, sent, states, memory = caplog.messages
    assert first == "2 workers: tensor 2"
    assert sent.startswith("parallel.tensor 2: a process sends ")
    assert states.endswith("MiB in each of 2 processes")
    assert re.match(r"a process will take about [1-9][\d.,]* [KM]iB \(weights [1-9]", memory)
