"""Scores sampled documents with a language model, and writes them with their scores as Parquet or JSON lines.

The file has the columns of `annotations.COLUMNS`, a row per document that was asked about, also of those without a
score. A recipe names it as labelled examples, with `score` as the label or in a condition such as `score >= 3`.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import pyarrow as pa
import pyarrow.parquet as pq

from curation.account.annotate.annotations import Annotations, Annotator, rows_of, summary
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
    rows = rows_of(table, hashes, outcome, asked)
    _write(output, rows if with_text else rows.drop_columns("text"))
    return summary(
        table,
        rows,
        available,
        progress,
        output=output,
        cache=answers.path,
        asked=asked,
        torn_lines=answers.torn,
        seconds=monotonic() - begun,
    )


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


def _write(output: str, rows: pa.Table) -> None:
    if output.endswith(".jsonl"):
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows.to_pylist())
        storage.replace_bytes(output, "".join(lines).encode())
        return
    sink = pa.BufferOutputStream()
    pq.write_table(rows, sink, compression="zstd")
    storage.replace_bytes(output, sink.getvalue().to_pybytes())
