"""Adafactor: of a matrix's mean squared gradients only those of its rows and of its columns are kept.

Source: Shazeer and Stern 2018, "Adafactor" (arXiv:1804.04235), algorithms 4 and 5 with the proposed parameters; the
schedule gives the relative step size. As T5 was trained, without a mean gradient.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from training.optim.rule import Change, UpdateRule
from training.optim.width import RELATIVE, WidthRule

if TYPE_CHECKING:  # slow to import
    from torch import Tensor

    from training.optim.updates import WeightPart

_SQUARE = 1e-30  # the paper's epsilon 1: added to each squared gradient
_SCALE = 1e-3  # its epsilon 2: the least size by which an update is scaled
_DECAY = 0.8  # exponent of the updates so far by which the mean keeps more and more
_LIMIT = 1.0  # root mean square of an update


@dataclass(frozen=True, kw_only=True)
class Adafactor(UpdateRule):
    """Adafactor; a weight moves by the learning rate, relative to the root mean square of its elements."""

    learning_rate: Annotated[float, "the peak, relative to the weights' size"] = 1e-2
    weight_decay: Annotated[float, "of a matrix in an update, times the learning rate"] = 0.0

    version: ClassVar[int] = 2
    width_rule: ClassVar[WidthRule] = RELATIVE
    means: ClassVar[tuple[str, ...]] = ("exp_avg_sq",)

    def begin(self, weight: "Tensor", *, hidden: bool) -> "dict[str, Tensor]":
        """A mean for each row and each column of a matrix; of other weights as in UpdateRule."""
        from training.optim.spread import zeros_along

        if weight.dim() != 2:
            return super().begin(weight, hidden=hidden)
        return {"rows": zeros_along(weight, 1), "columns": zeros_along(weight, 0)}

    def update(self, part: "WeightPart") -> Change:
        """As in UpdateRule."""
        from training.optim.spread import total

        square = part.gradient.square() + _SQUARE
        new = part.kept["step"] ** -_DECAY  # the share of this gradient in the means
        if part.like.dim() == 2:
            height, width = part.like.shape
            rows = part.kept["rows"].lerp(total(part.like, square.sum(1), 1) / width, new)
            columns = part.kept["columns"].lerp(total(part.like, square.sum(0), 0) / height, new)
            mean = total(part.like, rows.sum(), 0) / height
            means = {"rows": rows, "columns": columns}
            direction = part.gradient * (rows / mean).rsqrt()[:, None] * columns.rsqrt()
        else:
            means = {"exp_avg_sq": part.kept["exp_avg_sq"].lerp(square, new)}
            direction = part.gradient * means["exp_avg_sq"].rsqrt()
        size = self._root_mean_square(part, direction)
        scale = self._root_mean_square(part, part.own).clamp(min=_SCALE)
        return part.moved(direction * (scale / (size / _LIMIT).clamp(min=1.0))), means

    def _root_mean_square(self, part: "WeightPart", values: "Tensor") -> "Tensor":
        from training.optim.spread import sums_of_squares, total

        (square,) = total(part.like, sums_of_squares([values]))
        mean: Tensor = square / part.like.numel()
        return mean.sqrt()
