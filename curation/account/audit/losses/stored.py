"""What the stages of a run dropped of a chain of good documents: their own signals and verdicts, nothing measured anew.

A stage measured only what the stages before it kept. Texts are read where tokens are counted: in the first stage, and
after a rewriter. Of a chain of many shards SHARDS are read, spread evenly.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from curation.account.audit.losses.measured import Count
from curation.account.audit.losses.report import ChainLoss
from curation.account.audit.losses.tally import LossTally, TrackedDocuments, bounds_of, limits_beyond
from curation.account.sealed.bounds import recorded
from curation.account.sealed.rows import Bools, Ints, scan
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.account.sealed.walk import later_stages
from curation.account.tune.signals import one_array

SHARDS = 256


def losses(run: RunFolder, start: SealedStage, count: Count) -> ChainLoss:
    """What the run lost of the documents of `start`, a first stage, in it and all later stages of documents."""
    stages = [start, *later_stages(run, start)]
    bounds = [bounds_of(recorded(stage.manifest)) for stage in stages]
    tally = LossTally([(stage.name, stage.verb.name) for stage in stages], bounds)
    shards = start.shards[:: -(-len(start.shards) // SHARDS)]
    for shard in shards:
        tokens = _tokens(shard, count)
        portion = TrackedDocuments(tally, pa.repeat(pa.scalar(shard.part.source), len(tokens)), tokens)
        _follow(run, shard, stages, portion, count)
        portion.close()
    chain = start.entry.chain
    notes = [f"{len(shards)} of its {len(start.shards):,} shards"] if len(shards) < len(start.shards) else []
    return tally.report(chain, notes)


def _follow(
    run: RunFolder, shard: SealedShard, stages: Sequence[SealedStage], portion: TrackedDocuments, count: Count
) -> None:
    """Takes the documents of a first stage's shard through all stages that they reach."""
    size = len(portion.tokens)
    rows = np.arange(size)
    while True:
        number = stages.index(shard.stage)
        verb = shard.stage.verb
        portion.arrive(number)
        if verb.edits:
            _edited(portion, number, shard, rows, count)
        masks, reasons = _verdicts(shard)
        by_row = {limit: _scattered(mask, rows, size) for limit, mask in masks.items()}
        place = np.full(size, -1, np.int64)
        place[rows] = np.arange(len(rows))
        portion.judged(number, by_row, reasons.take(pa.array(place, mask=place < 0)))
        rows = rows[np.asarray(reasons.is_null())]
        following = run.next_shard(shard)
        if following is None or not following.part.rows or not len(rows):
            return
        shard = following


def _verdicts(shard: SealedShard) -> tuple[dict[str, Bools], pa.Array]:
    """(Limit -> bool[K], the shard's rows beyond it; string[K], their drop reasons.)"""
    rules = recorded(shard.stage.manifest) if shard.stage.verb.judges else []
    wanted = [f"{key}.{rule.signal}" for key, rule in rules]
    wanted += [rule.by for _, rule in rules if rule.only or rule.but]
    table = shard.read([*dict.fromkeys(wanted), "drop_reason"])
    return limits_beyond(rules, table), one_array(table, "drop_reason").cast(pa.string())


def _edited(portion: TrackedDocuments, number: int, shard: SealedShard, rows: Ints, count: Count) -> None:
    tokens = portion.tokens.copy()
    tokens[rows] = _tokens(shard, count)
    portion.edited(number, shard.stage.name, tokens != portion.tokens, tokens)


def _tokens(shard: SealedShard, count: Count) -> Ints:
    """int64[N]: of each text of the shard's rows."""
    counts = (count(batch.column("text")) for batch in scan(shard.files, ["text"]))
    return np.concatenate([np.empty(0, np.int64), *counts])


def _scattered(mask: Bools, rows: Ints, size: int) -> Bools:
    whole = np.zeros(size, np.bool_)
    whole[rows] = mask
    return whole
