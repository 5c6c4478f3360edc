"""A mixture is a statement about tokens and an index over packed rows: which rows of each source training sees.

A row counts as the `sequence_length` tokens that it predicts, so `tokens / sequence_length` rows are shared out by
weight with largest remainders: every source's share is within one row of its target, and within its own rows it is
a pseudo-random choice (`order`). No tokens are written, so mixing again costs seconds. No row is seen twice: a source
that would have to repeat is an error that states the largest possible budget. All validation rows of every source
with a weight above 0 are kept, whatever the budget.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from curation.core.errors import RecipeError, UserError
from curation.tokens.manifests import INDEX_FORMAT, INDEX_VERSION, SAME


@dataclass(frozen=True, kw_only=True)
class Mix:
    """Shares of the sources, by the tokens they give."""

    weights: dict[str, float] | None = None  # source -> any scale; 0 leaves it out; None = by what each source has
    tokens: int | None = None  # budget; None = as many as the weights allow without repeating
    seed: int = 0

    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        for source, weight in (self.weights or {}).items():
            if not (math.isfinite(weight) and weight >= 0):
                raise RecipeError(f"the weight of {source!r} is {weight}; it must be 0 or more")
        if self.weights is not None and not any(self.weights.values()):
            raise RecipeError("every weight is 0; give at least one source a weight above 0")
        if self.tokens is not None and self.tokens < 1:
            raise RecipeError(f"the budget is {self.tokens} tokens; it must be at least 1")

    def build(self, packs: Sequence[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
        """The index of the mix, to be written by `index_bytes` as `manifests.INDEX` in the stage folder.

        `packs`: each pack's folder as named in the run folder, and the `tokens` section of its manifest. Its "report"
        has, per source, weight (fractions of 1), target_tokens, tokens, rows and available_rows. Raises UserError.
        """
        shape = _same_shape(packs)
        available = _available(packs)
        weights = self._shares(available)
        row_length = shape["row_tokens"] - 1
        most = math.floor(min(available[source] / weight for source, weight in weights.items() if weight))
        total = most if self.tokens is None else self.tokens // row_length
        bare = [source for source, weight in weights.items() if weight and not available[source]]
        if bare:
            raise UserError(
                f"{', '.join(bare)} has no training row: take it out of `weights`, or see what its filters dropped"
            )
        if total == 0:
            raise UserError(
                f"the mix would be empty: not one row of {row_length} tokens fits; raise `tokens` or give more text"
            )
        if total > most:
            short = [source for source, weight in weights.items() if total * weight > available[source]]
            raise UserError(
                f"{self.tokens:,} tokens at these weights would repeat {', '.join(short)}; "
                f"the largest possible budget is {most * row_length:,} tokens"
            )
        rows = share_out(total, weights)
        entries = [
            {"source": source, "phase": 0, "epoch": 0, "rows": rows[source], "available": available[source]}
            for source, weight in weights.items()
            if weight
        ]
        target = total if self.tokens is None else Fraction(self.tokens, row_length)
        report = [
            {
                "source": source,
                "weight": float(weight),
                "target_tokens": float(weight * target * row_length),
                "tokens": rows[source] * row_length,
                "rows": rows[source],
                "available_rows": available[source],
            }
            for source, weight in weights.items()
        ]
        head = {"format": INDEX_FORMAT, "format_version": INDEX_VERSION, "seed": self.seed}
        return {**head, **shape, "packs": [folder for folder, _ in packs], "entries": entries, "report": report}

    def _shares(self, available: dict[str, int]) -> dict[str, Fraction]:
        """Source -> fraction of the mix, adding up to 1, by name."""
        if self.weights is None:
            weights = {source: Fraction(rows) for source, rows in available.items()}
        else:
            _check_names(self.weights, available)
            weights = {source: Fraction(self.weights[source]) for source in available}
        total = sum(weights.values())
        if total == 0:
            raise UserError("no source has a single training row; check what the filters kept")
        return {source: weight / total for source, weight in weights.items()}


def index_bytes(index: dict[str, Any]) -> bytes:
    return (json.dumps(index, indent=1) + "\n").encode()


def share_out(total: int, weights: dict[str, Fraction]) -> dict[str, int]:
    """Source -> rows, adding up to `total`: largest remainders, the earlier of two that are equal."""
    rows = {source: math.floor(total * weight) for source, weight in weights.items()}
    remainder = {source: total * weight - rows[source] for source, weight in weights.items()}
    by_remainder = sorted(weights, key=lambda source: -remainder[source])
    for source in by_remainder[: total - sum(rows.values())]:
        rows[source] += 1
    return rows


def _same_shape(packs: Sequence[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    if not packs:
        raise UserError("a mix needs at least one pack stage before it")
    first_folder, first = packs[0]
    for folder, section in packs[1:]:
        for key in SAME:
            if section[key] != first[key]:
                raise UserError(
                    f"{folder} has {key} {section[key]}, {first_folder} has {first[key]}; pack both with one tokenizer "
                    "and one sequence length"
                )
    return {key: first[key] for key in SAME}


def _available(packs: Sequence[tuple[str, dict[str, Any]]]) -> dict[str, int]:
    """Source -> training rows in all packs, sorted by name."""
    rows: dict[str, int] = {}
    for _, section in packs:
        for source, splits in section["sources"].items():
            rows[source] = rows.get(source, 0) + splits["train"]["rows"]
    return dict(sorted(rows.items()))


def _check_names(weights: dict[str, float], available: dict[str, int]) -> None:
    known = ", ".join(available)
    for source in weights:
        if source not in available:
            raise RecipeError(f"a weight names source {source!r}, which no pack holds; known: {known}")
    for source in available:
        if source not in weights:
            raise RecipeError(f"no weight for source {source!r}; give it one, 0 to leave it out")
