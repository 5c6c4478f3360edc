"""Two runs side by side: what one keeps and the other drops, and why, with samples.

Documents are matched by their ids, which follow from source and place in the input: runs of the same files share them.
Of large runs a share of the ids is compared, the lexicographically first ones, which are as good as drawn: ids are
hashes.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.redacted import Redactor
from curation.account.report.documents import SampledDocument, document
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.account.sealed.walk import last_stages
from curation.core.errors import InputError

COMPARED = 1_000_000  # documents of a run, about
SAMPLES = 12  # of each side


@dataclass(frozen=True)
class Side:
    """What this run keeps and the other does not: `documents`, of which the other never read so many, the others by
    the stage and reason that dropped them there, most first, and samples."""

    run: str
    kept: int
    documents: int
    unread: int
    reasons: tuple[tuple[str, int], ...]
    samples: tuple[SampledDocument, ...]


@dataclass(frozen=True)
class RunComparison:
    """`share` of the documents was compared; all figures count those. `both` is kept by both."""

    other: str
    share: float
    both: int
    here: Side
    there: Side


@dataclass(frozen=True)
class _Fates:
    """Of one run: the ids it kept (sorted), and for each it dropped, stage and reason."""

    kept: pa.Array
    dropped: dict[str, str]


def comparison(run: RunFolder, other: RunFolder) -> RunComparison:
    """Raises InputError where the runs have read no document in common."""
    rows = max(_rows(run), _rows(other), 1)
    share = min(COMPARED / rows, 1.0)
    bound = f"{int(share * 2**32):08x}" if share < 1 else "g"  # above every hexadecimal digit
    here = _fates(run, bound)
    there = _fates(other, bound)
    both = int(pc.sum(pc.is_in(here.kept, there.kept)).as_py() or 0)
    if not both and not (set(here.kept.to_pylist()) & there.dropped.keys()):
        raise InputError(
            f"{run.folder} and {other.folder} have no document in common: compare runs of the same files and sources"
        )
    return RunComparison(
        other=other.folder,
        share=share,
        both=both,
        here=_side(run, here, there, bound),
        there=_side(other, there, here, bound),
    )


def _rows(run: RunFolder) -> int:
    return sum(stage.manifest.total("rows") for stage in run.stages if stage.verb.begins)


def _fates(run: RunFolder, bound: str) -> _Fates:
    dropped: dict[str, str] = {}
    for stage in (stage for stage in run.stages if stage.verb.documents):
        for shard in _filled(stage):
            table = _compared(shard, bound)
            table = table.filter(table["drop_reason"].is_valid())
            reasons = (f"{stage.name}: {reason}" for reason in table["drop_reason"].to_pylist())
            dropped |= dict(zip(table["doc_id"].to_pylist(), reasons, strict=True))
    kept = [_kept(shard, bound)["doc_id"] for stage in last_stages(run.stages) for shard in _filled(stage)]
    ids = pa.concat_arrays([pa.array([], pa.string()), *(one.combine_chunks().cast(pa.string()) for one in kept)])
    return _Fates(ids.sort(), dropped)


def _filled(stage: SealedStage) -> Iterator[SealedShard]:
    return (shard for shard in stage.shards if shard.part.rows)


def _compared(shard: SealedShard, bound: str) -> pa.Table:
    table = shard.read(["doc_id", "drop_reason"])
    return table.append_column("row", pa.array(np.arange(len(table)))).filter(pc.less(table["doc_id"], bound))


def _kept(shard: SealedShard, bound: str) -> pa.Table:
    table = _compared(shard, bound)
    return table.filter(table["drop_reason"].is_null())


def _side(run: RunFolder, own: _Fates, others: _Fates, bound: str) -> Side:
    only = own.kept.filter(pc.invert(pc.is_in(own.kept, others.kept)))
    reasons = Counter(others.dropped[doc_id] for doc_id in only.to_pylist() if doc_id in others.dropped)
    return Side(
        run=run.folder,
        kept=len(own.kept),
        documents=len(only),
        unread=len(only) - reasons.total(),
        reasons=tuple(sorted(reasons.items(), key=lambda one: (-one[1], one[0]))),
        samples=tuple(_samples(run, only[:SAMPLES], bound)),
    )


def _samples(run: RunFolder, ids: pa.Array, bound: str) -> Iterator[SampledDocument]:
    redactor = Redactor.of(run)
    for stage in last_stages(run.stages):
        for shard in _filled(stage) if len(ids) else ():
            table = _kept(shard, bound)
            rows = table.filter(pc.is_in(table["doc_id"], ids))["row"].to_pylist()
            yield from (document(shard, row, redactor, "kept") for row in rows)
