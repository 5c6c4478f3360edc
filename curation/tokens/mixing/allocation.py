"""From shares to rows: phase by phase, the next rows of each leaf's stream until they make the tokens asked for.

Phases divide a leaf that has too few tokens for all of them in proportion to what each asks of it, so an early phase
takes nothing that a later one was promised. What a phase lacks then comes from its other leaves.

A leaf's share of a phase is met within one row, and so are the share of each weight and the phase itself. Each leaf
gets the rows that fit into its tokens. Then the leaves that came nearest to one more row get it while there is room
("largest remainders", first among the leaves of a weight, then among the weights). Tokens that a phase cannot use, less
than a row, go to the next phase. Fractions are exact and names break ties, so the result is the same everywhere.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from curation.core.errors import UserError
from curation.tokens.mixing.shares import Fractions, LeafGroup, asked, fill
from curation.tokens.mixing.streams import Stream

Leaves = Mapping[str, Stream]
Rows = Mapping[str, int]


@dataclass(frozen=True)
class PhaseRequest:
    """A phase as the recipe asks for it."""

    name: str
    part: Fraction  # of all tokens
    groups: list[LeafGroup]  # which share it


@dataclass(frozen=True)
class LeafAllotment:
    """What a phase takes of a leaf."""

    source: str
    weight: Fraction = Fraction()  # share of the phase that was asked for
    target: Fraction = Fraction()  # tokens that it should get: fewer if it is capped, more if others are
    tokens: int = 0  # tokens that it gets
    first: int = 0  # row of its stream with which the phase begins
    rows: int = 0
    capped: bool = False  # the leaf has less than its share


@dataclass(frozen=True)
class PhaseAllotment:
    """A phase as it will be."""

    name: str
    target: Fraction  # tokens
    lines: tuple[LeafAllotment, ...]  # one per leaf

    @property
    def rows(self) -> int:
        return sum(line.rows for line in self.lines)


def budget(tokens: int | None, phases: Sequence[PhaseRequest], leaves: Leaves, most: Rows, *, cap: bool) -> Fraction:
    """Tokens that the phases share: a multiple of the row length if all rows are full. None: the largest budget that
    meets every share of every phase. `most`: rows that each leaf's epochs allow.

    Raises UserError for a budget that the leaves cannot meet in these shares, unless `cap`.
    """
    need = _needs(phases)
    limits = {leaf: leaves[leaf].total(0, most[leaf]) for leaf in need}
    full = all(leaves[leaf].counts is None for leaf in need)
    unit = next(iter(leaves.values())).row_length if full else 1
    largest = math.floor(min(limits[leaf] / share for leaf, share in need.items()) / unit) * unit
    if tokens is None:
        return Fraction(largest)
    whole = tokens // unit * unit
    if whole > largest and not cap:
        short = [leaf for leaf, share in sorted(need.items()) if whole * share > limits[leaf]]
        raise UserError(
            f"{tokens:,} tokens at these weights would repeat {', '.join(short)} more often than max_epochs allows; "
            f"the largest possible budget is {largest:,} tokens. Or raise max_epochs, or take the rest from other "
            "sources with `exhausted: cap`"
        )
    return Fraction(whole)


def take(tokens: Fraction, phases: Sequence[PhaseRequest], leaves: Leaves, most: Rows) -> list[PhaseAllotment]:
    """The phases in order. One whose leaves run out gets less than its part of `tokens`."""
    first = dict.fromkeys(leaves, 0)
    owed = dict.fromkeys(leaves, Fraction())
    carried = Fraction()
    allotted = []
    reserved = _reserved(tokens, phases, leaves, most)
    for number, phase in enumerate(phases):
        shares = asked(phase.groups)
        later = {
            leaf: sum((own.get(leaf, Fraction()) for own in reserved[number + 1 :]), Fraction()) for leaf in shares
        }
        left = {leaf: max(leaves[leaf].total(first[leaf], most[leaf]) - later[leaf], Fraction()) for leaf in shares}
        wanted = phase.part * tokens + carried
        targets = fill(wanted, phase.groups, left)
        lines = []
        for leaf, (rows, counted) in sorted(_rows(targets, phase.groups, leaves, first, most, owed).items()):
            capped = wanted * shares[leaf] - left[leaf] >= leaves[leaf].row_length  # less is what was rounded before
            lines.append(LeafAllotment(leaf, shares[leaf], targets[leaf], counted, first[leaf], rows, capped))
            first[leaf] += rows
            owed[leaf] += targets[leaf] - counted
        carried = sum(targets.values(), Fraction()) - sum(line.tokens for line in lines)
        allotted.append(PhaseAllotment(phase.name, wanted, tuple(lines)))
    return allotted


def _needs(phases: Sequence[PhaseRequest]) -> Fractions:
    """Leaf -> share of all tokens that the phases ask of it together."""
    need: Fractions = {}
    for phase in phases:
        for leaf, share in asked(phase.groups).items():
            need[leaf] = need.get(leaf, Fraction()) + phase.part * share
    return need


def _reserved(tokens: Fraction, phases: Sequence[PhaseRequest], leaves: Leaves, most: Rows) -> list[Fractions]:
    """For each phase, leaf -> tokens that no phase before it may take."""
    need = _needs(phases)
    limits = {leaf: leaves[leaf].total(0, most[leaf]) for leaf in need}
    reserved = []
    for phase in phases:
        own = {leaf: limits[leaf] * phase.part * share / need[leaf] for leaf, share in asked(phase.groups).items()}
        reserved.append(fill(phase.part * tokens, phase.groups, own))
    return reserved


def _rows(
    targets: Fractions, groups: Sequence[LeafGroup], leaves: Leaves, first: Rows, most: Rows, owed: Fractions
) -> dict[str, tuple[int, int]]:
    """Leaf -> rows and their tokens; `owed`: tokens that earlier phases left each leaf short of.

    Each group shares its own room first; then the groups that came nearest to one more row get it.
    """
    rows_of = {}
    after = {}
    for leaf, target in targets.items():
        rows, tokens, after[leaf] = leaves[leaf].fit(first[leaf], most[leaf], math.floor(target))
        rows_of[leaf] = rows, tokens

    def left(names: Iterable[str]) -> Fraction:
        return sum((targets[leaf] - rows_of[leaf][1] for leaf in names), Fraction())

    def give(names: Iterable[str], room: Fraction, rows: int) -> Fraction:
        for leaf in sorted(names, key=lambda leaf: (-left([leaf]) - owed[leaf], leaf)):
            if rows and left([leaf]) > 0 and after[leaf] <= room:
                rows_of[leaf] = rows_of[leaf][0] + 1, rows_of[leaf][1] + after[leaf]
                room = room - after[leaf]
                rows -= 1
        return room

    room = sum((give(group.shares, left(group.shares), len(group.shares)) for group in groups), Fraction())
    for group in sorted(groups, key=lambda group: -left(group.shares) - sum(owed[leaf] for leaf in group.shares)):
        room = give(group.shares, room, 1)
    return rows_of
