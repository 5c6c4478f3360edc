"""Follows documents from stage to stage by the order of their rows, without look-ups and without reading text.

The kept rows of a shard, in order, are the rows of the same shard in the next stage. So a row's number there is the
number of kept rows before it, and each stage costs one narrow column. N = rows of a shard, F = rows followed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from curation.account.sealed.rows import Bools, Ints
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import Rows, SealedShard, SealedStage
from curation.core.threads import map_threads


@dataclass(frozen=True)
class FollowedRows:
    """The followed rows that reach a later stage: `which` of the F rows, their `rows` there, and whether `kept`."""

    shard: SealedShard
    which: Ints
    rows: Ints
    kept: Bools


def later_stages(run: RunFolder, stage: SealedStage) -> list[SealedStage]:
    """All later stages of documents that a stage's rows reach, in order."""
    shard = run.next_shard(stage.shards[0]) if stage.shards else None
    return [] if shard is None else [shard.stage, *later_stages(run, shard.stage)]


def last_stages(stages: Sequence[SealedStage]) -> list[SealedStage]:
    """The stages of documents that no other stage of documents reads."""
    documents = [stage for stage in stages if stage.verb.documents]
    read = {address for stage in documents for address in stage.upstream}
    return [stage for stage in documents if stage.entry.address not in read]


def follow(run: RunFolder, shard: SealedShard, rows: Ints, kept: Bools) -> Iterator[FollowedRows]:
    """A step per later stage that some of the shard's rows int64[F] reach; `kept` bool[N] covers all its rows."""
    which = np.arange(len(rows))
    following = run.next_shard(shard)
    while following is not None:
        which, rows = _arriving(which, rows, kept)
        if not len(rows) or not following.part.rows:
            return
        kept = following.kept()
        yield FollowedRows(following, which, rows, kept[rows])
        following = run.next_shard(following)


def lost_after(run: RunFolder, shard: SealedShard) -> SealedStage | None:
    """The stage that was sealed without the unit that reads the shard; None if there is none."""
    following = run.next_shard(shard)
    return following.stage if following is not None and shard.part.kept and not following.part.rows else None


def _arriving(which: Ints, rows: Ints, kept: Bools) -> tuple[Ints, Ints]:
    """The kept ones among the rows, and their rows in the next stage."""
    arriving = kept[rows]
    return which[arriving], (np.cumsum(kept) - 1)[rows[arriving]]


def spread(run: RunFolder, first: Mapping[SealedShard, Ints]) -> Rows:
    """The rows of `first`, and the same documents' rows in every stage of documents that they reach.

    A stage that packs or fits has no rows of its own. For it, the rows are those of the stage that it reads, keyed by
    the packing or fitting stage and the shard's number among all that it reads.
    """
    everywhere: Rows = {}
    waiting: Rows = dict(first)
    while waiting:
        everywhere |= waiting
        reached = map_threads(lambda item: _reached(run, *item), waiting.items())
        arrived = {shard: rows for after in reached for shard, rows in after.items()}
        everywhere |= arrived
        waiting = {shard: rows for shard, rows in arrived.items() if shard.stage.verb.documents}
    return everywhere


def _reached(run: RunFolder, shard: SealedShard, rows: Ints) -> Rows:
    """The rows' documents in the stages that read the shard."""
    following = run.shards_after(shard)
    if not following:
        return {}
    which, arrived = _arriving(np.arange(len(rows)), rows, shard.kept())
    reached: Rows = {}
    for stage, number in following if len(which) else ():
        if stage.verb.packs or stage.verb.learns:
            reached[SealedShard(stage, number)] = rows[which]
        elif stage.verb.documents and stage.shards[number].part.rows:  # none: it was sealed without this unit
            reached[SealedShard(stage, number)] = arrived
    return reached


def origin(run: RunFolder, shard: SealedShard, rows: Ints) -> Rows:
    """The rows' documents in their first stage; none if a stage on the way back is gone."""
    while (above := run.before(shard)) is not None:
        shard = above
        rows = np.flatnonzero(above.kept())[rows]
    return {shard: rows} if shard.stage.verb.begins else {}


def merged(*sets: Mapping[SealedShard, Ints]) -> Rows:
    """The union of the rows."""
    shards = dict.fromkeys(shard for rows in sets for shard in rows)
    return {shard: np.unique(np.concatenate([rows[shard] for rows in sets if shard in rows])) for shard in shards}
