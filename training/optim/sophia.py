"""Sophia: the mean gradient over an estimate of the loss's curvature in each weight, cut to the learning rate.

Source: Liu et al. 2024, "Sophia" (arXiv:2305.14342), with Hutchinson's estimator (Sophia-H). The paper's other one
(Sophia-G) needs labels drawn from the model's own predictions, which no loss here gives. The product of the Hessian and
a random vector is the difference of the gradients on either side of the weights, since attention and sharding have no
second derivatives; at the default radius it is within 0.3 % of the exact product in float32, and 8 % in bfloat16 (four
layers of width 64, November 2026). Every tenth step computes gradients three times, and holds five more copies of them.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from training.config.ranges import check_least, check_positive
from training.optim.rule import Change, Moments
from training.optim.width import ELEMENTWISE, WidthRule

if TYPE_CHECKING:  # slow to import
    from torch import Tensor

    from training.optim.updates import Closure, Updates, WeightPart

_EPSILON = 1e-12  # least curvature that a mean gradient is divided by


@dataclass(frozen=True, kw_only=True)
class Sophia(Moments):
    """Sophia-H; each weight moves by the learning rate at most."""

    learning_rate: Annotated[float, "the peak"] = 6e-4
    beta1: Annotated[float, "share of the mean gradient that an update keeps"] = 0.96
    beta2: Annotated[float, "share of the curvature that an estimate keeps"] = 0.99
    weight_decay: Annotated[float, "of a matrix in an update, times the learning rate"] = 0.2
    gamma: Annotated[float, "the curvature is multiplied by it: less of it cuts more weights"] = 0.01
    every: Annotated[int, "updates from one estimate of the curvature to the next"] = 10
    radius: Annotated[float, "how far every weight is moved to either side for an estimate"] = 1e-3

    version: ClassVar[int] = 2
    width_rule: ClassVar[WidthRule] = ELEMENTWISE
    again: ClassVar[bool] = True
    means: ClassVar[tuple[str, ...]] = ("exp_avg", "hessian")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least(self, 1, "every")
        check_positive(self, "gamma", "radius")

    def begin(self, weight: "Tensor", *, hidden: bool) -> "dict[str, Tensor]":
        """With the number of steps so far, on the CPU, where it is read without waiting."""
        import torch

        return {**super().begin(weight, hidden=hidden), "calls": torch.zeros((), device="cpu")}

    def update(self, part: "WeightPart") -> Change:
        """As in UpdateRule."""
        mean = part.kept["exp_avg"].lerp(part.gradient, 1 - self.beta1)
        curvature = (self.gamma * part.kept["hessian"]).clamp(min=_EPSILON)
        return part.moved((mean / curvature).clamp(-1.0, 1.0)), {"exp_avg": mean}

    def look(self, optimizer: "Updates", closure: "Closure") -> None:
        """As in UpdateRule: every so often, the mean curvatures take in new ones, where these are finite."""
        import torch

        from training.optim.spread import local

        weights, states, _ = zip(*optimizer.weights(), strict=True)
        calls = int(states[0]["calls"])
        for state in states:
            state["calls"] += 1
        if calls % self.every:
            return
        here = [weight.grad for weight in weights]
        signs = [_signs(weight, (calls << 32) + number) for number, weight in enumerate(weights)]
        ahead = optimizer.gradients_at(torch._foreach_mul(signs, self.radius), closure)
        behind = optimizer.gradients_at(torch._foreach_mul(signs, -self.radius), closure)
        for weight, gradient in zip(weights, here, strict=True):
            weight.grad = gradient
        for state, sign, up, down in zip(states, signs, ahead, behind, strict=True):
            found = sign * (up - down) / (2 * self.radius)
            mean = local(state["hessian"])
            mean.copy_(torch.where(found.isfinite(), mean.lerp(found, 1 - self.beta2), mean))


def _signs(weight: "Tensor", seed: int) -> "Tensor":
    """This process's part of numbers that are 1 or -1, the same for any number of processes."""
    import torch

    from training.optim.spread import own_part

    generator = torch.Generator(weight.device).manual_seed(seed)
    drawn = torch.randint(2, weight.shape, generator=generator, device=weight.device, dtype=weight.dtype)
    return own_part(weight, drawn * 2 - 1)
