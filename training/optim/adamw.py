"""AdamW with two groups: matrices decay, norms do not.

Source: Loshchilov and Hutter 2019, "Decoupled Weight Decay Regularization" (arXiv:1711.05101). The embedding decays,
because it may be the output projection.
"""

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Annotated, ClassVar

from training.config.components import Optimizer
from training.config.ranges import check_positive

if TYPE_CHECKING:  # slow to import
    import torch


@dataclass(frozen=True, kw_only=True)
class Adamw(Optimizer):
    """AdamW; weight decay acts on matrices only."""

    learning_rate: Annotated[float, "the peak"] = 3e-3
    beta1: Annotated[float, "share of the mean gradient that an update keeps"] = 0.9
    beta2: Annotated[float, "share of the mean squared gradient that an update keeps"] = 0.95
    epsilon: Annotated[float, "added to the root of the mean squared gradient"] = 1e-8
    weight_decay: Annotated[float, "of a matrix in an update, times the learning rate"] = 0.1

    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "epsilon")
        for name in ("beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; give 0 to below 1")
        if not 0 <= self.weight_decay < inf:
            raise ValueError(f"weight_decay is {self.weight_decay}; give 0 or more")

    def build(self, model: "torch.nn.Module") -> "torch.optim.Optimizer":
        """Fused AdamW over the model's matrices and its other weights."""
        from torch.optim import AdamW

        parameters = list(model.parameters())
        groups = [
            {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": self.weight_decay},
            {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
        ]
        betas = (self.beta1, self.beta2)
        return AdamW(groups, lr=self.learning_rate, betas=betas, eps=self.epsilon, fused=True)
