"""Muon: the mean gradient of a hidden matrix is made orthogonal, so that it moves alike in all directions; the other
weights are Adam's.

Source: Jordan et al. 2024, "Muon" (kellerjordan.github.io/posts/muon), for the iteration and its coefficients; Liu et
al. 2025, "Muon is Scalable for LLM Training" (arXiv:2502.16982), for the size of an update, by which AdamW's rate and
decay serve both. Each process makes the whole matrix orthogonal, and keeps its part.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from training.config.ranges import check_fraction
from training.optim.rule import Change, Moments

if TYPE_CHECKING:  # slow to import
    from torch import Tensor

    from training.optim.updates import WeightPart

_ROUNDS = 5
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # of a singular value, its third and its fifth power
_SIZE = 0.2  # root mean square of an update, as AdamW's are


@dataclass(frozen=True, kw_only=True)
class Muon(Moments):
    """Muon for hidden matrices, AdamW for the rest."""

    learning_rate: Annotated[float, "the peak"] = 3e-3
    momentum: Annotated[float, "share of a hidden matrix's mean gradient that an update keeps"] = 0.95

    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fraction(self, "momentum")

    def begin(self, weight: "Tensor", *, hidden: bool) -> "dict[str, Tensor]":
        """As in UpdateRule."""
        import torch

        return {"momentum_buffer": torch.zeros_like(weight)} if hidden else super().begin(weight, hidden=hidden)

    def update(self, part: "WeightPart") -> Change:
        """As in UpdateRule."""
        from training.optim.spread import gathered, own_part

        if not part.hidden:
            direction, means = self.adam(part)
            return part.moved(direction), means
        mean = part.kept["momentum_buffer"].lerp(part.gradient, 1 - self.momentum)
        ahead = part.gradient.lerp(mean, self.momentum)  # as Nesterov's
        # Enough digits for the iteration, and half to gather; a CPU is ten times slower in it (2 cores, November 2026).
        rounded = ahead.bfloat16() if ahead.is_cuda else ahead
        whole = orthogonal(gathered(part.like, rounded))
        size = _SIZE * math.sqrt(max(part.like.shape))
        return part.moved(own_part(part.like, whole) * size), {"momentum_buffer": mean}


def orthogonal(matrix: "Tensor") -> "Tensor":
    """float32: the matrix with singular values of about 1, and its own singular vectors; 0 for a matrix of zeros."""
    import torch

    first, third, fifth = _COEFFICIENTS
    tall = matrix.shape[0] > matrix.shape[1]
    wide = matrix.T if tall else matrix
    wide = wide / wide.norm().clamp(min=1e-7)
    for _ in range(_ROUNDS):
        square = wide @ wide.T
        odd = torch.addmm(square, square, square, beta=third, alpha=fifth)
        wide = torch.addmm(wide, odd, wide, beta=first)
    return (wide.T if tall else wide).float()
