"""AdamW, by torch's fused kernels.

Source: Loshchilov and Hutter 2019, "Decoupled Weight Decay Regularization" (arXiv:1711.05101). The embedding decays,
because it may be the output projection.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from training.config.ranges import check_positive
from training.optim.rule import Moments
from training.optim.width import ELEMENTWISE, WidthRule

if TYPE_CHECKING:  # slow to import
    import torch

    from training.trainable import Trainable


@dataclass(frozen=True, kw_only=True)
class Adamw(Moments):
    """AdamW; weight decay acts on matrices only."""

    learning_rate: Annotated[float, "the peak"] = 3e-3
    epsilon: Annotated[float, "added to the root of the mean squared gradient"] = 1e-8

    version: ClassVar[int] = 2
    width_rule: ClassVar[WidthRule] = ELEMENTWISE

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "epsilon")

    def build(self, model: "Trainable") -> "torch.optim.Optimizer":
        """As in Optimizer."""
        from torch.optim import AdamW

        from training.optim.groups import groups

        own = groups(model, self.weight_decay, self.width_rule)
        epsilon = self.epsilon / model.width_multiplier  # as gradients shrink, see `Moments.adam`
        return AdamW(own, lr=self.learning_rate, betas=(self.beta1, self.beta2), eps=epsilon, fused=True)
