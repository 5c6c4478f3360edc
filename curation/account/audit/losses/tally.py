"""Counts what limits drop and edits cut of documents that pass through the stages of a recipe.

Documents come in portions (`TrackedDocuments`), each of which is taken through all stages and then closed.
N = documents of a portion.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.audit.losses.report import Amount, ChainLoss, GroupLoss, LimitLoss, StageLoss
from curation.account.sealed.bounds import sides
from curation.account.sealed.rows import Bools, Ints
from curation.account.tune.signals import beyond, one_array
from curation.core.rules import Rule

Amounts = dict[str, Amount]  # by group
Which = Literal["given", "kept", "every", "lost", "alone", "only", "first"]
CHAIN = -1  # in place of a stage's number


class LossTally:
    """The sums over all portions."""

    def __init__(self, stages: Sequence[tuple[str, str]], bounds: Sequence[Mapping[str, Any]]) -> None:
        """`stages` are (name, verb), `bounds` each limit's bound by stage."""
        self._stages = stages
        self._bounds = bounds
        self._sums: dict[tuple[int, Which, str], Amounts] = {}

    def add(self, stage: int, which: Which, limit: str, amounts: Amounts) -> None:
        """Adds to the figure of a limit, or with "" to that of the whole stage."""
        sums = self._sums.setdefault((stage, which, limit), {})
        for group, amount in amounts.items():
            sums[group] = sums.get(group, Amount()) + amount

    def report(self, chain: str, notes: Sequence[str] = ()) -> ChainLoss:
        stages = tuple(self._stage(number, name, verb) for number, (name, verb) in enumerate(self._stages))
        kept = self._of(CHAIN, "kept")
        groups = (GroupLoss(name, given, kept.get(name, Amount())) for name, given in self._of(CHAIN, "given").items())
        return ChainLoss(
            chain, self._total(CHAIN, "given"), self._total(CHAIN, "kept"), stages, tuple(groups), tuple(notes)
        )

    def _stage(self, number: int, name: str, verb: str) -> StageLoss:
        """Limits in the order of the recipe, then other reasons."""
        bounds = self._bounds[number]
        found = dict.fromkeys(limit for stage, _, limit in self._sums if stage == number and limit)
        limits = dict.fromkeys([*(limit for limit in bounds if limit in found), *found])
        given, every, lost = (self._total(number, which) for which in ("given", "every", "lost"))
        return StageLoss(name, verb, given, every, lost, tuple(self._limit(number, limit) for limit in limits))

    def _limit(self, number: int, limit: str) -> LimitLoss:
        alone, only, first = (self._total(number, which, limit) for which in ("alone", "only", "first"))
        return LimitLoss(limit, self._bounds[number].get(limit), alone, only, first, self._of(number, "alone", limit))

    def _of(self, stage: int, which: Which, limit: str = "") -> Amounts:
        """By group, most tokens first."""
        amounts = self._sums.get((stage, which, limit), {})
        return dict(sorted(amounts.items(), key=lambda item: (-item[1].tokens, item[0])))

    def _total(self, stage: int, which: Which, limit: str = "") -> Amount:
        return sum(self._of(stage, which, limit).values(), Amount())


class TrackedDocuments:
    """Some documents on their way: `tokens` int64[N] of each text as it is now, and `alive` bool[N], not dropped."""

    def __init__(self, tally: LossTally, groups: pa.Array, tokens: Ints) -> None:
        """Of string[N] and int64[N]."""
        encoded = groups.dictionary_encode()
        self._names: list[str] = encoded.dictionary.to_pylist()
        self._group = np.asarray(encoded.indices, np.int64)
        self._tally = tally
        self.tokens = tokens
        self.alive = np.ones(len(tokens), np.bool_)
        self._breaks = np.zeros(len(tokens), np.int64)  # limits that each document breaks
        self._limits: list[tuple[int, str, Bools, Ints]] = []
        self._add(CHAIN, "given", "", self.alive, tokens)

    def arrive(self, stage: int) -> None:
        """The documents that are not dropped yet reach a stage."""
        self._add(stage, "given", "", self.alive, self.tokens)

    def judged(self, stage: int, masks: Mapping[str, Bools], reasons: pa.Array) -> None:
        """What a stage drops: limit -> bool[N], beyond it; and string[N], the reason for each drop, null for none."""
        dropped = np.asarray(reasons.is_valid())
        self._add(stage, "every", "", dropped, self.tokens)
        self._add(stage, "lost", "", dropped & self.alive, self.tokens)
        distinct = sorted(reasons.drop_null().unique().to_pylist())
        by_reason = {reason: np.asarray(pc.equal(reasons, reason).fill_null(False)) for reason in distinct}
        for limit, mask in {**by_reason, **masks}.items():
            self._breaks += mask
            self._limits.append((stage, limit, mask, self.tokens))
            self._add(stage, "alone", limit, mask, self.tokens)
        for limit, mask in by_reason.items():
            self._add(stage, "first", limit, mask & self.alive, self.tokens)
        self.alive = self.alive & ~dropped

    def edited(self, stage: int, key: str, changed: Bools, tokens: Ints) -> None:
        """What a rewriter cuts: bool[N], texts that it changes; int64[N], their tokens afterwards."""
        cut = self.tokens - tokens
        reached = changed & self.alive
        self._add(stage, "alone", key, changed, cut)
        self._add(stage, "first", key, reached, cut)
        self._add(stage, "every", "", changed, cut, documents=0)
        self._add(stage, "lost", "", reached, cut, documents=0)
        self.tokens = tokens

    def close(self) -> None:
        """Finds what only one limit drops, once all stages have judged, and what is kept."""
        for stage, limit, mask, tokens in self._limits:
            self._add(stage, "only", limit, mask & (self._breaks == 1), tokens)
        self._add(CHAIN, "kept", "", self.alive, self.tokens)

    def _add(self, stage: int, which: Which, limit: str, mask: Bools, tokens: Ints, documents: int = 1) -> None:
        """Adds the documents in the mask, each with its tokens."""
        counts = np.bincount(self._group[mask], minlength=len(self._names)).tolist()
        sums = np.bincount(self._group[mask], tokens[mask], len(self._names)).tolist()  # exact below 2 ** 53
        by_group = zip(self._names, counts, sums, strict=True)
        amounts = {name: Amount(documents * count, int(total)) for name, count, total in by_group if count}
        if amounts:
            self._tally.add(stage, which, limit, amounts)


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
