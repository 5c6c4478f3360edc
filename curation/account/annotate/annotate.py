"""Scores sampled documents with a language model, and writes them with their scores as Parquet or JSON lines.

The file has the columns of `COLUMNS`, a row per document that was asked about, also of those without a
score. A recipe names it as labelled examples, with `score` as the label or in a condition such as `score >= 3`.
"""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import monotonic

import pyarrow as pa
import pyarrow.parquet as pq

from curation.account.annotate.answers import Answers
from curation.account.annotate.budget import Prices, Spend
from curation.account.annotate.documents import RunUnit, run_units, sample
from curation.account.annotate.endpoint import Endpoint
from curation.account.annotate.files import FileUnit, file_units
from curation.account.annotate.rubric import Rubric
from curation.account.annotate.teacher import Teacher, TeacherOutcome, TeacherProgress
from curation.account.sealed.run_folder import RunFolder
from curation.core import storage
from curation.core.errors import UserError
from curation.core.manifest import RUN

CACHE = ".answers"  # after the output's name; not *.jsonl, so that a glob matches documents only
ENDINGS = (".parquet", ".jsonl")
HASH_DIGITS = 32
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


def annotate(
    source: str,
    output: str,
    *,
    rubric: Rubric,
    endpoint: Endpoint,
    prices: Prices,
    documents: int,
    signal: str | None = None,
    cache: str | None = None,
    with_text: bool = True,
    on_progress: Callable[[TeacherProgress], None] = lambda _: None,
) -> Annotations:
    """`source` is a run's folder, or files of documents; `cache` is by default the output's name with CACHE.

    Raises UserError before any request where nothing can come of it, and StageError where the endpoint gives no
    answers.
    """
    begun = monotonic()
    if not output.endswith(ENDINGS):
        raise UserError(f"--output {output}: scores are written as {' or '.join(ENDINGS)}; end its name so")
    if documents < 1:
        raise UserError(f"--documents is {documents}; it must be at least 1")
    if prices.max_cost is not None and endpoint.longest_answer is None:
        raise UserError("--max-cost needs max_tokens in the request, which bounds what an answer costs")
    asked = Annotator(f"{rubric.name} {rubric.version}", prompt_hash(rubric, endpoint), endpoint.model)
    with Answers(cache or output + CACHE, prompt=asked.prompt, model=asked.model) as answers:
        table, available = sample(_units(source, signal), documents, signal)
        texts = table["text"].combine_chunks()
        hashes = [text_hash(text.as_py()) for text in texts]
        rows_by_hash = {key: row for row, key in enumerate(hashes)}  # in the order of the sample
        progress = TeacherProgress(len(rows_by_hash), Spend(prices, endpoint.longest_answer or 0))
        teacher = Teacher(endpoint, rubric, answers, progress, on_progress)
        outcome = _run(teacher.ask(list(rows_by_hash), lambda key: texts[rows_by_hash[key]].as_py()))
    rows = _rows_of(table, hashes, outcome, asked)
    _write(output, rows if with_text else rows.drop_columns("text"))
    return _summary(table, rows, available, progress, answers, asked, output, begun)


def prompt_hash(rubric: Rubric, endpoint: Endpoint) -> str:
    """Of all that a model is asked besides the text: the rubric's wording, and the fields of the request."""
    asked = {"rubric": rubric.identity(), "parameters": endpoint.parameters}
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:HASH_DIGITS]


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:HASH_DIGITS]


def _run(asking: Coroutine[None, None, TeacherOutcome]) -> TeacherOutcome:
    """In a thread of its own where this one has an event loop already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(asking)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, asking).result()


def _units(source: str, signal: str | None) -> Sequence[RunUnit] | Sequence[FileUnit]:
    if storage.exists(storage.join(source, RUN)):
        return run_units(RunFolder.open(source), signal)
    return file_units(source, signal)


def _rows_of(sample: pa.Table, hashes: Sequence[str], outcome: TeacherOutcome, asked: Annotator) -> pa.Table:
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


def _summary(
    sample: pa.Table,
    rows: pa.Table,
    available: Mapping[tuple[str, str], int],
    progress: TeacherProgress,
    answers: Answers,
    asked: Annotator,
    output: str,
    begun: float,
) -> Annotations:
    """`begun` is when, by `monotonic`, the command began."""
    spend = progress.spend
    priced = spend.prices.price_in is not None
    return Annotations(
        output=output,
        cache=answers.path,
        asked=asked,
        sampled=len(sample),
        scored=len(rows) - rows["score"].null_count,
        unscored=dict(Counter(rows["unscored"].drop_null().to_pylist()).most_common()),
        not_asked=len(sample) - len(rows),
        cells=_cells(sample, rows, available),
        requests=progress.requests,
        cached=progress.cached,
        malformed=progress.malformed,
        retries=dict(progress.retries.most_common()),
        torn_lines=answers.torn,
        prompt_tokens=spend.prompt_tokens,
        completion_tokens=spend.completion_tokens,
        paid=spend.paid if priced else None,
        uncertain=spend.uncertain if priced else None,
        paid_before=spend.cached if priced else None,
        max_cost=spend.prices.max_cost,
        seconds=monotonic() - begun,
    )


def _cells(sample: pa.Table, rows: pa.Table, available: Mapping[tuple[str, str], int]) -> list[Cell]:
    sampled = Counter(_keys(sample))
    scores: dict[tuple[str, str], Counter[int | None]] = {}
    for key, score in zip(_keys(rows), rows["score"].to_pylist(), strict=True):
        scores.setdefault(key, Counter())[score] += 1
    cells = []
    for key, count in available.items():
        by_score = scores.get(key, Counter())
        known = {score: by_score[score] for score in sorted(score for score in by_score if score is not None)}
        cells.append(Cell(*key, count, sampled[key], by_score[None], known))
    return cells


def _keys(table: pa.Table) -> Iterator[tuple[str, str]]:
    return zip(table["source"].to_pylist(), table["stratum"].to_pylist(), strict=True)


def _write(output: str, rows: pa.Table) -> None:
    if output.endswith(".jsonl"):
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows.to_pylist())
        storage.replace_bytes(output, "".join(lines).encode())
        return
    sink = pa.BufferOutputStream()
    pq.write_table(rows, sink, compression="zstd")
    storage.replace_bytes(output, sink.getvalue().to_pybytes())
