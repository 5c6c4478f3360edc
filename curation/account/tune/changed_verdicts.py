"""Second pass over a filter stage: judges its rows again under other limits and counts those whose verdict changes.

N = rows of a shard.
"""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.account.sealed.walk import follow, later_stages
from curation.account.tune.limits import RuleSets, rules_of
from curation.account.tune.signals import beyond, labels_of, one_array, text_bytes, verdicts

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Gone = dict[SealedShard, list[Ints]]  # rows of a shard that no longer arrive there
_GROUPS = ("limit", "language", "won", "later")


@dataclass(frozen=True)
class Move:
    """Documents whose verdict changes at one limit: it dropped those `won`, or is the first to drop those lost.

    `later` is the number of the run's stage that dropped the lost ones anyway, -1 for none and for those won. Bytes are
    estimates. Tokens are estimates for those won, else exact, and 0 if a later stage dropped the documents.
    """

    limit: str
    language: str | None
    won: bool
    later: int
    documents: int
    text_bytes: float
    tokens: float


@dataclass
class Moves:
    """Sums over the shards of a stage; rows that no longer arrive count only as `gone`."""

    gone: int = 0
    rows: Counter[str | None] = field(default_factory=Counter)  # by language, like the next two
    kept_before: Counter[str | None] = field(default_factory=Counter)
    kept_after: Counter[str | None] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)  # by reason under the new limits, like the next two
    beyond: Counter[str] = field(default_factory=Counter)
    alone: Counter[str] = field(default_factory=Counter)
    _sums: list[pa.Table] = field(default_factory=list)  # rows of `_summed`

    def moves(self) -> list[Move]:
        """The sums over all shards, in order of appearance."""
        rows = _summed(pa.concat_tables(self._sums)).to_pylist() if self._sums else []
        return [Move(**row) for row in rows]

    def add(self, moved: pa.Table) -> None:
        """Adds changed rows with the columns of _GROUPS, `text_bytes` and `tokens`."""
        self._sums.append(_summed(moved.append_column("documents", pa.array(np.ones(len(moved), np.int64)))))


def _summed(moved: pa.Table) -> pa.Table:
    names = [*_GROUPS, "documents", "text_bytes", "tokens"]
    sums = moved.group_by(list(_GROUPS), use_threads=False).aggregate([(name, "sum") for name in names[4:]])
    return sums.select([*_GROUPS, *(f"{name}_sum" for name in names[4:])]).rename_columns(names)


def count_moves(run: RunFolder, stage: SealedStage, after: RuleSets, columns: list[str], gone: Gone) -> Moves:
    """Reads one shard at a time. Adds lost rows to `gone` for every later stage."""
    moves = Moves()
    rates = bytes_per_token(run, stage)
    for shard in stage.shards:
        table = shard.read(columns)
        arriving = np.ones(table.num_rows, np.bool_)
        for rows in gone.pop(shard, []):
            arriving[rows] = False
        stored = one_array(table, "drop_reason")
        reasons = verdicts(after, table)
        labels = labels_of(table)
        before = np.asarray(stored.is_null())
        now = np.asarray(reasons.is_null())
        won = arriving & now & ~before
        lost = arriving & before & ~now
        later, tokens = _fates(run, shard, np.flatnonzero(lost), before, gone)
        sizes = text_bytes(shard.part, table)
        tokens[won] = sizes[won] / rates.get(shard.part.source, rates.get("", np.inf))
        values = [pc.if_else(pa.array(won), stored, reasons), labels, won, later, sizes, tokens]
        names = [*_GROUPS, "text_bytes", "tokens"]
        moves.add(pa.table([pa.array(column) for column in values], names=names).filter(pa.array(won | lost)))
        _tally(moves, arriving, before, reasons, labels)
        hits = beyond(rules_of(after), table)
        limits = np.sum([mask.astype(np.int32) for mask in hits.values()], axis=0)
        moves.beyond.update({limit: int((mask & arriving).sum()) for limit, mask in hits.items()})
        moves.alone.update({limit: int((mask & arriving & (limits == 1)).sum()) for limit, mask in hits.items()})
    return moves


def _fates(run: RunFolder, shard: SealedShard, rows: Ints, kept: Bools, gone: Gone) -> tuple[Ints, Floats]:
    """The later stage that dropped each of `rows`, -1 for none, int64[N], and their tokens, float64[N]."""
    later = np.full(len(kept), -1)
    tokens = np.zeros(len(kept))
    for step in follow(run, shard, rows, kept):
        gone.setdefault(step.shard, []).append(step.rows)
        later[rows[step.which[~step.kept]]] = run.stages.index(step.shard.stage)
        if step.shard.stage.verb.encodes:
            tokens[rows[step.which]] = step.shard.lengths("tokens", step.rows) * step.kept
    return later, tokens


def _tally(moves: Moves, arriving: Bools, before: Bools, reasons: pa.Array, labels: pa.Array) -> None:
    moves.gone += int((~arriving).sum())
    rows = pa.table({"language": labels, "before": before, "after": reasons.is_null()}).filter(pa.array(arriving))
    sums = [([], "count_all"), ("before", "sum"), ("after", "sum")]
    for row in rows.group_by("language", use_threads=False).aggregate(sums).to_pylist():
        moves.rows[row["language"]] += row["count_all"]
        moves.kept_before[row["language"]] += row["before_sum"]
        moves.kept_after[row["language"]] += row["after_sum"]
    for entry in pc.value_counts(reasons.filter(pa.array(arriving)).drop_null()).to_pylist():
        moves.dropped[entry["values"]] += entry["counts"]


def bytes_per_token(run: RunFolder, stage: SealedStage) -> dict[str, float]:
    """UTF-8 bytes of text per token by source, "" for all together; empty if no later stage tokenizes."""
    size = Counter[str]()
    tokens = Counter[str]()
    for later in later_stages(run, stage):
        for part in later.manifest.parts if later.verb.encodes else ():
            for source in ("", part.source):
                size[source] += part.kept_text_bytes
                tokens[source] += part.tokens
    return {source: size[source] / count for source, count in tokens.items() if count}
