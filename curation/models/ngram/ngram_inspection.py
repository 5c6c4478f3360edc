"""What an n-gram model is, and how well it predicts documents."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.models.ngram.arpa import sizes
from curation.models.ngram.model_file import FIRST_LINE, Facts, facts_of, is_binary, load
from curation.models.quantiles import percentiles

DATA = b"\\data\\"


def is_ngram_model(uri: str) -> bool:
    """Whether the file begins as one in ARPA or KenLM's binary format."""
    return is_binary(uri) or DATA in storage.read_start(uri, FIRST_LINE)


def inspect(uri: str, texts: Iterable[pa.Array], *, normalization: str = "", pieces: str = "") -> dict[str, Any]:
    """What the file says of its model; where there are `texts` also `scores`: documents, and quantiles of perplexity
    and bits per character. `normalization` and `pieces` as for the filter `perplexity`. Raises InputError as `load`."""
    stated = facts_of(uri)
    own = stated or Facts(normalization=normalization)
    facts: dict[str, Any] = {
        "kind": "ngram_model",
        "file_bytes": storage.size(uri),
        "from_winnow": stated is not None,
        "normalization": own.normalization,
        "language": own.language,
        "pieces": own.pieces,
        "halves": own.half > 0,
    }
    if not is_binary(uri):
        facts["ngrams"], _ = sizes(storage.read_start(uri, FIRST_LINE))
    measured = [np.empty((2, 0))]
    for array in texts:
        measures = load(uri, normalization=normalization, pieces=pieces).measures(array, least=1)
        measured.append(np.array(measures[:2]))
    values = np.concatenate(measured, axis=1)
    known = values[:, ~np.isnan(values[0])]
    if known.shape[1]:
        facts["scores"] = {"documents": values.shape[1], "unscored": values.shape[1] - known.shape[1]} | {
            name: percentiles(row) for name, row in zip(("perplexity", "bits_per_character"), known, strict=True)
        }
    return facts
