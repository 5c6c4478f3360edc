"""How fast the published text rules are on one core, beside datatrove's filters and what memory can be read at.

`together` is one stage with all four rule sets and their verdicts, which share measures; `with_c4_lines` also runs C4's
line rules, as datatrove's C4 filter does, and is compared with datatrove's `together`. Passes are the steps of the rule
sets. datatrove judges `--peer-megabytes` of the same texts, with our words (`whitespace`) and with its own (`spacy`);
`benchmarks.parity` checks that both decide alike.
"""

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.case import Case, over
from benchmarks.data import BATCH_ROWS, add_text_options, amounts, chosen_texts, spread_over
from benchmarks.datatrove import timings
from curation.dedup.exact import Exact
from curation.engine.apply import judge, rewrite
from curation.filters.c4_quality import C4Quality
from curation.filters.fineweb_quality import FinewebQuality
from curation.filters.gopher_quality import GopherQuality
from curation.filters.gopher_repetition import GopherRepetition
from curation.filters.language import Language
from curation.rewrite.c4_lines import C4Lines
from curation.text.counts import count_words
from curation.text.kernels.hashing import hash128
from curation.text.ngrams import count_ngrams
from curation.text.normalize import normalized
from curation.text.phrases.occurrences import count_phrases
from curation.text.repeats import count_repeats
from curation.text.sentences import sentence_spans
from curation.text.sizes import count_newlines
from curation.text.spans import line_spans, word_spans

VARIANTS = ("paper", "datatrove")
PEER = "datatrove"
Run = Callable[[pa.RecordBatch], object]
PASSES: dict[str, Callable[[pa.Array], object]] = {
    "normalized": normalized,
    "hash128": hash128,
    "find one byte": count_newlines,
    "find a phrase": lambda text: count_phrases(text, ("lorem ipsum",), any_case=True),
    "lines": line_spans,
    "repeated lines": lambda text: count_repeats(line_spans(text)),
    "sentences": sentence_spans,
    "words": word_spans,
    "words, letters and stop words": count_words,
    "words and their n-grams": count_ngrams,
}


def rule_sets(variant: Any) -> dict[str, Run]:
    """The four rule sets each alone, and all of them as a stage."""
    gopher: list[tuple[str, Any]] = [
        ("gopher_quality", GopherQuality(variant=variant)),
        ("gopher_repetition", GopherRepetition(variant=variant)),
    ]
    others: list[tuple[str, Any]] = [
        ("c4_quality", C4Quality(variant=variant)),
        ("fineweb_quality", FinewebQuality(variant=variant)),
    ]
    lines = [("c4_lines", C4Lines(variant=variant))]
    return {
        **{key: rule_set.measure for key, rule_set in [*gopher, *others]},
        "together": lambda batch: judge([*gopher, *others], batch),
        "with_c4_lines": lambda batch: judge(others, rewrite(lines, judge(gopher, batch))),
    }


def run(options: argparse.Namespace) -> Iterator[Case]:
    texts = chosen_texts(options)
    texts = spread_over(texts, options.megabytes) if options.megabytes else texts
    table = pa.table({"text": texts, "drop_reason": pa.nulls(len(texts), pa.string())})
    batches = table.to_batches(max_chunksize=BATCH_ROWS)
    some = spread_over(texts, options.peer_megabytes)
    peers = timings(options.datatrove, "filters", some) if options.datatrove else {}
    source = np.ones(1 << 25, np.uint64)
    target = np.empty_like(source)
    memory = {"MB": source.nbytes / 1e6}
    yield Case(name="memory read", ours=source.max, amounts=memory)
    yield Case(name="memory copied", ours=lambda: np.copyto(target, source), amounts=memory)
    for variant in VARIANTS:
        for name, part in rule_sets(variant).items():
            case = {"name": f"{variant}/{name}", "ours": over(part, batches), "amounts": amounts(texts)}
            compared = {"with_c4_lines": "together", "together": ""}.get(name, name)
            own = {key: peer for key, peer in peers.items() if variant == PEER and key.startswith(f"{compared}, ")}
            yield from (
                Case(**case, peer=one, called=f"{PEER}, {key}", peer_amounts=amounts(some)) for key, one in own.items()
            )
            if not own:
                yield Case(**case)
    for name, part in {"language": Language().measure, "exact": Exact().keys}.items():
        yield Case(name=name, ours=over(part, batches), amounts=amounts(texts))
    for name, of_text in PASSES.items():
        yield Case(name=name, ours=over(lambda batch, f=of_text: f(batch["text"]), batches), amounts=amounts(texts))


def add_options(parser: argparse.ArgumentParser) -> None:
    add_text_options(parser)
    parser.add_argument("--megabytes", type=float, help="judge about this much, in documents spread evenly over all")
    parser.add_argument("--peer-megabytes", type=float, default=1.0, help="text that datatrove judges")
