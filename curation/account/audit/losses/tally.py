"""Counts what limits drop and edits cut of documents that pass through the stages of a recipe.

Documents come in portions (`TrackedDocuments`), each of which is taken through all stages before it is added to the
`LossTally`.
N = documents of a portion, G = groups.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.audit.losses.report import Amount, ChainLoss, GroupLoss, LimitLoss, StageLoss
from curation.account.sealed.bounds import sides
from curation.account.tune.signals import beyond, one_array
from curation.core.rules import Rule

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Groups = dict[str, tuple[int, int]]  # group -> documents and tokens
ALONE = 0
ONLY = 1
FIRST = 2
GIVEN = 0
EVERY = 1
LOST = 2


class TrackedDocuments:
    """Some documents on their way: `tokens` int64[N] of each text as it is now, and `alive` bool[N], not dropped."""

    def __init__(self, groups: pa.Array, tokens: Ints) -> None:
        """Of string[N] and int64[N]."""
        encoded = groups.dictionary_encode()
        self.names: list[str] = encoded.dictionary.to_pylist()
        self._group = np.asarray(encoded.indices, np.int64)
        self.tokens = tokens.astype(np.int64)
        self.first_tokens = self.tokens.copy()
        self.alive = np.ones(len(tokens), np.bool_)
        self._breaks = np.zeros(len(tokens), np.int64)  # limits that each document breaks
        self.found: list[tuple[int, int, str, Groups]] = []  # stage, which, limit ("": the stage), amounts
        self._masks: list[tuple[int, str, Bools, Ints]] = []

    def arrive(self, stage: int) -> None:
        """The documents that are not dropped yet reach a stage."""
        self.found.append((stage, GIVEN, "", self._amounts(self.alive, self.tokens)))

    def judged(self, stage: int, masks: Mapping[str, Bools], reasons: pa.Array) -> None:
        """What a stage drops: limit -> bool[N], beyond it; and string[N], the reason for each drop, null for none."""
        dropped = np.asarray(reasons.is_valid())
        for which, mask in ((EVERY, dropped), (LOST, dropped & self.alive)):
            self.found.append((stage, which, "", self._amounts(mask, self.tokens)))
        distinct = sorted(reasons.drop_null().unique().to_pylist())
        by_reason = {reason: np.asarray(pc.equal(reasons, reason).fill_null(False)) for reason in distinct}
        for limit, mask in {**by_reason, **masks}.items():
            if mask.any():
                self._breaks += mask
                self._masks.append((stage, limit, mask, self.tokens))
                self._add(stage, ALONE, limit, mask, self.tokens)
        for limit, mask in by_reason.items():
            self._add(stage, FIRST, limit, mask & self.alive, self.tokens)
        self.alive = self.alive & ~dropped

    def edited(self, stage: int, key: str, changed: Bools, tokens: Ints) -> None:
        """What a rewriter cuts: bool[N], texts that it changes; int64[N], their tokens afterwards."""
        cut = self.tokens - tokens
        self._add(stage, ALONE, key, changed, cut)
        self._add(stage, FIRST, key, changed & self.alive, cut)
        for which, mask in ((EVERY, changed), (LOST, changed & self.alive)):
            by_group = self._amounts(mask, cut)
            self.found.append((stage, which, "", {name: (0, tokens) for name, (_, tokens) in by_group.items()}))
        self.tokens = tokens.astype(np.int64)

    def close(self) -> None:
        """Finds what only one limit drops, once all stages have judged."""
        for stage, limit, mask, tokens in self._masks:
            self._add(stage, ONLY, limit, mask & (self._breaks == 1), tokens)
        self._masks = []

    def given(self) -> Groups:
        return self._amounts(np.ones(len(self.alive), np.bool_), self.first_tokens)

    def kept(self) -> Groups:
        return self._amounts(self.alive, self.tokens)

    def _add(self, stage: int, which: int, limit: str, mask: Bools, tokens: Ints) -> None:
        if mask.any():
            self.found.append((stage, which, limit, self._amounts(mask, tokens)))

    def _amounts(self, mask: Bools, tokens: Ints) -> Groups:
        documents = np.bincount(self._group[mask], minlength=len(self.names))
        sums = np.zeros(len(self.names), np.int64)
        np.add.at(sums, self._group[mask], tokens[mask])
        counts = zip(self.names, documents.tolist(), sums.tolist(), strict=True)
        return {name: (count, total) for name, count, total in counts if count}


@dataclass
class LossTally:
    """The sums over portions. `stages` are (name, verb), `bounds` each limit's bound by stage."""

    stages: Sequence[tuple[str, str]]
    bounds: Sequence[Mapping[str, Any]]
    _sums: dict[tuple[int, int, str], Groups] = field(default_factory=dict)
    _given: Groups = field(default_factory=dict)
    _kept: Groups = field(default_factory=dict)

    def add(self, portion: TrackedDocuments) -> None:
        portion.close()
        for stage, which, limit, amounts in portion.found:
            _plus(self._sums.setdefault((stage, which, limit), {}), amounts)
        _plus(self._given, portion.given())
        _plus(self._kept, portion.kept())

    def report(self, chain: str, notes: Sequence[str] = ()) -> ChainLoss:
        stages = tuple(self._stage(number, name, verb) for number, (name, verb) in enumerate(self.stages))
        order = sorted(self._given, key=lambda name: (-self._given[name][1], name))
        groups = (GroupLoss(name, Amount(*self._given[name]), Amount(*self._kept.get(name, (0, 0)))) for name in order)
        return ChainLoss(chain, _total(self._given), _total(self._kept), stages, tuple(groups), tuple(notes))

    def _stage(self, number: int, name: str, verb: str) -> StageLoss:
        """Limits in the order of the recipe, then other reasons."""
        found = dict.fromkeys(limit for stage, _, limit in self._sums if stage == number and limit)
        limits = dict.fromkeys([*(limit for limit in self.bounds[number] if limit in found), *found])
        given, every, lost = (_total(self._sums.get((number, which, ""), {})) for which in (GIVEN, EVERY, LOST))
        return StageLoss(name, verb, given, every, lost, tuple(self._limit(number, limit) for limit in limits))

    def _limit(self, number: int, limit: str) -> LimitLoss:
        alone, only, first = (self._sums.get((number, which, limit), {}) for which in (ALONE, ONLY, FIRST))
        groups = {name: Amount(*alone[name]) for name in sorted(alone, key=lambda name: (-alone[name][1], name))}
        return LimitLoss(limit, self.bounds[number].get(limit), _total(alone), _total(only), _total(first), groups)


