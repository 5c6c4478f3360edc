"""What a report reads of a stage: rows of evenly spread shards, so that its cost does not grow with the run.

A stage of few shards is read whole, and what is counted is exact; else counts are scaled by the share of the rows that
was read. N = rows that are read.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.sealed.provenance import hosts, licence_names
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.core.by_language import LANGUAGE
from curation.core.threads import map_threads

SHARDS = 64  # of a stage
TEXT_BYTES = 512 << 20  # of a stage, whose lengths are read
GROUPS = ("source", "language", "host", "licence", "year", "drop_reason")
SIZES = ("text_bytes", "tokens")
ROWS = pa.schema([*((name, pa.string()) for name in GROUPS), *((name, pa.int64()) for name in SIZES)])


@dataclass(frozen=True)
class SampledRows:
    """Documents of a stage, in order, with their ROWS: `share` of all of its rows, 1 for a stage that is read whole.
    `labelled`: whether languages are identified, not declared by pages. They are all rows of the `shards`."""

    table: pa.Table
    shards: tuple[SealedShard, ...]
    share: float
    labelled: bool


def sampled(stage: SealedStage, most: int = SHARDS) -> list[SealedShard]:
    """At most so many of its shards that have rows, evenly spread over those."""
    filled = stage.manifest.shards.filled
    places = np.unique(np.linspace(0, max(len(filled) - 1, 0), min(most, len(filled))).round().astype(np.int64))
    return [stage.shards[filled[place]] for place in places.tolist()]


def sampled_rows(stage: SealedStage) -> SampledRows:
    """Reads their narrow columns, and the lengths of their texts and tokens."""
    manifest = stage.manifest
    mean = manifest.total("text_bytes") / max(len(manifest.shards.filled), 1)
    shards = sampled(stage, int(np.clip(TEXT_BYTES / max(mean, 1), 1, SHARDS)))
    tables = map_threads(_rows, shards)
    read = sum(len(table) for table in tables)
    return SampledRows(
        pa.concat_tables([ROWS.empty_table(), *tables]),
        tuple(shards),
        read / max(manifest.total("rows"), read) if read else 1.0,
        LANGUAGE in dict(manifest.schema),
    )


def _rows(shard: SealedShard) -> pa.Table:
    labelled = LANGUAGE in dict(shard.stage.manifest.schema)
    label = f"{LANGUAGE}.label" if labelled else "declared_language"
    table = shard.read([*dict.fromkeys(["source", "url", "crawled_at", "licence", label, "drop_reason"])])
    language = pc.struct_field(table[LANGUAGE], "label") if labelled else table["declared_language"]
    columns = {
        "source": table["source"],
        "language": language,
        "host": hosts(table["url"]),
        "licence": licence_names(table["licence"]),
        "year": pc.year(table["crawled_at"]),
        "drop_reason": table["drop_reason"],
        "text_bytes": _lengths(shard, "text"),
        "tokens": _lengths(shard, "tokens"),
    }
    return pa.table(columns).cast(ROWS)


def _lengths(shard: SealedShard, name: str) -> pa.Array:
    if name not in dict(shard.stage.manifest.schema):
        return pa.nulls(shard.part.rows, pa.int64())
    return pa.array(shard.lengths(name))
