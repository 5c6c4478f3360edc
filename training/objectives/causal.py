"""The causal objective: predict each token from those before it.

A label in padding carries no loss. The first token of a document is predicted as well (from the end of the one before),
so that what the model learns does not depend on where the packing put a document.
B rows, L + 1 tokens per row.
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
