"""Lion: every weight moves by the learning rate, against the sign of a mean gradient.

Source: Chen et al. 2023, "Symbolic Discovery of Optimization Algorithms" (arXiv:2302.06675), which advises a rate 3 to
10 times below AdamW's and a weight decay as many times above it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from training.optim.rule import Change, Moments
from training.optim.width import ELEMENTWISE, WidthRule

if TYPE_CHECKING:  # slow to import
    from training.optim.updates import WeightPart


@dataclass(frozen=True, kw_only=True)
class Lion(Moments):
    """Lion, which keeps one mean only."""

    learning_rate: Annotated[float, "the peak"] = 3e-4
    beta1: Annotated[float, "share of the mean gradient in what the sign is taken of"] = 0.9
    beta2: Annotated[float, "share of the mean gradient that an update keeps"] = 0.99
    weight_decay: Annotated[float, "of a matrix in an update, times the learning rate"] = 1.0

    version: ClassVar[int] = 2
    width_rule: ClassVar[WidthRule] = ELEMENTWISE
    means: ClassVar[tuple[str, ...]] = ("exp_avg",)

    def update(self, part: "WeightPart") -> Change:
        """As in UpdateRule."""
        mean = part.kept["exp_avg"]
        sign = mean.lerp(part.gradient, 1 - self.beta1).sign_()
        return part.moved(sign), {"exp_avg": mean.lerp(part.gradient, 1 - self.beta2)}
