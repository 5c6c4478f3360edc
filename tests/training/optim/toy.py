"""A model with weights of every part, whose gradients are a function of the weight that they are of."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from training.roles import Purpose, Role
from training.trainable import Trainable

SHAPES = {  # 2 divides no side that is sharded
    "embedding": ((7, 4), Purpose.EMBEDDING),
    "up": ((5, 4), Purpose.HIDDEN),
    "bias": ((5,), Purpose.BIAS),
    "down": ((3, 5), Purpose.HIDDEN),
    "norm": ((3,), Purpose.NORM),
    "head": ((7, 3), Purpose.OUTPUT),
}


class Toy(Trainable):
    """Weights of -0.5 to 0.5."""

    def __init__(self) -> None:
        super().__init__()
        for number, (name, (shape, _)) in enumerate(SHAPES.items()):
            drawn = torch.rand(shape, generator=torch.Generator().manual_seed(number))
            self.register_parameter(name, nn.Parameter(drawn - 0.5))

    def roles(self) -> dict[str, Role]:
        return {name: Role(part) for name, (_, part) in SHAPES.items()}


def wave(weight: Tensor) -> Tensor:
    """Each element's depends on all others, so the curvature is no diagonal."""
    return (5 * weight + 1).sin() + weight.sum() / 4


def differentiate(model: nn.Module, slope: Callable[[Tensor], Tensor] = wave) -> None:
    """Gives every weight its gradient."""
    for parameter in model.parameters():
        parameter.grad = slope(parameter.detach())


def train(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    steps: int,
    slope: Callable[[Tensor], Tensor] = wave,
    *,
    again: bool = False,
) -> None:
    for _ in range(steps):
        differentiate(model, slope)
        if again:
            optimizer.step(lambda: differentiate(model, slope))  # type: ignore[arg-type,return-value]
        else:
            optimizer.step()
        optimizer.zero_grad()


def same(one: nn.Module, other: nn.Module, tolerance: float = 1e-6) -> None:
    """Fails unless all weights are."""
    for (name, weight), expected in zip(one.named_parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(
            weight, expected, atol=tolerance, rtol=0, msg=lambda text, name=name: f"{name}: {text}"
        )


def by_decay(model: Toy, weight_decay: float) -> list[dict[str, object]]:
    """Groups of matrices and of the other weights, for the optimizers of others."""
    matrices = [weight for weight in model.parameters() if weight.dim() > 1]
    vectors = [weight for weight in model.parameters() if weight.dim() == 1]
    return [{"params": matrices, "weight_decay": weight_decay}, {"params": vectors, "weight_decay": 0.0}]
