"""What asking a language model gave: a row per document, and a summary by source and stratum."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from curation.account.annotate.budget import Spend
from curation.account.annotate.teacher import TeacherOutcome, TeacherProgress

COLUMNS = pa.schema(
    [
        ("doc_id", pa.string()),
        ("url", pa.string()),
        ("source", pa.string()),
        ("stratum", pa.string()),
        ("text", pa.large_string()),
        ("text_hash", pa.string()),  # SHA-256 of the text, the first 32 digits
        ("score", pa.int64()),  # null where there is none
        ("reason", pa.string()),  # the answer without the score
        ("unscored", pa.string()),  # why there is no score
        ("rubric", pa.string()),  # name and version
        ("prompt", pa.string()),  # hash of all that the model was asked besides the text
        ("model", pa.string()),
    ]
)


@dataclass(frozen=True)
class Cell:
    """Documents of one source and stratum."""

    source: str
    stratum: str
    available: int
    sampled: int
    unscored: int
    scores: dict[int, int]  # documents by score


@dataclass(frozen=True)
class Annotator:
    """The model and the prompt, as they stand in every row."""

    rubric: str
    prompt: str
    model: str


@dataclass(frozen=True)
class Annotations:
    """What was asked, answered and paid. Costs are in the currency of the prices, and None without prices."""

    output: str
    cache: str
    asked: Annotator
    sampled: int
    scored: int
    unscored: dict[str, int]  # by why
    not_asked: int  # left out because of the ceiling on cost
    cells: list[Cell]
    requests: int
    cached: int  # texts whose answers were stored
    malformed: int  # new answers without a score
    retries: dict[str, int]  # by cause
    torn_lines: int  # of the cache
    prompt_tokens: int
    completion_tokens: int
    paid: float | None
    uncertain: float | None  # the most that requests without usage can have cost
    paid_before: float | None  # by earlier commands, for the stored answers
    max_cost: float | None
    seconds: float


def rows_of(sample: pa.Table, hashes: Sequence[str], outcome: TeacherOutcome, asked: Annotator) -> pa.Table:
    """COLUMNS of the documents that were asked about; `hashes` are those of the texts."""
    scored = [outcome.scores.get(key, (None, None)) for key in hashes]
    columns = {
        **{name: sample[name] for name in sample.column_names},
        "text_hash": pa.array(hashes, pa.string()),
        "score": pa.array([score for score, _ in scored], pa.int64()),
        "reason": pa.array([reason for _, reason in scored], pa.string()),
        "unscored": pa.array([outcome.unscored.get(key) for key in hashes], pa.string()),
        **{name: pa.repeat(value, len(hashes)) for name, value in vars(asked).items()},
    }
    rows = pa.table({field.name: columns[field.name] for field in COLUMNS}, COLUMNS)
    return rows.filter(pa.array([key in outcome.scores or key in outcome.unscored for key in hashes], pa.bool_()))


def summary(
    sample: pa.Table,
    rows: pa.Table,
    available: Mapping[tuple[str, str], int],
    progress: TeacherProgress,
    *,
    output: str,
    cache: str,
    asked: Annotator,
    torn_lines: int,
    seconds: float,
) -> Annotations:
    spend = progress.spend
    unscored = Counter(rows["unscored"].drop_null().to_pylist())
    return Annotations(
        output=output,
        cache=cache,
        asked=asked,
        sampled=len(sample),
        scored=len(rows) - rows["score"].null_count,
        unscored=dict(unscored.most_common()),
        not_asked=len(sample) - len(rows),
        cells=_cells(sample, rows, available),
        requests=progress.requests,
        cached=progress.cached,
        malformed=progress.malformed,
        retries=dict(progress.retries.most_common()),
        torn_lines=torn_lines,
        prompt_tokens=spend.prompt_tokens,
        completion_tokens=spend.completion_tokens,
        **_costs(spend),
        max_cost=spend.prices.max_cost,
        seconds=seconds,
    )


def _costs(spend: Spend) -> dict[str, float | None]:
    costs = {"paid": spend.paid, "uncertain": spend.uncertain, "paid_before": spend.cached}
    return {name: None if spend.prices.price_in is None else cost for name, cost in costs.items()}


def _cells(sample: pa.Table, rows: pa.Table, available: Mapping[tuple[str, str], int]) -> list[Cell]:
    sampled = Counter(_keys(sample))
    scores: dict[tuple[str, str], Counter[int | None]] = {}
    for key, score in zip(_keys(rows), rows["score"].to_pylist(), strict=True):
        scores.setdefault(key, Counter())[score] += 1
    cells = []
    for (source, stratum), count in available.items():
        by_score = scores.get((source, stratum), Counter())
        known = {score: by_score[score] for score in sorted(score for score in by_score if score is not None)}
        cells.append(Cell(source, stratum, count, sampled[source, stratum], by_score[None], known))
    return cells


def _keys(table: pa.Table) -> Iterator[tuple[str, str]]:
    return zip(table["source"].to_pylist(), table["stratum"].to_pylist(), strict=True)
