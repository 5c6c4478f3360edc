"""Finds the kept text of a run's stage, and draws an even sample without reading all of it.

Documents are drawn by a hash of their doc_id from row groups spread evenly over the shards. So the sample is the same
every time, and its cost depends on its own size instead of the corpus's.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from curation.account.sealed.rows import Ints
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedStage
from curation.account.sealed.walk import last_stages
from curation.core.composed import all_columns, read_rows
from curation.core.document import kept_mask
from curation.core.errors import InputError
from curation.core.parquet_file import open_parquet
from curation.fit.sample.shares import KeptShard
from curation.text.kernels.hashing import hash64

MOST_SHARDS = 256  # that a sample is drawn from
SPREAD = 4  # the row groups to read hold about this many times the sample
LEAST_GROUPS = 64  # are read at least, if there are so many: neighbouring documents are alike
HEAD = ("doc_id", "url", "declared_language", "text", "drop_reason")


def text_stages(run: RunFolder, name: str | None) -> list[SealedStage]:
    """The stage of this name or, for None, the run's last stages of documents: that of the joined chain, or one per
    source. Raises InputError if there is no such stage, or no text in it."""
    stages = last_stages(run.stages) if name is None else [run.stage(name)]
    if not sum(stage.manifest.total("kept_text_bytes") for stage in stages):
        names = ", ".join(stage.name for stage in stages) or "the run"
        raise InputError(f"{names} has no text; choose another --stage, see `winnow funnel {run.folder}`")
    return stages


def shards_of(stages: Sequence[SealedStage]) -> list[KeptShard]:
    return [
        KeptShard(shard.files, shard.part.source, shard.part.kept_text_bytes, shard.part.kept)
        for stage in stages
        for shard in stage.shards
    ]


def sampled(
    shards: Sequence[KeptShard], sample_bytes: int, columns: Sequence[str] = ()
) -> Iterator[tuple[str, pa.Table]]:
    """Yields (source, kept documents) with about `sample_bytes` of text in all. The columns are HEAD and those of
    `columns` that the documents have."""
    every = math.ceil(len(shards) / MOST_SHARDS)
    chosen = [shard for shard in shards[every // 2 :: every] if shard.kept_bytes]
    share = sample_bytes / max(sum(shard.kept_bytes for shard in chosen), 1)
    for shard in chosen:
        known = all_columns(shard.files).names
        wanted = [name for name in (*HEAD, *columns) if name in known]
        for rows in _drawn(shard, share, math.ceil(LEAST_GROUPS / len(chosen))):
            for table in read_rows(shard.files, wanted, rows=rows):
                table = table.filter(table["text"].is_valid())  # null if the document was taken down
                if table.num_rows:
                    yield shard.source, table


def _drawn(shard: KeptShard, share: float, least: int) -> Iterator[Ints]:
    """Yields the drawn rows, ascending, of each row group that is read: at least `least` groups, if there are so many.
    Each kept row of the shard is drawn with the probability `share`."""
    with open_parquet(shard.files[0]) as file:
        groups = file.metadata.num_row_groups
        firsts = np.cumsum([0, *(file.metadata.row_group(group).num_rows for group in range(groups))])
        read = min(groups, max(math.ceil(SPREAD * share * groups), least))
        limit = np.uint64(min(int(share * groups / max(read, 1) * 2**64), 2**64 - 1))
        for number in range(read):
            group = (2 * number + 1) * groups // (2 * read)
            table = file.read_row_group(group, columns=["doc_id", "drop_reason"])
            drawn = hash64(table["doc_id"].cast(pa.large_string()).combine_chunks()) <= limit
            yield firsts[group] + np.flatnonzero(drawn & np.asarray(kept_mask(table)))
