"""Where documents are at the end of their journey: in the stage that dropped them, or in the last one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from curation.account.sealed.rows import Ints
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.core.composed import all_columns, read_rows
from curation.tokens.file_checks import lineage_file
from curation.tokens.lineage import segments_of
from curation.tokens.manifests import parts_of

SPLIT = "split"
TRAIN = "train"
VALIDATION = "validation"
REASON = "drop_reason"
FACTS = ("url", "source", "language", SPLIT)  # of a document, those of them that it has


@dataclass(frozen=True)
class JourneyEnds:
    """Rows int64[K] of a shard, ascending, whose documents went no further; the `kept` ones to the end."""

    shard: SealedShard
    rows: Ints
    kept: bool


def ended(run: RunFolder) -> list[JourneyEnds]:
    """Every document of the run once, in order of stage, shard and row, dropped ones first."""
    found = []
    for stage in run.stages:
        for shard in stage.shards if stage.verb.documents else ():
            if not shard.part.rows:
                continue
            kept = shard.kept()
            found.append(JourneyEnds(shard, np.flatnonzero(~kept), False))
            following = run.next_shard(shard)
            if following is None or not following.part.rows:
                found.append(JourneyEnds(shard, np.flatnonzero(kept), following is None))
    return [one for one in found if len(one.rows)]


def texts(shard: SealedShard, rows: Ints, columns: Sequence[str] = ()) -> Iterator[tuple[Ints, pa.Table]]:
    """The numbers and `text`, with further columns that the shard has, of its rows, a row group at a time."""
    known = all_columns(shard.files).names if columns else []
    at = 0
    for table in read_rows(shard.files, ["text", *(name for name in columns if name in known)], rows=rows):
        yield rows[at : at + table.num_rows], table
        at += table.num_rows


def large_text(table: pa.Table) -> pa.Array:
    """large_string[N]: empty where a document was taken down."""
    return table["text"].cast(pa.large_string()).fill_null("").combine_chunks()


def pack_of(run: RunFolder, shard: SealedShard) -> tuple[SealedStage, int] | None:
    """The stage that packs the shard's tokens, and the shard's number there."""
    return next(((stage, number) for stage, number in run.shards_after(shard) if stage.verb.packs), None)


def packed(run: RunFolder, shard: SealedShard, doc_ids: Sequence[str]) -> dict[str, int]:
    """doc_id -> rows of the train split that hold its tokens; only documents that have any."""
    place = pack_of(run, shard)
    rows: dict[str, set[tuple[str, int]]] = {}
    if place is None or not doc_ids:
        return {}
    stage, number = place
    for part in parts_of((stage.manifest.tokens or {})["parts"], [number]):
        if part["split"] == TRAIN:
            lineage = lineage_file(stage.folder, part["name"], part["files"][f"{part['name']}.parquet"])
            segments = segments_of(lineage, pa.array(doc_ids))
            for doc_id, row in zip(segments["doc_id"].to_pylist(), segments["row"].to_pylist(), strict=True):
                rows.setdefault(doc_id, set()).add((part["name"], row))
    return {doc_id: len(own) for doc_id, own in rows.items()}
