"""The figures of `winnow tune`: what other limits would do to one stage, summed from the moves.

Documents won and lost are counted by limit and by language. The sums over the limits are those of the stage.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedStage
from curation.account.sealed.walk import later_stages
from curation.account.tune.changed_verdicts import Move, Moves
from curation.account.tune.limits import RuleSets, bounds_by_limit, limit_options, rules_of
from curation.account.tune.spreads import Histogram

SUMS = ("documents", "text_bytes", "tokens")  # of moves


@dataclass(frozen=True)
class WonDocuments:
    """Dropped documents that would be kept. Bytes and tokens are estimates; no tokens without a tokenize stage."""

    documents: int
    text_bytes: int
    tokens: int | None


@dataclass(frozen=True)
class LostDocuments:
    """Kept documents that would be dropped. `tokens` is exact and covers those `kept_to_end`; `dropped_later` counts,
    by stage, those that a later stage dropped anyway. `text_bytes` estimates all of them."""

    documents: int
    text_bytes: int
    kept_to_end: int
    tokens: int | None
    dropped_later: dict[str, int]


@dataclass(frozen=True)
class LimitLine:
    """One limit; `before` and `after` have its bound by language ("*": all others; None: lifted).

    `beyond_before` and `beyond_after` count all documents beyond the limit, `alone` those that no other new limit of
    the stage drops. A won document counts at the limit that dropped it, a lost one at the first limit that drops it.
    """

    limit: str
    option: str | None
    before: dict[str, Any]
    after: dict[str, Any]
    beyond_before: int
    beyond_after: int
    alone: int
    won: WonDocuments
    lost: LostDocuments


@dataclass(frozen=True)
class LanguageLine:
    """One language's documents in the stage."""

    language: str | None
    rows: int
    kept_before: int
    kept_after: int
    won: WonDocuments
    lost: LostDocuments


@dataclass(frozen=True)
class Tuning:
    """One stage. `gone` counts rows lost in an earlier stage of the same call; only `rows`, `dropped_before` and
    `beyond_before`, which are the run's own figures, include them. `options` has the changed ones, `item` the stage
    with all options as it would stand in the recipe, under `chain`: a source, or "joined"; `kept_languages` has those
    that a filter before it keeps, where options differ by language."""

    stage: str
    folder: str
    rows: int
    gone: int
    kept_before: int
    kept_after: int
    dropped_before: dict[str, int]
    dropped_after: dict[str, int]
    won: WonDocuments
    lost: LostDocuments
    limits: tuple[LimitLine, ...]
    languages: tuple[LanguageLine, ...]
    histograms: tuple[Histogram, ...] = field(repr=False)
    options: dict[str, dict[str, Any]]
    chain: str
    item: dict[str, Any]
    kept_languages: tuple[str, ...] | None
    bytes_per_token: float | None
    notes: tuple[str, ...] = ()


def limit_lines(
    run: RunFolder, stage: SealedStage, sets: tuple[RuleSets, RuleSets], moves: Moves
) -> tuple[LimitLine, ...]:
    """A line per limit that the stage has before or after, in the order they are tried."""
    fired = stage.manifest.merged("fired")
    before, after = (bounds_by_limit(rules_of(own)) for own in sets)
    options = {
        limit: option for key, rule_set in sets[1].items() for limit, option in limit_options(key, rule_set).items()
    }
    moved = moves.moves()
    named = [*before, *after, *(move.limit for move in moved), *fired]
    order = {key: number for number, key in enumerate(sets[0])}
    lines = []
    for limit in sorted(dict.fromkeys(named), key=lambda limit: order.get(limit.partition(".")[0], len(order))):
        own = [move for move in moved if move.limit == limit]
        if limit.endswith(":unmeasured") and not (own or fired.get(limit) or moves.beyond[limit]):
            continue
        bounds = before.get(limit, {}), after.get(limit, {})
        counts = fired.get(limit, 0), moves.beyond[limit], moves.alone[limit]
        lines.append(LimitLine(limit, options.get(limit), *bounds, *counts, **sides(run, stage, own)))
    return tuple(lines)


def language_lines(run: RunFolder, stage: SealedStage, moves: Moves) -> tuple[LanguageLine, ...]:
    """A line per language, most rows first; documents without a language come last."""
    moved = moves.moves()
    lines = []
    for name in sorted(moves.rows, key=lambda name: (name is None, -moves.rows[name], name or "")):
        own = [move for move in moved if move.language == name]
        counts = moves.rows[name], moves.kept_before[name], moves.kept_after[name]
        lines.append(LanguageLine(name, *counts, **sides(run, stage, own)))
    return tuple(lines)


def sides(run: RunFolder, stage: SealedStage, moves: Sequence[Move]) -> dict[str, Any]:
    """The sums over the moves as keywords `won` and `lost`."""
    encoded = any(later.verb.encodes for later in later_stages(run, stage))

    def sums(own: Sequence[Move]) -> tuple[int, int, int | None]:
        documents, size, tokens = (sum(getattr(move, name) for move in own) for name in SUMS)
        return documents, round(size), round(tokens) if encoded else None

    later = Counter[str]()
    for move in sorted(moves, key=lambda move: move.later):
        if move.later >= 0 and not move.won:
            later[run.stages[move.later].name] += move.documents
    documents, size, tokens = sums([move for move in moves if not move.won])
    lost = LostDocuments(documents, size, documents - later.total(), tokens, dict(later))
    return {"won": WonDocuments(*sums([move for move in moves if move.won])), "lost": lost}
