"""Counts what a run kept: documents, bytes and tokens by source, licence and language, dates, and the largest domains.

One pass over narrow columns of the run's last stage of documents. Bytes and tokens of a shard whose documents all have
one licence and one language are in its manifest; only of other shards the columns `text` and `tokens` are read, a row
group at a time, for their lengths. Memory: a shard's narrow columns per thread, and a counter per domain.
"""

import dataclasses
from collections import Counter
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.account.run.stage import Shard, Stage
from curation.core.by_language import LANGUAGE
from curation.core.parquet_file import open_parquet
from curation.models.lists import public_suffixes
from curation.text.licences.expressions import NONE_STATED, UNKNOWN, asked_for
from curation.text.urls.parse import parse_urls

THREADS = 8
GROUPS = ("source", "licence", "language")
NARROW = ("source", "url", "crawled_at", "licence", "declared_language", "drop_reason")


@dataclass(frozen=True)
class Share:
    """What one value (null: none stated) has of the kept documents; `tokens` is None before they are tokenized."""

    name: str | None
    documents: int
    text_bytes: int
    tokens: int | None
    first_date: str | None = None  # of crawled_at, ISO 8601; only of sources
    last_date: str | None = None
    undated: int = 0


@dataclass(frozen=True)
class Contents:
    """The kept documents. `stages` name the last stages of documents, several while a run has not joined them yet.

    `languages_by` says where a language is from: "language", the rule set, "declared_language", or "" for nowhere.
    `domains` are the registered domains with most documents, of `all_domains`. `taken_down` are documents whose text is
    gone; no other figure counts them.
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


@dataclass
class _Dates:
    """When a source's documents were crawled, and how many do not say it."""

    first: datetime | None = None
    last: datetime | None = None
    undated: int = 0


@dataclass
class _Sums:
    """Grown part by part; each value of `groups` maps a name to documents, bytes, tokens."""

    groups: dict[str, dict[str | None, list[int]]] = field(default_factory=lambda: {name: {} for name in GROUPS})
    dates: dict[str, _Dates] = field(default_factory=dict)  # by source
    domains: Counter[str] = field(default_factory=Counter)
    taken_down: int = 0


def last_stages(stages: Sequence[Stage]) -> list[Stage]:
    """The stages of documents that no other stage of documents reads."""
    documents = [stage for stage in stages if stage.verb.documents]
    read = {address for stage in documents for address in stage.upstream}
    return [stage for stage in documents if stage.entry.address not in read]


def contents(stages: Sequence[Stage], tombstones: Collection[str], domains: int = 10) -> Contents:
    """Reads the last stages of documents; documents in `tombstones` (doc_ids) are only counted as taken down."""
    ends = last_stages(stages)
    by = _languages_by(ends)
    gone = pa.array(sorted(tombstones), pa.string())
    sums = _Sums()
    with ThreadPoolExecutor(THREADS) as pool:
        shards = [shard for stage in ends for shard in stage.shards]
        for of_shard in pool.map(lambda shard: _of_shard(shard, by=by, gone=gone), shards):
            _merge(sums, of_shard)
    tokens = any(stage.verb.encodes for stage in ends)
    sources, licences, languages = (_shares(sums.groups[name], tokens) for name in GROUPS)
    documents, text_bytes = (sum(getattr(one, name) for one in sources) for name in ("documents", "text_bytes"))
    return Contents(
        stages=tuple(stage.name for stage in ends),
        total=Share(None, documents, text_bytes, sum(one.tokens or 0 for one in sources) if tokens else None),
        sources=tuple(_dated(share, sums.dates[share.name or ""]) for share in sources),
        licences=licences,
        languages=languages,
        languages_by=by,
        domains=tuple(sorted(sums.domains.items(), key=lambda item: (-item[1], item[0]))[:domains]),
        all_domains=len(sums.domains),
        taken_down=sums.taken_down,
    )


def _languages_by(ends: Sequence[Stage]) -> str:
    if ends and all(LANGUAGE in dict(stage.manifest.schema) for stage in ends):
        return LANGUAGE
    return "declared_language" if ends else ""


