"""Sharpness-aware minimisation: AdamW with the gradients at the worst place near the weights.

Source: Foret et al. 2021, "Sharpness-Aware Minimization" (arXiv:2010.01412). A step computes all gradients twice.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from training.config.ranges import check_positive
from training.optim.rule import Change, Moments

if TYPE_CHECKING:  # slow to import
    from training.optim.updates import Closure, Updates, WeightPart


@dataclass(frozen=True, kw_only=True)
class Sam(Moments):
    """AdamW with the gradients at a distance from the weights, clipped there."""

    learning_rate: Annotated[float, "the peak"] = 3e-3
    radius: Annotated[float, "distance, over all weights together"] = 0.05

    version: ClassVar[int] = 1
    again: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "radius")

    def update(self, part: "WeightPart") -> Change:
        """As in UpdateRule."""
        direction, means = self.adam(part)
        return part.moved(direction), means

    def look(self, optimizer: "Updates", closure: "Closure") -> None:
        """As in UpdateRule: the gradients are replaced."""
        import torch

        from training.optim.clip import clip, norm_of
        from training.optim.spread import local

        weights = [weight for weight, _, _ in optimizer.weights()]
        gradients = [weight.grad for weight in weights if weight.grad is not None]
        scale = self.radius / (norm_of(gradients) + 1e-12)
        optimizer.gradients_at(torch._foreach_mul([local(one) for one in gradients], scale), closure)
        norm = clip(weights, self)
        if hasattr(optimizer, "found_inf"):
            optimizer.found_inf = optimizer.found_inf + ~norm.isfinite()
