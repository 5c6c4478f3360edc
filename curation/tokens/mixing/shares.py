"""From weights to tokens: how the leaves of a weight share it, and what happens to one that runs out.

`weight_names` says which leaves a weight stands for. They share it in proportion to tokens ** (1 / temperature): 1 = by
size, infinite = evenly. Tokens that a leaf lacks are taken from the others of its weight, then from the other weights
("water filling"). Even shares with a cap on epochs are UniMax, except that its budget is in characters.

Source: Chung et al. 2023, "UniMax: Fairer and More Effective Language Sampling for Large-Scale Multilingual
Pretraining" (arXiv:2304.09151), algorithm 1. Fractions are exact, so that every machine computes the same shares. They
become whole rows in `allocation`, and not earlier: the index states the targets, which whole tokens would change.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from curation.core.errors import UserError
from curation.tokens.mixing.weight_names import ALL, OTHERS, key_of

# Decimals give the same digits on every machine, so that all draw the same rows; the C library's pow does not.
EXACT = Context(prec=40)

Fractions = dict[str, Fraction]


@dataclass(frozen=True)
class LeafGroup:
    """The leaves that one weight covers: its fraction of the whole, and their shares of it. Both add up to 1."""

    weight: Fraction
    shares: Fractions


def exact(number: float) -> Fraction:
    """The number as it is written: 0.1 is a tenth."""
    return Fraction(repr(float(number)))


def groups(weights: Mapping[str, float] | None, temperature: float, tokens: Mapping[str, int]) -> list[LeafGroup]:
    """A group per weight above 0, by name. `tokens`: of each leaf; a leaf without any is left out.

    Raises UserError for a weight whose leaves have no tokens at all.
    """
    every = weights or {ALL: 1.0}
    leaves: dict[str | None, dict[str, int]] = {}
    for leaf, count in tokens.items():
        leaves.setdefault(key_of(leaf, every), {})[leaf] = count
    fractions = {key: exact(weight) for key, weight in sorted(every.items()) if weight}
    if OTHERS not in leaves:
        fractions.pop(OTHERS, None)  # it stands for nothing, which is no mistake
    whole = sum(fractions.values())
    grouped = []
    for key, weight in fractions.items():
        covered = {leaf: count for leaf, count in leaves.get(key, {}).items() if count}
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
