"""Hours, cost, energy and carbon by hand; what is not known is None, and what cannot be is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from training.config.parse import parse
from training.config.run import TrainConfig
from training.plan.budget import PriceTerms, budget, measured_mfu, ready

MODEL = {"layers": 2, "width": 32, "heads": 4, "hidden": 64, "vocabulary": 64, "tied_embeddings": False}
STEPS = {"steps": 10, "schedule": {"cosine": {"warmup_steps": 2}}}
HIDDEN = 2 * (4 * 32 * 32 + 3 * 32 * 64)


def config(**changes: Any) -> TrainConfig:
    return parse({"model": {"decoder": MODEL}, "batch_rows": 8, "sequence_length": 16, **STEPS, **changes})


def test_by_hand() -> None:
    terms = PriceTerms(
        price=2.0, purchase=876.0, electricity=0.5, engineer_hours=3, engineer_price=100, lifetime=1, busy=1.0
    )
    found = budget(config(), 2, "h100", terms, mfu=0.5)
    tokens = 10 * 8 * 16
    assert found.parameters == HIDDEN + 2 * 64 * 32 + 5 * 32
    assert found.active_parameters == HIDDEN + 64 * 32
    assert (found.tokens, found.labels) == (tokens, tokens)
    assert found.flops == 6 * found.active_parameters * tokens + 12 * 2 * 32 * 16 * tokens
    assert found.gpu_hours == pytest.approx(found.flops / (0.5 * 989e12) / 3600)
    assert found.hours is not None
    assert found.kwh is not None
    assert found.hours == pytest.approx(2 * found.least_hours)
    assert found.rented == pytest.approx(2 * found.gpu_hours)
    assert found.kwh == pytest.approx(found.gpu_hours * 0.7 * 1.56)
    assert found.owned == pytest.approx(0.1 * found.gpu_hours + 0.5 * found.kwh)
    assert found.engineering == 300
    assert found.carbon == pytest.approx(0.481 * found.kwh)
    assert found.embodied is None


def test_nothing_is_made_up() -> None:
    found = budget(config(), 1, "a10", PriceTerms(price=2.0))
    assert (found.hours, found.gpu_hours, found.rented, found.kwh, found.carbon) == (None,) * 5
    assert found.least_hours > 0


def test_shorter_rows_and_fewer_rows_at_first() -> None:
    plain = budget(config(), 1, "a100", PriceTerms())
    stages = {"length_stages": [{"steps": 4, "parts": 4}], "batch_stages": [{"steps": 5, "rows": 4}]}
    found = budget(config(**stages), 1, "a100", PriceTerms())
    assert found.tokens == (5 * 4 + 5 * 8) * 16
    scores = 12 * 2 * 32
    whole = 5 * 8 + 1 * 4  # rows of updates 5 to 9 and of update 4; those before are read in quarters
    assert found.flops == 6 * plain.active_parameters * found.tokens + scores * 16 * (whole * 16 + 16 * 4)


def test_embodied() -> None:
    found = budget(config(), 1, "h100", PriceTerms(with_embodied=True, lifetime=1, busy=1.0), mfu=1.0)
    assert found.embodied == pytest.approx(164 * found.least_hours / 8760)
    with pytest.raises(ValueError, match="no source says what making a device l40s emits"):
        budget(config(), 1, "l40s", PriceTerms(with_embodied=True))


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"price": -1}, "price is -1; give a number above 0"),
        ({"busy": 2}, "busy is 2; give a share"),
        ({"pue": 0.5}, "pue is 0.5; give 1 or more"),
        ({"engineer_hours": 5}, "one is missing"),
        ({"purchase": 5}, "give --electricity"),
    ],
)
def test_terms_that_cannot_be(terms: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PriceTerms(**terms)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="the MFU is 40; give a share"):
        budget(config(), 1, "h100", PriceTerms(), mfu=40)
    with pytest.raises(ValueError, match="no carbon intensity of the grid 'mars'"):
        budget(config(), 1, "h100", PriceTerms(grid="mars"))
    with pytest.raises(
        ValueError, match="no layout of 5 devices h100 trains this: rows of 16 tokens cannot be cut into 5"
    ):
        budget(config(), 5, "h100", PriceTerms())
    with pytest.raises(ValueError, match=r"give --data RUN, or write model.decoder.vocabulary=32768 sequence_length="):
        ready(parse({}), None)
    assert ready(config(), None) == config()


def test_measured_mfu(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is no training"):
        measured_mfu(str(tmp_path))
    records = [{"kind": "step", "step": step, "mfu": share} for step, share in enumerate((0.1, 0.4, 0.5), 1)]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    assert measured_mfu(str(tmp_path)) == 0.4
    (tmp_path / "metrics.jsonl").write_text(json.dumps({"kind": "step", "step": 1, "mfu": None}) + "\n")
    with pytest.raises(ValueError, match="has no MFU"):
        measured_mfu(str(tmp_path))
