"""Muon: the mean gradient of a hidden matrix is made orthogonal, so that it moves alike in all directions; the other
weights are Adam's.

Source: Jordan et al. 2024, "Muon" (kellerjordan.github.io/posts/muon), for the iteration and its coefficients; Liu et
al. 2025, "Muon is Scalable for LLM Training" (arXiv:2502.16982), for the size of an update, by which AdamW's rate and
decay serve both. Of matrices that are spread over processes, each makes some orthogonal (see `training.optim.owners`).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Annotated, ClassVar

from training.config.ranges import check_fraction
from training.optim.rule import Change, Moments
from training.optim.width import ORTHOGONAL, WidthRule

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

    version: ClassVar[int] = 2
    width_rule: ClassVar[WidthRule] = ORTHOGONAL

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fraction(self, "momentum")

    def begin(self, weight: "Tensor", *, hidden: bool) -> "dict[str, Tensor]":
        """As in UpdateRule."""
        import torch

        return {"momentum_buffer": torch.zeros_like(weight)} if hidden else super().begin(weight, hidden=hidden)

    def update(self, part: "WeightPart") -> Change:
        """As in UpdateRule, of a weight that is not hidden."""
        direction, means = self.adam(part)
        return part.moved(direction), means

    def changes(self, parts: "Sequence[WeightPart]") -> "Iterator[Change]":
        """As in UpdateRule."""
        found = self._hidden([part for part in parts if part.hidden])
        for part in parts:
            yield next(found) if part.hidden else self.update(part)

    def _hidden(self, parts: "Sequence[WeightPart]") -> "Iterator[Change]":
        """Of as many matrices at a time as processes share them."""
        from training.optim.owners import from_owners, owners, to_owners
        from training.optim.spread import axes_of

        first = 0
        while first < len(parts):
            axes = axes_of(parts[first].like)
            some = parts[first : first + owners(axes)]
            some = list(takewhile(lambda part, axes=axes: axes_of(part.like) == axes, some))  # type: ignore[misc]
            first += len(some)
            means = [part.kept["momentum_buffer"].lerp(part.gradient, 1 - self.momentum) for part in some]
            ahead = [_rounded(part.gradient.lerp(mean, self.momentum)) for part, mean in zip(some, means, strict=True)]
            shapes = [tuple(part.like.shape) for part in some]
            wholes = [orthogonal(matrix).type_as(ahead[0]) for matrix in to_owners(axes, shapes, ahead)]
            turned = from_owners(axes, shapes, wholes, ahead[0])
            for part, direction, mean in zip(some, turned, means, strict=True):
                size = _SIZE * math.sqrt(max(part.like.shape))
                yield part.moved(direction.float() * size), {"momentum_buffer": mean}


def _rounded(ahead: "Tensor") -> "Tensor":
    """As Nesterov's, with enough digits for the iteration and half as many to send; a CPU is ten times slower in it (2
    cores, November 2026)."""
    return ahead.bfloat16() if ahead.is_cuda else ahead


def orthogonal(matrix: "Tensor") -> "Tensor":
    """float32: the matrix with singular values of about 1, and its own singular vectors; 0 for a matrix of zeros."""
    import torch

    from training.optim.spread import sums_of_squares

    first, third, fifth = _COEFFICIENTS
    (squares,) = sums_of_squares([matrix])
    tall = matrix.shape[0] > matrix.shape[1]
    wide = matrix.T if tall else matrix
    wide = wide / squares.sqrt().clamp(min=1e-7)
    for _ in range(_ROUNDS):
        square = wide @ wide.T
        odd = torch.addmm(square, square, square, beta=third, alpha=fifth)
        wide = torch.addmm(wide, odd, wide, beta=first)
    return (wide.T if tall else wide).float()
