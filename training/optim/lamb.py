"""LAMB: Adam's direction, scaled in each matrix to the size of its weights, for large batches.

Source: You et al. 2020, "Large Batch Optimization for Deep Learning" (arXiv:1904.00962), algorithm 2. As where the
authors train BERT, scales of norms and biases take Adam's direction as it is.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from training.config.ranges import check_positive
from training.optim.rule import Change, Moments
from training.optim.width import RELATIVE, WidthRule

if TYPE_CHECKING:  # slow to import
    from training.optim.updates import WeightPart


@dataclass(frozen=True, kw_only=True)
class Lamb(Moments):
    """LAMB; a matrix moves by the learning rate, relative to its norm."""

    learning_rate: Annotated[float, "the peak"] = 2e-3
    beta2: Annotated[float, "share of the mean squared gradient that an update keeps"] = 0.999
    weight_decay: Annotated[float, "of a matrix, added to the direction before this is scaled"] = 0.01
    epsilon: Annotated[float, "added to the root of the mean squared gradient"] = 1e-6

    version: ClassVar[int] = 2
    width_rule: ClassVar[WidthRule] = RELATIVE

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "epsilon")

    def update(self, part: "WeightPart") -> Change:
        """As in UpdateRule."""
        import torch

        from training.optim.spread import sums_of_squares, total

        direction, means = self.adam(part, self.epsilon)
        if part.like.dim() > 1:
            direction.add_(part.own, alpha=part.decay)
            weight, length = total(part.like, sums_of_squares([part.own, direction])).sqrt()
            direction.add_(part.own, alpha=part.decay / part.scale - part.decay)  # the decay has the whole rate
            direction.mul_(torch.where((weight > 0) & (length > 0), weight / length, 1.0))
        return part.own.sub(direction, alpha=part.rate), means
