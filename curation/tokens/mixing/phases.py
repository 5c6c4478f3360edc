"""Phases of a mix: stretches of training with weights of their own, one after the other.

A curriculum is several phases; annealing is a short one at the end on the best sources. A phase continues each source
where the previous phase stopped, so no row is repeated before all rows of its source were seen. A phase of several
epochs shuffles them together; to keep epochs apart, give each a phase.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from curation.core.errors import RecipeError
from curation.tokens.mixing.shares import exact
from curation.tokens.mixing.weight_names import check_stars, overlap

ROUNDING = Fraction(1, 1_000_000)  # the sum of shares written in decimals may miss 1 by this
LEAST_TEMPERATURE = 0.01  # below this the largest leaf takes everything, and powers of tokens outgrow decimals


@dataclass(frozen=True, kw_only=True)
class Phase:
    """One phase."""

    name: Annotated[str, "of the phase, in reports"]
    share: Annotated[float | None, "of the mix's tokens; either all phases have one, adding up to 1 …"] = None
    tokens: Annotated[int | None, "… or all have tokens"] = None
    weights: Annotated[dict[str, float] | None, "None: those of the mix"] = None
    temperature: Annotated[float | None, "None: that of the mix"] = None

    def __post_init__(self) -> None:
        if (self.share is None) == (self.tokens is None):
            raise RecipeError(f"phase {self.name!r} needs either a share or tokens")
        if self.share is not None and not 0 < self.share <= 1:
            raise RecipeError(f"phase {self.name!r} has share {self.share}; it must be above 0 and at most 1")
        if self.tokens is not None and self.tokens < 1:
            raise RecipeError(f"phase {self.name!r} has {self.tokens} tokens; give at least 1")
        check_weights(self.weights, self.temperature, f"phase {self.name!r}: ")


def check_weights(weights: Mapping[str, float] | None, temperature: float | None, where: str = "") -> None:
    """Raises RecipeError for weights and temperatures that make no sense; `where` begins the message."""
    for source, weight in (weights or {}).items():
        if not (math.isfinite(weight) and weight >= 0):
            raise RecipeError(f"{where}the weight of {source!r} is {weight}; it must be 0 or more")
    if weights is not None and not any(weights.values()):
        raise RecipeError(f"{where}every weight is 0; give at least one source a weight above 0")
    check_stars(weights or (), where)
    if pair := overlap(weights or ()):
        raise RecipeError(f"{where}{pair[0]!r} already covers {pair[1]!r}; give one of the two")
    if temperature is not None and not temperature >= LEAST_TEMPERATURE:
        least = f"it must be at least {LEAST_TEMPERATURE} (1: by size, .inf: evenly)"
        raise RecipeError(f"{where}the temperature is {temperature}; {least}")


def check_phases(phases: Sequence[Phase], tokens: int | None) -> None:
    """Raises RecipeError for phases that do not add up to a mix."""
    names = [phase.name for phase in phases]
    if len(set(names)) < len(names) or "" in names:
        raise RecipeError(f"every phase needs a name of its own, got {', '.join(map(repr, names))}")
    tokens_of = [phase.tokens for phase in phases if phase.tokens is not None]
    if tokens_of and len(tokens_of) < len(phases):
        raise RecipeError("some phases have a share, others tokens; give all of them a share, or all of them tokens")
    total = sum(tokens_of)
    if tokens_of and tokens not in (None, total):
        raise RecipeError(f"the phases have {total:,} tokens, the mix {tokens:,}; leave out the mix's `tokens`")
    shares = [exact(phase.share) for phase in phases if phase.share is not None]
    if shares and abs(sum(shares, Fraction(-1))) > ROUNDING:
        raise RecipeError(f"the shares of the phases add up to {float(sum(shares)):g}; they must add up to 1")


def fractions(phases: Sequence[Phase]) -> list[Fraction]:
    """Each phase's fraction of the whole, adding up to 1."""
    parts = [Fraction(phase.tokens) if phase.tokens is not None else exact(phase.share or 0) for phase in phases]
    return [part / sum(parts) for part in parts]
