"""Which tokens of a document spell some of its bytes.

The bytes of a document's tokens add up to its text where the tokenizer changes nothing of it (byte-level BPE without
normalization, for instance); then the tokens of a span are known exactly. Otherwise all of the document's are meant.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from curation.account.evalsets.excerpts import TextSpan
from curation.account.lineage.token_rows import Range
from curation.account.sealed.rows import Ints
from curation.account.sealed.sealed_stage import TOKENIZER_COPY, SealedShard
from curation.core import storage
from curation.tokens.encoders.load_tokenizer import load_text

TOKENS = "tokens"


def token_ranges(shard: SealedShard, row: int, spans: Sequence[TextSpan]) -> tuple[Range, ...] | None:
    """The tokens that spell the spans of a row's text; None where the tokens do not spell the text exactly."""
    if not shard.stage.verb.encodes or not spans:
        return None
    table = pa.table({name: shard.column(name, np.array([row])) for name in ("text", TOKENS)})
    tokens = np.asarray(table[TOKENS].combine_chunks().flatten()).astype(np.int64)
    ends = np.cumsum(_widths(shard.stage.folder)[tokens])
    if not len(ends) or ends[-1] != len((table["text"][0].as_py() or "").encode()):
        return None
    begins = np.concatenate([[0], ends[:-1]])
    return tuple(
        (int(np.searchsorted(ends, span.start, side="right")), int(np.searchsorted(begins, span.stop)))
        for span in spans
    )


@lru_cache(maxsize=2)
def _widths(folder: str) -> Ints:
    """int64[V]: bytes of text of each token; 0 of special ones."""
    name = next(name for name in storage.list_names(folder) if name.startswith(TOKENIZER_COPY))
    tokens: list[Any] = load_text(storage.join(folder, name)).tokens()
    return np.array([len(token) if isinstance(token, bytes) else 0 for token in tokens], np.int64)