def bounds_of(rules: Sequence[tuple[str, Rule]]) -> dict[str, Any]:
    """Limit -> its bound, in the order of the rules; of one that differs by language that for all others."""
    bounds: dict[str, Any] = {}
    for key, rule in rules:
        for side, bound in sides(rule).items():
            if rule.only is None or f"{key}.{rule.signal}:{side}" not in bounds:
                bounds[f"{key}.{rule.signal}:{side}"] = bound
    return bounds


def limits_beyond(rules: Sequence[tuple[str, Rule]], table: pa.Table) -> dict[str, Bools]:
    """Limit -> bool[N]: the rows beyond it. Rows that were taken down or failed with an error are beyond none."""
    failed = pc.fill_null(pc.starts_with(one_array(table, "drop_reason").cast(pa.string()), "error."), False)
    return {limit: mask & ~np.asarray(failed) for limit, mask in beyond(rules, table).items()}


def _plus(sums: Groups, amounts: Groups) -> None:
    for name, (documents, tokens) in amounts.items():
        before = sums.get(name, (0, 0))
        sums[name] = before[0] + documents, before[1] + tokens


def _total(amounts: Groups) -> Amount:
    return Amount(sum(documents for documents, _ in amounts.values()), sum(tokens for _, tokens in amounts.values()))
