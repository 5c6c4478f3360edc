"""Sharpness-aware minimisation: AdamW with the gradients at the worst place near the weights.

Source: Foret et al. 2021, "Sharpness-Aware Minimization" (arXiv:2010.01412). A step computes all gradients twice. Haas
et al. 2024, "muP^2" (arXiv:2411.00075), for wider models: where the width is multiplied by m, only hidden matrices
would still be moved far enough to matter, so other weights are moved m times as far.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from training.config.ranges import check_positive
from training.optim.rule import Change, Moments
from training.optim.width import ELEMENTWISE, WidthRule

if TYPE_CHECKING:  # slow to import
    from training.optim.updates import Closure, Updates, WeightPart


@dataclass(frozen=True, kw_only=True)
class Sam(Moments):
    """AdamW with the gradients at a distance from the weights, clipped there."""

    learning_rate: Annotated[float, "the peak"] = 3e-3
    radius: Annotated[float, "distance, over all weights together"] = 0.05

    version: ClassVar[int] = 2
    width_rule: ClassVar[WidthRule] = ELEMENTWISE
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

        weights, _, groups = zip(*optimizer.weights(), strict=True)
        roots = [1.0 if group["hidden"] else group["width"] ** 0.5 for group in groups]
        gradients = [weight.grad * root for weight, root in zip(weights, roots, strict=True)]
        moves = [local(gradient) for gradient in gradients]
        scale = self.radius / (norm_of(gradients) + 1e-12)
        torch._foreach_mul_(moves, roots)
        torch._foreach_mul_(moves, scale)
        optimizer.gradients_at(moves, closure)
        norm = clip(weights, self)
        if hasattr(optimizer, "found_inf"):
            optimizer.found_inf = optimizer.found_inf + ~norm.isfinite()
