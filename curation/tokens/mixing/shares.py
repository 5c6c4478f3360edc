"""From weights to tokens: which leaves a weight covers, how they share it, and what happens to one that runs out.

A weight names a leaf, or a prefix of leaves up to a "/": `web` covers `web`, `web/en` and `web/de`. The leaves of a
weight share it in proportion to tokens ** (1 / temperature): 1 = by size, infinite = evenly. Tokens that a leaf lacks
are taken from the others of its weight, then from the other weights ("water filling"). Even shares with a cap on epochs
are UniMax, except that its budget is in characters.

Source: Chung et al. 2023, "UniMax: Fairer and More Effective Language Sampling for Large-Scale Multilingual
Pretraining" (arXiv:2304.09151), algorithm 1. Fractions are exact, so that every machine computes the same shares. They
become whole rows in `allocation`, and not earlier: the index states the targets, which whole tokens would change.
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

ALL = ""  # covers every leaf: the one group of a mix without weights
# Decimals give the same digits on every machine, so that all draw the same rows; the C library's pow does not.
EXACT = Context(prec=40)

Fractions = dict[str, Fraction]
Split = Mapping[str, Collection[str] | None]  # source with split_by -> its possible labels, None if unknown
WHOLE: Split = MappingProxyType({})  # nothing is split


@dataclass(frozen=True)
class LeafGroup:
    """The leaves that one weight covers: its fraction of the whole, and their shares of it. Both add up to 1."""

    weight: Fraction
    shares: Fractions


def covers(key: str, leaf: str) -> bool:
    """Whether a key of `weights` or `max_epochs` is the leaf or a prefix of it."""
    return key in (ALL, leaf) or leaf.startswith(f"{key}/")


def overlap(keys: Iterable[str]) -> tuple[str, str] | None:
    """Two of the keys that cover the same leaves, if there are any."""
    ordered = sorted(keys, key=lambda key: key.split("/"))  # a prefix comes right before what it covers
    return next(((first, second) for first, second in pairwise(ordered) if covers(first, second)), None)


def check_keys(option: str, keys: Iterable[str], leaves: Sequence[str], split: Split = WHOLE) -> None:
    """Raises RecipeError for a key that covers none of the leaves and nothing that `split` may hold."""
    possible = [*leaves, *(f"{source}/{label}" for source, labels in split.items() for label in labels or ())]
    unknown = [source for source, labels in split.items() if labels is None]
    for key in keys:
        if not any(covers(key, leaf) for leaf in possible) and not any(covers(source, key) for source in unknown):
            raise RecipeError(f"{option} names {key!r}, which no pack holds{nearest(key, possible)}")


def check_covered(keys: Collection[str], leaves: Sequence[str], split: Split = WHOLE) -> None:
    """Raises RecipeError for a leaf without a weight; for a source in `split`, weights of its sub-sources count."""
    for leaf in leaves:
        if not any(covers(key, leaf) or (leaf in split and covers(leaf, key)) for key in keys):
            raise RecipeError(f"no weight for source {leaf!r}; give it one, or 0 to leave it out")


def several(key: str, leaves: Sequence[str], split: Split) -> bool:
    """Whether the key may cover more than one leaf; a source in `split` is divided, unless the key names a part."""
    return sum(2 if leaf in split else 1 for leaf in leaves if covers(key, leaf)) > 1


def exact(number: float) -> Fraction:
    """The number as it is written: 0.1 is a tenth."""
    return Fraction(repr(float(number)))


def groups(weights: Mapping[str, float] | None, temperature: float, tokens: Mapping[str, int]) -> list[LeafGroup]:
    """A group per weight above 0, by name. `tokens`: of each leaf; a leaf without any is left out.

    Raises UserError for a weight whose leaves have no tokens at all.
    """
    fractions = {key: exact(weight) for key, weight in sorted((weights or {ALL: 1.0}).items()) if weight}
    whole = sum(fractions.values())
    grouped = []
    for key, weight in fractions.items():
        covered = {leaf: count for leaf, count in tokens.items() if covers(key, leaf) and count}
        if not covered and key == ALL:
            raise UserError("no source has a single training row; see what the filters dropped with `winnow funnel`")
        if not covered:
            raise UserError(f"{key} has no training row: take it out of `weights`, or see what its filters dropped")
        sizes = {leaf: Fraction(tempered(Decimal(count), temperature)) for leaf, count in covered.items()}
        total = sum(sizes.values(), Fraction())
        grouped.append(LeafGroup(weight / whole, {leaf: size / total for leaf, size in sizes.items()}))
    return grouped


def tempered(size: Decimal, temperature: float) -> Decimal:
    """size ** (1 / temperature) for a size above 0, to 40 digits unless the temperature is 1."""
    if temperature == 1:
        return size
    if temperature == math.inf:
        return Decimal(1)
    return EXACT.power(size, EXACT.divide(Decimal(1), Decimal(repr(float(temperature)))))


def asked(grouped: Iterable[LeafGroup]) -> Fractions:
    """Leaf -> fraction of the whole that the weights ask for."""
    return {leaf: group.weight * share for group in grouped for leaf, share in group.shares.items()}


def fill(tokens: Fraction, grouped: list[LeafGroup], most: Mapping[str, int | Fraction]) -> Fractions:
    """Leaf -> tokens; `most`: what each leaf may give. They add up to `tokens`, or to all that the leaves may give."""
    limits = [{leaf: Fraction(most[leaf]) for leaf in group.shares} for group in grouped]
    weights = {str(number): group.weight for number, group in enumerate(grouped)}
    amounts = water_fill(
        tokens, weights, {str(number): sum(own.values(), Fraction()) for number, own in enumerate(limits)}
    )
    filled: Fractions = {}
    for group, amount, own in zip(grouped, amounts.values(), limits, strict=True):
        filled |= water_fill(amount, group.shares, own)
    return filled


def water_fill(amount: Fraction, shares: Fractions, limits: Fractions) -> Fractions:
    """`amount` in proportion to `shares` (each above 0), none beyond its limit; the others share what is left over."""
    left = amount
    weight = sum(shares.values(), Fraction())
    filled: Fractions = {}
    for name in sorted(shares, key=lambda name: limits[name] / shares[name]):  # those that reach their limit first
        filled[name] = min(limits[name], left * shares[name] / weight)
        left -= filled[name]
        weight -= shares[name]
    return {name: filled[name] for name in shares}
