"""Bases of optimizers: rules for one weight, and those with Adam's running means.

Source: Kingma and Ba 2015, "Adam" (arXiv:1412.6980), for the means and their correction.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeAlias

from training.config.components import Optimizer
from training.config.ranges import check_fraction, check_least
from training.optim.width import WidthRule

if TYPE_CHECKING:  # slow to import
    from collections.abc import Iterator, Sequence

    import torch
    from torch import Tensor

    from training.optim.updates import Closure, Updates, WeightPart
    from training.trainable import Trainable

Change: TypeAlias = "tuple[Tensor, dict[str, Tensor]]"  # the new weight, and what has changed of what is kept


@dataclass(frozen=True, kw_only=True)
class UpdateRule(Optimizer):
    """An optimizer of our own: what happens to one weight. Weight decay acts on matrices only."""

    weight_decay: Annotated[float, "of a matrix in an update, times the learning rate"] = 0.1

    width_rule: ClassVar[WidthRule]  # how rate and decay follow the width of the model
    means: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_avg_sq")  # kept of a weight, each of its shape; torch's names

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least(self, 0, "weight_decay")

    def build(self, model: "Trainable") -> "torch.optim.Optimizer":
        """As in Optimizer."""
        from training.optim.groups import groups
        from training.optim.updates import Updates

        own = groups(model, self.weight_decay, self.width_rule)
        return Updates(own, self.learning_rate, begin=self.begin, changes=self.changes, look=self.look)

    def begin(self, weight: "Tensor", *, hidden: bool) -> "dict[str, Tensor]":
        """What is kept of a weight before its first update, spread over processes as it is."""
        import torch

        del hidden
        return {name: torch.zeros_like(weight) for name in self.means}

    def update(self, part: "WeightPart") -> Change:
        """One update; pure."""
        raise NotImplementedError

    def changes(self, parts: "Sequence[WeightPart]") -> "Iterator[Change]":
        """Those of all weights of a step, in their order; every process computes the same weights."""
        return map(self.update, parts)

    def look(self, optimizer: "Updates", closure: "Closure") -> None:
        """Before the updates of a step, if the optimizer is `again`: computes what else they need."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Moments(UpdateRule):
    """With a mean gradient and a mean squared one."""

    beta1: Annotated[float, "share of the mean gradient that an update keeps"] = 0.9
    beta2: Annotated[float, "share of the mean squared gradient that an update keeps"] = 0.95

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fraction(self, "beta1", "beta2")

    def adam(self, part: "WeightPart", epsilon: float = 1e-8) -> Change:
        """Adam's direction, without the rate, in place of a weight; and the new means. Epsilon shrinks as gradients do
        where the model is wider."""
        step = part.kept["step"].double()  # 1 - beta2 would lose digits
        mean = part.kept["exp_avg"].lerp(part.gradient, 1 - self.beta1)
        square = (part.kept["exp_avg_sq"] * self.beta2).addcmul_(part.gradient, part.gradient, value=1 - self.beta2)
        root = (square / (1 - self.beta2**step)).sqrt_().add_(epsilon / part.width)
        return (mean / (1 - self.beta1**step)).div_(root), {"exp_avg": mean, "exp_avg_sq": square}
