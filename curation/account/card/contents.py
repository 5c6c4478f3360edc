"""Counts what a run kept: documents, bytes and tokens by source, licence and language, dates, and the largest domains.

It makes one pass over narrow columns of the last stages of documents. If all documents of a shard have one licence and
one language, the manifest has the shard's bytes and tokens. Otherwise the lengths of `text` and `tokens` are read, a
row group at a time. Memory: a shard's narrow columns per thread, and a counter per domain.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.sealed.provenance import domains, licence_names
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.account.sealed.walk import last_stages
from curation.core.by_language import LANGUAGE

THREADS = 8
GROUPS = ("source", "licence", "language")
NARROW = ("source", "url", "crawled_at", "licence", "declared_language", "drop_reason")
DAY = pa.timestamp("ms", "UTC")
COUNTS = ("undated", "documents", "bytes", "tokens")
SUMS = pa.schema(
    [*((name, pa.string()) for name in GROUPS), ("first", DAY), ("last", DAY), *((name, pa.int64()) for name in COUNTS)]
)


@dataclass(frozen=True)
class Share:
    """The kept documents with one value (None: none stated); `tokens` is None before they are tokenized."""

    name: str | None
    documents: int
    text_bytes: int
    tokens: int | None
    first_date: str | None = None  # of crawled_at, ISO 8601; only for sources
    last_date: str | None = None
    undated: int = 0


@dataclass(frozen=True)
class Contents:
    """The kept documents.

    `stages` names the last stages of documents: several if the run has not joined its sources. `languages_by` is the
    origin of the languages: the `language` rule set, "declared_language", or "" if no stage is sealed. `domains` lists
    the largest of `all_domains` registered domains. `taken_down` counts documents without text, which no other figure
    counts.
    """

    stages: tuple[str, ...]
    total: Share
    sources: tuple[Share, ...]
    licences: tuple[Share, ...]
    languages: tuple[Share, ...]
    languages_by: str
    domains: tuple[tuple[str, int], ...]
    all_domains: int
    taken_down: int


def contents(stages: Sequence[SealedStage], tombstones: Collection[str], domains: int = 10) -> Contents:
    """Counts the last stages of documents; `tombstones` are doc_ids that count only as taken down."""
    ends = last_stages(stages)
    labelled = bool(ends) and all(LANGUAGE in dict(stage.manifest.schema) for stage in ends)
    gone = pa.array(sorted(tombstones), pa.string())
    shards = [shard for stage in ends for shard in stage.shards]
    sums = SUMS.empty_table()
    names = Counter[str]()
    taken_down = 0
    with ThreadPoolExecutor(THREADS) as pool:
        for own, domain_counts, gone_from_shard in pool.map(lambda shard: _of_shard(shard, labelled, gone), shards):
            sums = _summed(pa.concat_tables([sums, own]), GROUPS).cast(SUMS)
            names.update(domain_counts)
            taken_down += gone_from_shard
    tokens = any(stage.verb.encodes for stage in ends)
    sources, licences, languages = (_shares(sums, name, tokens) for name in GROUPS)
    documents, text_bytes = (pc.sum(sums[name]).as_py() or 0 for name in ("documents", "bytes"))
    return Contents(
        stages=tuple(stage.name for stage in ends),
        total=Share(None, documents, text_bytes, (pc.sum(sums["tokens"]).as_py() or 0) if tokens else None),
        sources=sources,
        licences=licences,
        languages=languages,
        languages_by=LANGUAGE if labelled else "declared_language" if ends else "",
        domains=tuple(sorted(names.items(), key=lambda item: (-item[1], item[0]))[:domains]),
        all_domains=len(names),
        taken_down=taken_down,
    )


def _of_shard(shard: SealedShard, labelled: bool, gone: pa.Array) -> tuple[pa.Table, Counter[str], int]:
    """The shard's SUMS, its documents by domain, and how many of its documents were taken down."""
    label = f"{LANGUAGE}.label" if labelled else "declared_language"
    wanted = dict.fromkeys([*NARROW, label, *(["doc_id"] if len(gone) else [])])
    taken_down = 0
    table = shard.read(list(wanted))
    kept = table["drop_reason"].is_null().combine_chunks()
    if len(gone):
        erased = pc.is_in(table["doc_id"].combine_chunks(), gone)
        taken_down = pc.sum(pc.and_(kept, erased)).as_py() or 0
        kept = pc.and_(kept, pc.invert(erased))
    table = table.filter(kept)
    columns = {
        "source": table["source"],
        "licence": licence_names(table["licence"]),
        "language": pc.struct_field(table[LANGUAGE], "label") if labelled else table["declared_language"],
        "first": table["crawled_at"],
        "last": table["crawled_at"],
        "undated": table["crawled_at"].is_null().cast(pa.int64()),
        "documents": np.ones(len(table), np.int64),
    }
    if not taken_down and all(pc.count_distinct(columns[name], "all").as_py() <= 1 for name in GROUPS):
        known = np.arange(len(table)) == 0  # one group, whose sums the manifest has
        sizes = {"bytes": known * shard.part.kept_text_bytes, "tokens": known * shard.part.tokens}
    else:
        sizes = {"bytes": _lengths(shard, "text", kept), "tokens": _lengths(shard, "tokens", kept)}
    counted = pc.value_counts(domains(table["url"]).drop_null()).to_pylist()
    by_domain = Counter({entry["values"]: entry["counts"] for entry in counted})
    return _summed(pa.table(columns | sizes), GROUPS).cast(SUMS), by_domain, taken_down


def _summed(rows: pa.Table, keys: Sequence[str]) -> pa.Table:
    functions = {"first": "min", "last": "max"} | dict.fromkeys(COUNTS, "sum")
    sums = rows.group_by(list(keys), use_threads=False).aggregate(list(functions.items()))
    names = [f"{name}_{function}" for name, function in functions.items()]
    return sums.select([*keys, *names]).rename_columns([*keys, *functions])


def _lengths(shard: SealedShard, name: str, mask: pa.Array) -> npt.NDArray[np.int64]:
    """int64: UTF-8 bytes or tokens of the rows in the mask bool[N]; 0 if the shard has no such column."""
    if name not in dict(shard.stage.manifest.schema):
        return np.zeros(mask.true_count, np.int64)
    chosen: npt.NDArray[np.int64] = shard.lengths(name)[np.asarray(mask)]
    return chosen


def _shares(sums: pa.Table, by: str, tokens: bool) -> tuple[Share, ...]:
    """Sorted by text, ties by name; sources have dates."""
    rows = _summed(sums, [by]).to_pylist()
    rows.sort(key=lambda row: (-row["bytes"], row[by] is None, row[by] or ""))
    shares = []
    for row in rows:
        share = Share(row[by], row["documents"], row["bytes"], row["tokens"] if tokens else None)
        if by == "source":
            first, last = (day.date().isoformat() if day else None for day in (row["first"], row["last"]))
            share = replace(share, first_date=first, last_date=last, undated=row["undated"])
        shares.append(share)
    return tuple(shares)
