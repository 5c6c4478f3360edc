"""The rule set `language` beside python-fasttext on whole texts: how often they decide alike, and the speed of each.

Both give the embedded model's best label: ours in batches of 1,000 documents, python-fasttext for all texts at once,
each text on one line. A document is kept from a score of 0.65 on. They agree if 99.5 % of the documents are kept or
dropped by both (ours reads parts of a text by design), and if our score of the whole text is the library's.
"""

import argparse
from collections.abc import Iterator
from functools import partial
from typing import Any

import fasttext
import numpy as np
import pyarrow as pa

from benchmarks.case import Case, DisagreementError, apart, over
from benchmarks.data import amounts, batches_of, default_paths, not_blank, single_lines, texts_in
from curation.filters.language import Language
from curation.models.fasttext.classifier import EMBEDDED, load, locate
from curation.models.text_windows import whole

LIMIT = 0.65
LEAST_ALIKE = 0.995  # of the documents
NEAR = 1e-4  # of scores of the whole text


def library(binding: Any, lines: list[str]) -> tuple[Any, Any]:
    """Best labels and their scores by python-fasttext's binding, because its `predict` fails with NumPy 2."""
    labels, scores = binding.multilinePredict(lines, 1, 0.0, "strict")
    best = np.array([ranked[0].removeprefix("__label__") for ranked in labels], np.object_)
    return best, np.minimum(np.array([ranked[0] for ranked in scores], np.float64), 1.0)


def alike(texts: pa.Array, ours: list[Any], theirs: tuple[Any, Any]) -> str:
    labels, scores = (
        np.concatenate([signals[name].to_numpy(zero_copy_only=False) for signals in ours])
        for name in ("label", "score")
    )
    keep = scores >= LIMIT
    they_keep = theirs[1] >= LIMIT
    same = (keep == they_keep).mean()
    same_label = ((keep == they_keep) & (~keep | (labels == theirs[0]))).mean()
    if same < LEAST_ALIKE:
        raise DisagreementError(f"{same:.2%} are kept or dropped by both")
    on_whole = load(EMBEDDED).best(whole(texts))[1][:, 0]
    known = ~np.isnan(on_whole)
    return (
        f"alike {same:.2%}, with label {same_label:.2%}; whole texts: {apart(on_whole[known], theirs[1][known], NEAR)}"
    )


def run(options: argparse.Namespace) -> Iterator[Case]:
    binding = fasttext.load_model(locate(EMBEDDED)).f
    groups = {"given": options.files} if options.files else {path.split("/")[-2]: (path,) for path in default_paths()}
    for name, paths in groups.items():
        texts = not_blank(texts_in(paths, options.documents))
        yield Case(
            name=name,
            ours=over(Language().measure, batches_of(texts)),
            peer=partial(library, binding, single_lines(texts)),
            called="python-fasttext",
            agree=partial(alike, texts),
            amounts={"documents": len(texts), "MB": amounts(texts)["MB"]},
            packages=("fasttext",),
        )


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", help="files with texts; default: the test data beside this checkout")
    parser.add_argument("--documents", type=int, help="so many, spread evenly; default: all")
