"""The causal objective: predict each token from those before it.

Every slot of a row is a label, except the first and padding. So the first token of a document inside a row is predicted
too, from the end of the previous document, even if attention does not cross documents. `curation.tokens.mixing.streams`
counts the same labels for the mix; training with a shorter `sequence_length` reads the start of each row and so fewer
labels. B rows, L + 1 tokens per row.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from training.batch import Example
from training.config.components import Objective


@dataclass(frozen=True, kw_only=True)
class Causal(Objective):
    """Each token from those before it, without any draw."""

    version: ClassVar[int] = 1

    def example(self, tokens: npt.NDArray[Any], segments: npt.NDArray[np.int32], rng: np.random.Generator) -> Example:
        """Tokens and segments [B, L + 1] -> an example of L; `rng` is unused."""
        del rng
        wide = tokens.astype(np.int64)
        return Example(
            inputs=np.ascontiguousarray(wide[:, :-1]),
            labels=np.ascontiguousarray(wide[:, 1:]),
            mask=segments[:, 1:] != 0,
            segments=np.ascontiguousarray(segments[:, :-1], dtype=np.int32),
        )
