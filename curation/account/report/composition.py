"""Composition of the documents as they were read and as they are kept: languages, hosts, licences, years, lengths.

"Read" is the first stage that knows the figure: of languages, the one that identifies them, where there is one. What is
counted comes from `sampling`, scaled to all documents.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from curation.account.report.sampling import SampledRows
from curation.account.sealed.sealed_stage import SealedStage
from curation.account.sealed.walk import last_stages

KINDS = ("language", "host", "licence", "year")
LENGTHS = tuple(10 ** (quarter / 4) for quarter in range(4, 29))  # edges in bytes of text, 10 to 10^7
TOKENS = tuple(2**power for power in range(3, 22))  # edges in tokens, 8 to 2,097,152
Sampled = Mapping[SealedStage, SampledRows]


@dataclass(frozen=True)
class Extent:
    """Documents, bytes of text and tokens (None before there are any), scaled to all documents."""

    documents: int
    text_bytes: int
    tokens: int | None


@dataclass(frozen=True)
class BeforeAfter:
    """One value (None: unknown) among the documents that were read, and those kept."""

    value: str | None
    read: Extent
    kept: Extent


@dataclass(frozen=True)
class Composition:
    """`kinds` has the values of each of KINDS, those with most kept tokens or text first; `lengths` counts documents
    between the edges LENGTHS, read and kept, the shorter ones before them and the longer ones behind; `tokens` has kept
    documents by their tokens; `exact`: whether all documents were counted."""

    kinds: dict[str, tuple[BeforeAfter, ...]]
    lengths: tuple[tuple[int, int], ...]
    tokens: "TokenLengths | None"
    exact: bool


@dataclass(frozen=True)
class TokenLengths:
    """Documents by their number of tokens: counts between the edges TOKENS, as of lengths, the mean, and the quantiles
    of 50 and 99 %, with the longest document among those that were read."""

    documents: tuple[int, ...]
    mean: float
    median: int
    high: int  # 99 % of the documents have no more
    longest: int


def composition(stages: Sequence[SealedStage], sampled: Sampled) -> Composition:
    ends = [sampled[stage] for stage in last_stages(stages)]
    starts = [sampled[stage] for stage in stages if stage.verb.begins]
    labelling = _first_labelled(stages, sampled)
    return Composition(
        kinds={kind: _values(kind, labelling if kind == "language" else starts, ends) for kind in KINDS},
        lengths=tuple(zip(_lengths(starts, kept=False), _lengths(ends, kept=True), strict=True)),
        tokens=_token_lengths(ends),
        exact=all(rows.share == 1 for rows in (*starts, *ends)),
    )


def _first_labelled(stages: Sequence[SealedStage], sampled: Sampled) -> list[SampledRows]:
    """Of each source, the stage that identifies languages, else the first."""
    found = dict[str, SampledRows]()
    for stage in stages:
        known = found.get(stage.entry.chain)
        if stage.verb.documents and (known is None or (sampled[stage].labelled and not known.labelled)):
            found[stage.entry.chain] = sampled[stage]
    own = {chain: rows for chain, rows in found.items() if chain != "joined"}
    if any(rows.labelled for rows in own.values()) or "joined" not in found or not found["joined"].labelled:
        return list(own.values())
    return [found["joined"]]


def _values(kind: str, starts: Sequence[SampledRows], ends: Sequence[SampledRows]) -> tuple[BeforeAfter, ...]:
    read = _amounts(kind, starts, kept=False)
    kept = _amounts(kind, ends, kept=True)
    tokens = 0 if any(one.tokens is not None for one in kept.values()) else None
    rows = [
        BeforeAfter(value, read.get(value, Extent(0, 0, None)), kept.get(value, Extent(0, 0, tokens)))
        for value in read | kept
    ]
    return tuple(
        sorted(
            rows, key=lambda row: (-(row.kept.tokens or 0), -row.kept.text_bytes, -row.read.text_bytes, str(row.value))
        )
    )


def _amounts(kind: str, parts: Sequence[SampledRows], *, kept: bool) -> dict[str | None, Extent]:
    """The rows of several stages by value."""
    sums: dict[str | None, np.ndarray[tuple[int], np.dtype[np.float64]]] = {}
    tokens = any(part.table["tokens"].null_count < len(part.table) for part in parts)
    for part in parts:
        table = part.table.filter(part.table["drop_reason"].is_null()) if kept else part.table
        grouped = table.group_by([kind], use_threads=False)
        totals = grouped.aggregate([([], "count_all"), ("text_bytes", "sum"), ("tokens", "sum")])
        for row in totals.to_pylist():
            own = [row["count_all"], row["text_bytes_sum"] or 0, row["tokens_sum"] or 0]
            sums[row[kind]] = sums.get(row[kind], np.zeros(3)) + np.array(own) / part.share
    return {
        value: Extent(round(own[0]), round(own[1]), round(own[2]) if tokens else None) for value, own in sums.items()
    }


def _lengths(parts: Sequence[SampledRows], *, kept: bool) -> list[int]:
    total = np.zeros(len(LENGTHS) + 1)
    for part in parts:
        table = part.table.filter(part.table["drop_reason"].is_null()) if kept else part.table
        places = np.searchsorted(LENGTHS, np.asarray(pc.fill_null(table["text_bytes"], 0)), side="right")
        total += np.bincount(places, minlength=len(total)) / part.share
    return [round(count) for count in total]


def _token_lengths(parts: Sequence[SampledRows]) -> TokenLengths | None:
    counts = np.zeros(len(TOKENS) + 1)
    every = []
    for part in parts:
        tokens = part.table["tokens"].filter(part.table["drop_reason"].is_null()).drop_null()
        own = np.asarray(tokens, np.int64)
        places = np.searchsorted(TOKENS, own, side="right")
        counts += np.bincount(places, minlength=len(counts)) / part.share
        every.append(own)
    values = np.sort(np.concatenate([np.empty(0, np.int64), *every]))
    if not len(values):
        return None
    median, high = (int(values[int(share * (len(values) - 1))]) for share in (0.5, 0.99))
    rounded = tuple(round(count) for count in counts)
    return TokenLengths(rounded, float(values.mean()), median, high, int(values[-1]))


@dataclass(frozen=True)
class Loss:
    """What a stage dropped of a source for one reason. `documents` is exact; `text_bytes` is scaled from the rows that
    were read; `tokens` is that text at the rate of the source's kept text, None where nothing has tokens."""

    source: str
    stage: str
    reason: str
    documents: int
    text_bytes: int
    tokens: int | None


