"""From counts to comparisons: how often a stage drops a group, and how often the documents that are not in it.

Pages of one domain are alike, so intervals and tests use effective numbers of documents: divided by the design effect
of the domains, on each side. Documents of domains that are not among the compared ones count as independent.

G groups, R reasons, L lengths, D domains; a table by domain is int64[D + 1, 2] of kept and dropped documents, the last
row those of no compared domain.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from curation.account.audit.groups import DIALECT, DOMAIN, LENGTH, MENTION, NO_TEXT
from curation.account.audit.intervals import design_effect, fisher, holm, newcombe
from curation.account.audit.tallies import KEPT, StageTally
from curation.account.sealed.rows import Ints

LEAST = 30  # documents, in a group and outside it, for a comparison
LEVEL = 0.05  # chance of any false finding in a report
LISTED = (DIALECT, MENTION)  # kinds of groups in which a document may be in several or in none


@dataclass(frozen=True, kw_only=True)
class GroupRate:
    """What a stage ("" for all stages together) does to one group, and to the `rest`: all others that it read.

    `low` and `high` bound the difference of the two rates. `design_effect`: how many of the group's documents tell as
    much as one independent document, since pages of a domain are alike; 1 where that is unknown. `p` is None for a
    group that is too small to compare, and `finding` is "more" or "less" where the corrected p is at most LEVEL.
    `excess`: documents dropped beyond the rest's rate. `reason` caused most of a difference, with its documents.
    `ratio_at_equal_length`: dropped documents over those expected at the rest's rate for each length; None without
    text. `rate_elsewhere`: without `largest_domain`.
    """

    stage: str
    by: str
    group: str
    documents: int
    dropped: int
    rate: float
    rest_documents: int
    rest_dropped: int
    rest_rate: float
    difference: float
    low: float
    high: float
    ratio: float | None
    ratio_at_equal_length: float | None = None
    excess: float
    design_effect: float = 1.0
    rest_design_effect: float = 1.0
    p: float | None
    p_corrected: float | None = None
    finding: str = ""
    reason: str = ""
    reason_documents: int = 0
    reasons: dict[str, int]
    largest_domain: str = ""
    largest_domain_documents: int = 0
    rate_elsewhere: float | None = None
    one_domain: bool = False  # without its largest domain, the interval of the difference holds 0

    @property
    def kept(self) -> int:
        return self.documents - self.dropped


def rates_of(stage: str, by: str, tally: StageTally, names: Sequence[str], domains: Sequence[str]) -> list[GroupRate]:
    """Every group of a kind at a stage that dropped something; none where there is nothing to compare."""
    table, by_length, by_domain = _sums(tally, tally.by[by], len(names), len(domains))
    if by in LISTED:
        every, every_length, every_domain = (each[0] for each in _sums(tally, tally.every, 2, len(domains)))
    else:
        every, every_length, every_domain = (each.sum(0) for each in (table, by_length, by_domain))
    if not every[KEPT + 1 :].any():
        return []
    rates = []
    for group in np.flatnonzero(table.sum(1)).tolist():
        ratio = None if by == LENGTH else _at_equal_length(by_length[group], every_length - by_length[group])
        here = by_domain[group]
        effects = _effect(here), _effect(every_domain - here)
        found = replace(
            _compared(stage, by, names[group], table[group], every - table[group], effects, list(tally.reasons)),
            ratio_at_equal_length=ratio,
        )
        known = by != DOMAIN and here[:-1].any()
        rates.append(_without(found, domains, here) if known else found)
    return rates if len(rates) > 1 or by in LISTED else []


def corrected(rates: Sequence[GroupRate]) -> list[GroupRate]:
    """The same with corrected p and findings."""
    tested = [rate.p for rate in rates if rate.p is not None]
    values = iter(holm(tested).tolist())
    found = []
    for rate in rates:
        if rate.p is None:
            found.append(rate)
            continue
        p = next(values)
        side = ("more" if rate.difference > 0 else "less") if p <= LEVEL else ""
        found.append(replace(rate, p_corrected=p, finding=side))
    return found


def _effect(by_domain: Ints) -> float:
    dropped = by_domain[:, 1]
    totals = by_domain.sum(1)
    return design_effect(dropped[:-1], totals[:-1], int(dropped[-1]), int(totals[-1]))


def _sums(tally: StageTally, counts: pa.Table, groups: int, domains: int) -> tuple[Ints, Ints, Ints]:
    """Documents by group and reason int64[G, R], by group, length and fate int64[G, L, 2], and by group, domain and
    fate int64[G, D + 1, 2]."""
    group, domain, length, reason, documents = map(np.asarray, counts.columns)
    fate = np.minimum(reason, 1)
    table = np.zeros((groups, len(tally.reasons)), np.int64)
    np.add.at(table, (group, reason), documents)
    by_length = np.zeros((groups, NO_TEXT + 1, 2), np.int64)
    np.add.at(by_length, (group, length, fate), documents)
    by_domain = np.zeros((groups, domains + 1, 2), np.int64)
    np.add.at(by_domain, (group, domain, fate), documents)
    return table, by_length, by_domain


def _compared(
    stage: str, by: str, group: str, own: Ints, rest: Ints, effects: tuple[float, float], reasons: Sequence[str]
) -> GroupRate:
    """A group against the rest, both by reason int64[R] and with their design effects."""
    total = int(own.sum())
    others = int(rest.sum())
    dropped = total - int(own[KEPT])
    other_dropped = others - int(rest[KEPT])
    rate = dropped / total
    other = other_dropped / others if others else 0.0
    effect, other_effect = effects
    low, high = newcombe(dropped / effect, total / effect, other_dropped / other_effect, others / other_effect)
    tested = (*_whole(dropped, total, effect), *_whole(other_dropped, others, other_effect))
    beyond = own - total * (rest / others if others else rest)
    beyond[KEPT] = 0
    # Of a group that is dropped less often, the reason that spares it most.
    cause = int(np.argmax(beyond) if rate >= other else np.argmin(beyond))
    return GroupRate(
        stage=stage,
        by=by,
        group=group,
        documents=total,
        dropped=dropped,
        rate=rate,
        rest_documents=others,
        rest_dropped=other_dropped,
        rest_rate=other,
        difference=rate - other,
        low=low,
        high=high,
        ratio=rate / other if other else None,
        excess=dropped - total * other,
        design_effect=effect,
        rest_design_effect=other_effect,
        p=fisher(*tested) if min(total, others) >= LEAST else None,
        reason=reasons[cause] if cause != KEPT else "",
        reason_documents=int(own[cause]) if cause != KEPT else 0,
        reasons={reasons[at]: int(own[at]) for at in np.argsort(-own, kind="stable") if at != KEPT and own[at]},
    )


def _whole(dropped: int, total: int, effect: float) -> tuple[int, int]:
    """The effective numbers as the exact test takes them."""
    effective = round(total / effect)
    return round(effective * dropped / total) if total else 0, effective


def _at_equal_length(own: Ints, rest: Ints) -> float | None:
    """Dropped documents over those expected at the rest's rate for each length, int64[L, 2] each, over the lengths that
    the rest has too; None where a document has no text, or where none is expected."""
    if own[NO_TEXT].any() or rest[NO_TEXT].any():
        return None
    totals = rest.sum(1)
    shared = totals > 0
    expected = float((own.sum(1)[shared] * (rest[shared, 1] / totals[shared])).sum())
    return float(own[shared, 1].sum()) / expected if expected else None


def _without(rate: GroupRate, domains: Sequence[str], by_domain: Ints) -> GroupRate:
    """The rate with what it is without the group's largest domain."""
    largest = int(np.argmax(by_domain[:-1].sum(1)))
    others = by_domain.copy()
    others[largest] = 0
    left = int(others.sum())
    lost = int(others[:, 1].sum())
    effect = _effect(others)
    rest = rate.rest_design_effect
    low, high = newcombe(lost / effect, left / effect, rate.rest_dropped / rest, rate.rest_documents / rest)
    return replace(
        rate,
        largest_domain=domains[largest],
        largest_domain_documents=int(by_domain[largest].sum()),
        rate_elsewhere=lost / left if left else None,
        one_domain=low <= 0 <= high,
    )
