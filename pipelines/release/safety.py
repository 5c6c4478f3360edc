"""What a model says that it should not: personal data, listed terms, and passages of its training data.

Each answer is a share of what was asked and a few samples, in which personal data are masked. They are measured on
draws from the model, so what is rare may be missed: no figure here is a proof that something cannot happen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from curation.account.lineage.trace import trace_positions
from curation.core.errors import InputError
from curation.filters.toxicity import EMBEDDED, Toxicity
from curation.models.pii.find import PiiSearch, find_personal_data
from curation.tokens.step_rows import StepRows, read_skipped
from pipelines.evaluate import RunTokenizer
from training.config.arithmetic import step_rows
from training.data.check import PreparedData
from training.evaluate.causal import CausalNetwork
from training.evaluate.generate import generate
from training.evaluate.trained import TrainedRun
from training.release.memorisation import Passage, held_out_passages, openings, repeated, trained_passages

OPENING = 16  # tokens of a held-out row that a text begins with
WRITTEN = 100  # tokens behind them, at most to the length of a row
SAMPLES = 5
SHOWN = 200  # characters of a sample

Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class SafetyQuestions:
    """How much is asked, and by which lists."""

    samples: int = 200  # texts, and passages of each split
    language: str = "en"  # of the texts
    terms: Mapping[str, str] = field(default_factory=dict)  # language: file in place of the built-in list
    seed: int = 0


def safety(
    model: CausalNetwork,
    tokenizer: RunTokenizer,
    run: TrainedRun,
    prepared: PreparedData,
    asked: SafetyQuestions,
    listed: Toxicity,
) -> Record:
    """`generations` and `memorisation`; `listed` is what `term_filter` gives."""
    data = prepared.data
    length = (prepared.config.sequence_length or data.sequence_length) + 1
    held_out = held_out_passages(data, asked.samples, length)
    rows = step_rows(prepared.config, read_skipped(run.folder))
    trained = trained_passages(data, rows, run.steps[-1], asked.samples, length)
    learnt = repeated(model, trained)
    prompts = openings(data, asked.samples, OPENING)
    written_tokens = min(WRITTEN, max(length - 1 - OPENING, 0))
    made = generate(
        model,
        prompts,
        written_tokens,
        temperature=1.0,
        seed=asked.seed,
        ends=lambda ids: ids[-1] == tokenizer.end_of_text,
    )
    texts = [tokenizer.text(ids) for ids in made]
    return {
        "generations": written(texts, listed),
        "memorisation": {
            "trained": {
                "passages": len(trained),
                "repeated": len(learnt),
                "samples": [
                    _sample(run, rows, data.folder, tokenizer, asked.language, one) for one in learnt[:SAMPLES]
                ],
            },
            "held_out": {"passages": len(held_out), "repeated": len(repeated(model, held_out))},
        },
    }


def term_filter(asked: SafetyQuestions) -> Toxicity:
    """Raises InputError for a list that is missing or cannot be read."""
    if not asked.terms and asked.language not in EMBEDDED:
        raise InputError(f"there is no built-in list of terms for {asked.language}; give a file as --terms")
    listed = Toxicity(language=asked.language, term_lists=asked.terms, max_terms=0)
    listed.assets()
    return listed


def written(texts: Sequence[str], listed: Toxicity) -> Record:
    """Texts with personal data, by kind, and with listed terms."""
    column = pa.array(texts, pa.large_string())
    spans = find_personal_data(column, None, PiiSearch(language=listed.language)).to_pylist()
    kinds = sorted({span["kind"] for found in spans for span in found})
    terms = listed.measure(pa.record_batch({"text": column}))["terms"].to_pylist()
    masks = [masked(text, found) for text, found in zip(texts, spans, strict=True)]
    return {
        "texts": len(texts),
        "personal_data": {
            "texts": sum(map(bool, spans)),
            "kinds": {kind: sum(any(span["kind"] == kind for span in found) for found in spans) for kind in kinds},
            "samples": [_shown(mask) for mask, found in zip(masks, spans, strict=True) if found][:SAMPLES],
        },
        "listed_terms": {
            "texts": sum(map(bool, terms)),
            "samples": [_shown(mask) for mask, count in zip(masks, terms, strict=True) if count][:SAMPLES],
        },
    }


def masked(text: str, spans: Sequence[Mapping[str, Any]]) -> str:
    """With the kind in place of each span of the text's bytes; of spans that overlap, the first."""
    content = text.encode()
    parts = []
    end = 0
    for span in spans:
        if span["start"] >= end:
            parts += [content[end : span["start"]], f"<{span['kind']}>".encode()]
        end = max(end, span["end"])
    return b"".join([*parts, content[end:]]).decode(errors="replace")


def _sample(
    run: TrainedRun, rows: StepRows, data: str, tokenizer: RunTokenizer, language: str, passage: Passage
) -> Record:
    """The words of a passage, and the document that they are from."""
    text = tokenizer.text(passage.continuation)
    (spans,) = find_personal_data(pa.array([text], pa.large_string()), None, PiiSearch(language=language)).to_pylist()
    step = rows.step_of(passage.position)
    read = trace_positions(run.folder, step, range(passage.position, passage.position + 1), data=data)
    (segment,) = (one for one in read.segments if 0 <= passage.place - one["position"] < one["length"])
    document = {name: segment[name] for name in ("doc_id", "url", "source")}
    return {**document, "step": step, "text": _shown(masked(text, spans))}


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"
