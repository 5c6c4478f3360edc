"""The figures that a training hands to Ray. What Ray makes of them is seen in tests/cluster/test_metrics.py."""

from typing import Any

import pytest

from training.job import ray_metrics
from training.job.ray_metrics import exported

STEP = {"kind": "step", "loss": 3.0, "gradient_norm": 0.5, "tokens_per_second": 400.0, "mfu": None}
TAGS = {"run": "runs/model"}


@pytest.fixture
def values(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Metrics by name. In place of Ray, which nobody has started."""
    seen: dict[str, float] = {}

    class Metric:
        def __init__(self, name: str, description: str, tag_keys: tuple[str, ...]) -> None:
            assert description
            assert tag_keys == ("run",)
            self.name = name.removeprefix("winnow_train_")

        def inc(self, value: float, tags: dict[str, str]) -> None:
            assert tags == TAGS
            seen[self.name] = seen.get(self.name, 0) + value

        def set(self, value: float, tags: dict[str, str]) -> None:
            assert tags == TAGS
            seen[self.name] = value

    monkeypatch.setattr(ray_metrics, "Counter", Metric)
    monkeypatch.setattr(ray_metrics, "Gauge", Metric)
    return seen


def step(number: int, **changes: Any) -> dict[str, Any]:
    return {**STEP, "step": number, "tokens": 200 * number, **changes}


def test_the_last_records_are_what_is_seen(values: dict[str, float]) -> None:
    with exported("runs/model") as record:
        record(step(10))
        record({"kind": "validation", "step": 15, "loss": 2.5})
        record({"kind": "checkpoint", "step": 20, "seconds": 7.0})
        record(step(20, loss=2.0, mfu=0.4))
    assert values["progress_timestamp_seconds"] >= values["checkpoint_timestamp_seconds"] > 1.7e9
    rest = {name: value for name, value in values.items() if "timestamp" not in name}
    assert rest == {
        "tokens_total": 4000,
        "step": 20,
        "loss": 2.0,
        "validation_loss": 2.5,
        "gradient_norm": 0.5,
        "mfu_ratio": 0.4,
        "step_seconds": 0.5,
        "checkpoint_seconds": 7.0,
    }


def test_a_resumed_training_counts_the_tokens_since(values: dict[str, float]) -> None:
    with exported("runs/model") as record:
        record({"kind": "resume", "step": 30})
        record(step(40))
    assert values["tokens_total"] == 2000
    assert "mfu_ratio" not in values


def test_a_training_shows_its_age_before_its_first_record(values: dict[str, float]) -> None:
    with exported("runs/model"):
        pass
    assert values.keys() == {"checkpoint_timestamp_seconds", "progress_timestamp_seconds"}


def test_an_end_that_is_not_finite_is_counted(values: dict[str, float]) -> None:
    with pytest.raises(FloatingPointError), exported("runs/model"):
        raise FloatingPointError
    assert values["not_finite_total"] == 1