def losses(stages: Sequence[SealedStage], sampled: Sampled) -> tuple[Loss, ...]:
    """By source, largest text first."""
    rates = _tokens_per_byte(stages, sampled)
    found = []
    for stage in stages:
        if not stage.verb.documents:
            continue
        mean = _mean_bytes(sampled[stage])
        typical = sum(mean.values()) / len(mean) if mean else 1.0  # of a reason that no row which was read has
        for source, totals in stage.manifest.shards.totals.items():
            parts = totals.get("parts", {})
            dropped = totals.get("dropped", {})
            guesses = {reason: n * mean.get((source, reason), typical) for reason, n in dropped.items()}
            lost = parts.get("text_bytes", 0) - parts.get("kept_text_bytes", 0)
            scale = lost / sum(guesses.values()) if sum(guesses.values()) else 0.0
            for reason, documents in dropped.items():
                size = round(guesses[reason] * scale)
                tokens = round(size * rates[source]) if source in rates else None
                found.append(Loss(source, stage.name, reason, documents, size, tokens))
    return tuple(sorted(found, key=lambda loss: (loss.source, -loss.text_bytes, -loss.documents, loss.reason)))


def _mean_bytes(rows: SampledRows) -> dict[tuple[str, str], float]:
    """By source and reason."""
    table = rows.table.filter(rows.table["drop_reason"].is_valid())
    means = table.group_by(["source", "drop_reason"], use_threads=False).aggregate([("text_bytes", "mean")]).to_pylist()
    return {(row["source"], row["drop_reason"]): row["text_bytes_mean"] or 0.0 for row in means}


def _tokens_per_byte(stages: Sequence[SealedStage], sampled: Sampled) -> dict[str, float]:
    """Of each source's documents that have tokens."""
    rates = {}
    for stage in stages:
        if stage.verb.encodes:
            for source, totals in stage.manifest.shards.totals.items():
                parts = totals.get("parts", {})
                if parts.get("kept_text_bytes"):
                    rates[source] = parts["tokens"] / parts["kept_text_bytes"]
    return rates


def bytes_per_token(found: Composition) -> tuple[tuple[str | None, float], ...]:
    """Of each language that is kept, most text first."""
    languages = found.kinds["language"]
    return tuple((one.value, one.kept.text_bytes / one.kept.tokens) for one in languages if one.kept.tokens)
