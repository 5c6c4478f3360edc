"""A model that is spread has the weights of its seed, however it is recomputed, compiled and sharded."""

import pytest
import torch
from torch.distributed.tensor import DTensor

from training.config.parse import parse
from training.parallel.apply import apply
from training.parallel.mesh import worker_group
from training.trainable import Trainable

SMALL = {"layers": 2, "width": 16, "heads": 2}


def applied(
    compute: torch.dtype | None = None, seed: int = 3, **settings: object
) -> tuple[Trainable, list[torch.Tensor]]:
    config = parse({"model": {"decoder": SMALL}, "seed": seed, **settings})
    with worker_group() as worker:
        with torch.device("meta"):
            model = config.model.build(20)
        apply(model, config, worker, compute)
        held = [weight.detach() for weight in model.parameters()]
        return model, [one.full_tensor() if isinstance(one, DTensor) else one for one in held]


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"recompute": "full"}, id="recomputed"),
        pytest.param({"compute": torch.bfloat16}, id="sharded"),
        pytest.param({"compute": torch.bfloat16, "parallel": {"zero": 1}}, id="stage 1"),
    ],
)
def test_weights_follow_from_the_seed(settings: dict[str, object]) -> None:
    _, plain = applied()
    _, found = applied(**settings)  # type: ignore[arg-type]
    assert all(torch.equal(one, other) for one, other in zip(plain, found, strict=True))
    assert not torch.equal(plain[0], applied(seed=4)[1][0])


def test_one_process_that_computes_in_float32_is_not_sharded() -> None:
    assert not any(isinstance(weight, DTensor) for weight in applied()[0].parameters())
    assert all(isinstance(weight, DTensor) for weight in applied(torch.bfloat16)[0].parameters())
