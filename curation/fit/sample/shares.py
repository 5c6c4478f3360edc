"""How much of each group of documents a fit sees: from sizes, weights and a temperature to bytes.

A group's share of the sample is proportional to w ** (1 / temperature), where w is its weight or, without weights, its
bytes. A group with less text than its share gives all it has, and the others divide the rest in the same way, so the
sample has `sample_bytes` if there is that much text. Whole documents are then drawn by a hash of their id until a group
has its share to within half a document; see `drawing`.

Source: Conneau and Lample 2019, "Cross-lingual Language Model Pretraining" (arXiv:1901.07291), which draws languages by
their share to the power of an exponent, here 1 / temperature.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Annotated

from curation.core.close_names import nearest
from curation.core.errors import RecipeError
from curation.core.fits import Fit
from curation.tokens.mixing.shares import EXACT, tempered, water_fill

SOURCE = "source"
REST = "*"  # in weights: every group without a weight of its own
NONE = "none"  # the group of documents whose column is null
LEAST_SHARE = Decimal("1e-200")  # of the largest share, so that no power of it is rounded to 0


@dataclass(frozen=True, kw_only=True)
class Sampled(Fit):
    """Base of a fit whose sample may be balanced: how much text, from which groups."""

    sample_bytes: Annotated[int, "of UTF-8 text, drawn by the engine"] = 200 * 2**20
    sample_by: Annotated[str, "groups documents: source, or a column such as declared_language or language.label"] = ""
    sample_weights: Annotated[Mapping[str, float], 'group -> weight; "*": every other group'] = field(
        default_factory=dict
    )
    sample_temperature: Annotated[float, "1: by size or weight; higher is more even; .inf: all groups alike"] = 1.0

    def __post_init__(self) -> None:
        if self.sample_bytes < 1:
            raise RecipeError(f"sample_bytes is {self.sample_bytes}; it must be at least 1")
        if not self.sample_temperature > 0:
            raise RecipeError(f"sample_temperature is {self.sample_temperature}; it must be above 0 (1: by size)")
        if not self.sample_by and (self.sample_weights or self.sample_temperature != 1):
            raise RecipeError("sample_weights and sample_temperature need sample_by: source, or e.g. language.label")
        if self.sample_by and not all(self.sample_by.split(".")):
            raise RecipeError(f"sample_by is {self.sample_by!r}; give source, or a column such as language.label")
        for group, weight in self.sample_weights.items():
            if not (math.isfinite(weight) and weight >= 0):
                raise RecipeError(f"sample_weights: the weight of {group!r} is {weight}; it must be 0 or more")
        if self.sample_weights and not any(self.sample_weights.values()):
            raise RecipeError("sample_weights: every weight is 0; give at least one group a weight above 0")

    def balanced(self, sizes: Mapping[str, int]) -> dict[str, float]:
        """Group -> bytes to draw from it, at most its size. Raises RecipeError for a weight of an unknown group, a
        group without a weight, and if nothing could be drawn."""
        weights = _weights(self.sample_weights, sizes)
        top = max(weights.values(), default=0)
        if not top:
            raise RecipeError("sample_weights leave no text to learn from: every group with text has the weight 0")
        shares = {
            name: Fraction(
                max(tempered(EXACT.divide(Decimal(weight), Decimal(top)), self.sample_temperature), LEAST_SHARE)
            )
            for name, weight in weights.items()
            if weight
        }
        limits = {name: Fraction(sizes[name]) for name in shares}
        filled = water_fill(Fraction(self.sample_bytes), shares, limits)
        return dict.fromkeys(sizes, 0.0) | {name: float(size) for name, size in filled.items()}


@dataclass(frozen=True)
class KeptShard:
    """Documents, as `curation.core.composed` reads them from files, how many are kept, and the UTF-8 bytes of these."""

    files: tuple[str, ...]
    source: str
    kept_bytes: int
    kept: int


@dataclass(frozen=True)
class DrawnGroup:
    """A group in a sample: UTF-8 bytes of its kept text, its target, and what was drawn."""

    group: str
    available_bytes: int
    target_bytes: int
    documents: int
    sample_bytes: int


def _weights(weights: Mapping[str, float], sizes: Mapping[str, int]) -> dict[str, float]:
    if not weights:
        return {name: float(size) for name, size in sizes.items()}
    for name in weights:
        if name != REST and name not in sizes:
            raise RecipeError(f"sample_weights: no group {name!r} in the text{nearest(name, sizes)}")
    bare = sorted(name for name in sizes if name not in weights)
    if bare and REST not in weights:
        raise RecipeError(
            f"sample_weights: no weight for {', '.join(bare[:10])}{', …' if len(bare) > 10 else ''}; give each one "
            f'(0 leaves it out), or give "{REST}" a weight for all others'
        )
    return {name: weights.get(name, weights.get(REST, 0.0)) if size else 0.0 for name, size in sizes.items()}