def _of_shard(shard: Shard, *, by: str, gone: pa.Array) -> _Sums:
    """The sums of one file."""
    part, sums = shard.part, _Sums()
    wanted = [*NARROW, *([f"{LANGUAGE}.label"] if by == LANGUAGE else []), *(["doc_id"] if len(gone) else [])]
    with open_parquet(shard.uri) as parquet:
        table = parquet.read(columns=wanted, use_threads=False)
        kept = table["drop_reason"].is_null().combine_chunks()
        if len(gone):
            here = pc.is_in(table["doc_id"].combine_chunks(), gone)
            sums.taken_down = pc.sum(pc.and_(kept, here)).as_py() or 0
            kept = pc.and_(kept, pc.invert(here))
        mask = np.asarray(kept)
        table = table.filter(kept)
        if not table.num_rows:
            return sums
        label = pc.struct_field(table[LANGUAGE], "label") if by == LANGUAGE else table["declared_language"]
        table = table.append_column("label", label)
        table = table.set_column(table.column_names.index("licence"), "licence", _licences(table["licence"]))
        names = {"source": "source", "licence": "licence", LANGUAGE: "label"}
        if not sums.taken_down and all(pc.count_distinct(table[name], "all").as_py() == 1 for name in names.values()):
            whole = [part.kept, part.kept_text_bytes, part.tokens]
            sums.groups = {group: {table[name][0].as_py(): list(whole)} for group, name in names.items()}
        else:
            sizes = _lengths(parquet, "text", mask), _lengths(parquet, "tokens", mask)
            sums.groups = {group: _grouped(table[name], *sizes) for group, name in names.items()}
    sums.dates = _dates(table)
    sums.domains = _domains(table["url"])
    return sums


def _licences(stated: pa.ChunkedArray) -> pa.Array:
    """string[N]: what each statement asks for, as `licence_policy` reads it; as it is written where that is not known,
    null where nothing is stated."""
    texts = pc.dictionary_encode(stated.combine_chunks())
    read = ((text, asked_for(text)) for text in texts.dictionary.to_pylist())
    names = [{UNKNOWN: text, NONE_STATED: None}.get(name, name) for text, name in read]
    return pa.array(names, pa.string()).take(texts.indices)


def _lengths(parquet: pq.ParquetFile, column: str, mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """int64: UTF-8 bytes or tokens of the chosen rows, bool[N]; 0 where the file has no such column."""
    if column not in parquet.schema_arrow.names:
        return np.zeros(int(mask.sum()), np.int64)
    measure = pc.binary_length if column == "text" else pc.list_value_length
    groups = range(parquet.num_row_groups)
    found = [measure(parquet.read_row_group(group, columns=[column], use_threads=False)[column]) for group in groups]
    lengths: npt.NDArray[np.int64] = np.concatenate(
        [np.asarray(pc.fill_null(one, 0).cast(pa.int64())) for one in found]
    )
    return lengths[mask]


def _grouped(
    names: pa.ChunkedArray, text_bytes: npt.NDArray[np.int64], tokens: npt.NDArray[np.int64]
) -> dict[str | None, list[int]]:
    table = pa.table({"name": names, "bytes": text_bytes, "tokens": tokens})
    found = table.group_by("name", use_threads=False).aggregate(
        [("bytes", "count"), ("bytes", "sum"), ("tokens", "sum")]
    )
    columns = [found[name].to_pylist() for name in ("name", "bytes_count", "bytes_sum", "tokens_sum")]
    return {name: counts for name, *counts in zip(*columns, strict=True)}


def _dates(table: pa.Table) -> dict[str, _Dates]:
    """By source; a part is of one."""
    ends = pc.min_max(table["crawled_at"]).as_py()
    return {table["source"][0].as_py(): _Dates(ends["min"], ends["max"], table["crawled_at"].null_count)}


def _domains(urls: pa.ChunkedArray) -> Counter[str]:
    """Of whole addresses only: a source of files has their paths in this column."""
    whole = urls.filter(pc.fill_null(pc.match_substring(urls, "://"), False))
    parsed = parse_urls(whole.cast(pa.large_string()).combine_chunks())
    found = public_suffixes.load(public_suffixes.EMBEDDED).registered(parsed).drop_null()
    return Counter({one["values"]: one["counts"] for one in pc.value_counts(found).to_pylist()})


def _merge(sums: _Sums, more: _Sums) -> None:
    for group, found in more.groups.items():
        for name, counts in found.items():
            before = sums.groups[group].get(name, [0, 0, 0])
            sums.groups[group][name] = [a + b for a, b in zip(before, counts, strict=True)]
    for source, two in more.dates.items():
        one = sums.dates.get(source, _Dates())
        firsts, lasts = ([day for day in days if day] for days in ((one.first, two.first), (one.last, two.last)))
        sums.dates[source] = _Dates(min(firsts, default=None), max(lasts, default=None), one.undated + two.undated)
    sums.domains.update(more.domains)
    sums.taken_down += more.taken_down


def _shares(found: dict[str | None, list[int]], tokens: bool) -> tuple[Share, ...]:
    """Most text first, ties by name."""
    ordered = sorted(found.items(), key=lambda item: (-item[1][1], item[0] is None, item[0] or ""))
    return tuple(Share(name, docs, size, count if tokens else None) for name, (docs, size, count) in ordered)


def _dated(share: Share, dates: _Dates) -> Share:
    first, last = (day.date().isoformat() if day else None for day in (dates.first, dates.last))
    return dataclasses.replace(share, first_date=first, last_date=last, undated=dates.undated)
