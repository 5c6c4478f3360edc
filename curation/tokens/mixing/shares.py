"""From weights to tokens: which leaves a weight stands for, how they share it, and what happens to one that runs out.

A weight names a leaf, or a prefix of leaves up to a "/": `web` stands for `web`, `web/en` and `web/de`. The leaves of a
weight share it in proportion to tokens ** (1 / temperature): 1 = by size, infinite = evenly. What a leaf cannot give is
taken from the others of its weight, and what those cannot give from the other weights ("water filling"). Even shares
with a cap on epochs are UniMax, whose budget is in characters; here it is in tokens.

Source: Chung et al. 2023, "UniMax: Fairer and More Effective Language Sampling for Large-Scale Multilingual
Pretraining" (arXiv:2304.09151), algorithm 1. All is exact, in fractions, so that every machine finds the same shares.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType

from curation.core.errors import RecipeError, UserError
from curation.core.settings import nearest

ALL = ""  # stands for every leaf: the one group of a mix without weights
# Decimal arithmetic gives the same digits everywhere, so that every machine draws the same rows; the C library's pow
# does not.
EXACT = Context(prec=40)

Fractions = dict[str, Fraction]
Split = Mapping[str, Collection[str] | None]  # a source that is split -> labels that it may have, None if unknown
WHOLE: Split = MappingProxyType({})  # nothing is split


@dataclass(frozen=True)
class Group:
    """What one weight stands for: `weight` of the whole, `shares` by leaf; both add up to 1."""

    weight: Fraction
    shares: Fractions


def covers(key: str, leaf: str) -> bool:
    """Whether a key of `weights` or `max_epochs` stands for the leaf."""
    return key in (ALL, leaf) or leaf.startswith(f"{key}/")


def overlap(keys: Iterable[str]) -> tuple[str, str] | None:
    """Two of the keys that stand for the same leaves, if there are any."""
    ordered = sorted(keys, key=lambda key: [*key.split("/")])  # a prefix stands right before what it covers
    return next(((first, second) for first, second in pairwise(ordered) if covers(first, second)), None)


def check_keys(option: str, keys: Iterable[str], leaves: Sequence[str], split: Split = WHOLE) -> None:
    """Raises RecipeError for a key that stands for none of the leaves and for nothing that `split` may hold."""
    possible = [*leaves, *(f"{source}/{label}" for source, labels in split.items() for label in labels or ())]
    unknown = [source for source, labels in split.items() if labels is None]
    for key in keys:
        if not any(covers(key, leaf) for leaf in possible) and not any(covers(source, key) for source in unknown):
            raise RecipeError(f"{option} names {key!r}, which no pack holds{nearest(key, possible)}")


def check_covered(keys: Collection[str], leaves: Sequence[str], split: Split = WHOLE) -> None:
    """Raises RecipeError for a leaf that has no weight; one in `split` may have weights for what it holds."""
    for leaf in leaves:
        if not any(covers(key, leaf) or (leaf in split and covers(leaf, key)) for key in keys):
            raise RecipeError(f"no weight for source {leaf!r}; give it one, 0 to leave it out")


def exact(number: float) -> Fraction:
    """The number as it is written: 0.1 is a tenth."""
    return Fraction(repr(float(number)))


def groups(weights: Mapping[str, float] | None, temperature: float, tokens: Mapping[str, int]) -> list[Group]:
    """The weights above 0, by name; `tokens`: of each leaf. A leaf without tokens is left out of its group.

    Raises UserError where all leaves of a weight are without tokens.
    """
    fractions = {key: exact(weight) for key, weight in sorted((weights or {ALL: 1.0}).items()) if weight}
    total = sum(fractions.values())
    grouped = []
    for key, weight in fractions.items():
        inside = {leaf: count for leaf, count in tokens.items() if covers(key, leaf) and count}
        if not inside:
            raise UserError(_bare(key))
        grouped.append(Group(weight / total, _by_size(inside, temperature)))
    return grouped


def _bare(key: str) -> str:
    if key == ALL:
        return "no source has a single training row; check what the filters kept"
    return f"{key} has no training row: take it out of `weights`, or see what its filters dropped"


def _by_size(tokens: Mapping[str, int], temperature: float) -> Fractions:
    """Leaf -> fraction in proportion to tokens ** (1 / temperature)."""
    sizes = {leaf: Fraction(tempered(Decimal(count), temperature)) for leaf, count in tokens.items()}
    total = sum(sizes.values(), Fraction())
    return {leaf: size / total for leaf, size in sizes.items()}


def tempered(size: Decimal, temperature: float) -> Decimal:
    """size ** (1 / temperature), to 40 digits unless the temperature is 1; `size` is above 0."""
    if temperature == 1:
        return size
    if temperature == math.inf:
        return Decimal(1)
    return EXACT.power(size, EXACT.divide(Decimal(1), Decimal(repr(float(temperature)))))


def asked(grouped: Iterable[Group]) -> Fractions:
    """Leaf -> fraction of the whole that the weights ask for."""
    return {leaf: group.weight * share for group in grouped for leaf, share in group.shares.items()}


def fill(tokens: Fraction, grouped: list[Group], most: Mapping[str, int]) -> Fractions:
    """Leaf -> tokens, adding up to `tokens` or to all that the leaves can give; `most`: of each leaf."""
    weights = {str(number): group.weight for number, group in enumerate(grouped)}
    limits = {str(number): Fraction(sum(most[leaf] for leaf in group.shares)) for number, group in enumerate(grouped)}
    amounts = water_fill(tokens, weights, limits)
    filled: Fractions = {}
    for number, group in enumerate(grouped):
        filled |= water_fill(amounts[str(number)], group.shares, {leaf: Fraction(most[leaf]) for leaf in group.shares})
    return filled


def water_fill(amount: Fraction, shares: Fractions, limits: Fractions) -> Fractions:
    """`amount` in proportion to `shares` (each above 0), none beyond its limit; what is left over the others share."""
    left, weight = amount, sum(shares.values(), Fraction())
    filled: Fractions = {}
    for name in sorted(shares, key=lambda name: limits[name] / shares[name]):  # those that reach their limit first
        filled[name] = min(limits[name], left * shares[name] / weight)
        left -= filled[name]
        weight -= shares[name]
    return {name: filled[name] for name in shares}
