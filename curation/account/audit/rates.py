"""From counts to comparisons: how often a stage drops a group, and how often the documents that are not in it.

G groups, R reasons, L lengths.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from curation.account.audit.groups import DIALECT, DOMAIN, LENGTH, MENTION, NO_TEXT
from curation.account.audit.intervals import fisher, holm, newcombe
from curation.account.audit.tallies import KEPT, StageTally
from curation.account.run.rows import Ints

LEAST = 30  # documents, in a group and outside it, for a comparison
LEVEL = 0.05  # chance of any false finding in a report
LISTED = (DIALECT, MENTION)  # kinds of groups in which a document may be in several or in none


@dataclass(frozen=True, kw_only=True)
class GroupRate:
    """What a stage ("" for all stages together) does to one group, and to the `rest`: all others that it read.

    `low` and `high` bound the difference of the two rates. `p` is None for a group that is too small to compare, and
    `finding` is "more" or "less" where the corrected p is at most LEVEL. `excess`: documents dropped beyond the rest's
    rate. `reason` caused most of a difference, with its documents. `ratio_at_equal_length`: dropped documents over
    those expected at the rest's rate for each length; None without text. `rate_elsewhere`: without `largest_domain`.
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
    groups, of_domain, lengths, reasons, counts = tally.by[by].columns()
    table = np.zeros((len(names), len(tally.reasons.numbers)), np.int64)
    np.add.at(table, (groups, reasons), counts)
    by_length = np.zeros((len(names), NO_TEXT + 1, 2), np.int64)
    np.add.at(by_length, (groups, lengths, np.minimum(reasons, 1)), counts)
    every, every_length = _everything(tally) if by in LISTED else (table.sum(0), by_length.sum(0))
    if not every[KEPT + 1 :].any():
        return []
    rates = []
    for group in np.flatnonzero(table.sum(1)).tolist():
        ratio = None if by == LENGTH else _at_equal_length(by_length[group], every_length - by_length[group])
        found = replace(
            _compared(stage, by, names[group], table[group], every - table[group], tally.reasons.ordered),
            ratio_at_equal_length=ratio,
        )
        own = groups == group
        lost = _elsewhere(of_domain[own], reasons[own] != KEPT, counts[own], len(domains)) if by != DOMAIN else None
        rates.append(found if lost is None else _without(found, domains[lost[0]], *lost[1:]))
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


def _everything(tally: StageTally) -> tuple[Ints, Ints]:
    """All documents with text, by reason int64[R], and by length and fate int64[L, 2]."""
    groups, _, lengths, reasons, counts = tally.every.columns()
    text = groups == 0
    every, by_length = np.zeros(len(tally.reasons.numbers), np.int64), np.zeros((NO_TEXT + 1, 2), np.int64)
    np.add.at(every, reasons[text], counts[text])
    np.add.at(by_length, (lengths[text], np.minimum(reasons[text], 1)), counts[text])
    return every, by_length


def _compared(stage: str, by: str, group: str, own: Ints, rest: Ints, reasons: Sequence[str]) -> GroupRate:
    """A group against the rest, both by reason int64[R]."""
    total, others = int(own.sum()), int(rest.sum())
    dropped, other_dropped = total - int(own[KEPT]), others - int(rest[KEPT])
    rate, other = dropped / total, other_dropped / others if others else 0.0
    low, high = newcombe(dropped, total, other_dropped, others)
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
        p=fisher(dropped, total, other_dropped, others) if min(total, others) >= LEAST else None,
        reason=reasons[cause] if cause != KEPT else "",
        reason_documents=int(own[cause]) if cause != KEPT else 0,
        reasons={reasons[at]: int(own[at]) for at in np.argsort(-own, kind="stable") if at != KEPT and own[at]},
    )


def _at_equal_length(own: Ints, rest: Ints) -> float | None:
    """Dropped documents over those expected at the rest's rate for each length, int64[L, 2] each, over the lengths that
    the rest has too; None where a document has no text, or where none is expected."""
    if own[NO_TEXT].any() or rest[NO_TEXT].any():
        return None
    totals = rest.sum(1)
    shared = totals > 0
    expected = float((own.sum(1)[shared] * (rest[shared, 1] / totals[shared])).sum())
    return float(own[shared, 1].sum()) / expected if expected else None


def _elsewhere(domains: Ints, dropped: npt.NDArray[np.bool_], counts: Ints, known: int) -> tuple[int, int, int] | None:
    """The number of a group's largest domain, its documents and its dropped ones; None if none of its domains is among
    the compared ones."""
    own = domains < known
    if not own.any():
        return None
    documents = np.bincount(domains[own], counts[own])
    largest = int(np.argmax(documents))
    here = domains == largest
    return largest, int(counts[here].sum()), int(counts[here & dropped].sum())


def _without(rate: GroupRate, domain: str, documents: int, dropped: int) -> GroupRate:
    left, lost = rate.documents - documents, rate.dropped - dropped
    low, high = newcombe(lost, left, rate.rest_dropped, rate.rest_documents)
    return replace(
        rate,
        largest_domain=domain,
        largest_domain_documents=documents,
        rate_elsewhere=lost / left if left else None,
        one_domain=low <= 0 <= high,
    )
