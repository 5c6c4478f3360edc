"""The causal objective: predict each token from those before it.

Every slot of a row but the first is a label, padding apart. So the first token of a document inside a row is predicted
as well, from the end of the one before, also where attention does not cross documents; the document that a row begins
with has nothing before it. `curation.tokens.mixing.streams` counts these labels for the mix; of rows that training
reads only the beginning of (a shorter `sequence_length`), fewer are. B rows, L + 1 tokens per row.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from training.objectives.example import Example


def causal(tokens: npt.NDArray[Any], segments: npt.NDArray[np.int32], rng: np.random.Generator) -> Example:
    """Unsigned tokens [B, L + 1] and their segments int32[B, L + 1] (0 for padding) -> rows of L; draws nothing."""
    del rng
    wide = tokens.astype(np.int64)
    return Example(
        inputs=np.ascontiguousarray(wide[:, :-1]),
        labels=np.ascontiguousarray(wide[:, 1:]),
        mask=segments[:, 1:] != 0,
        segments=np.ascontiguousarray(segments[:, :-1], dtype=np.int32),
    )
