"""The documents with the greatest and the smallest scores, to show how a model judges."""

import hashlib
import heapq

import numpy as np
import numpy.typing as npt
import pyarrow as pa

EXAMPLES = 5
CHARACTERS = 120


class Extremes:
    """Holds EXAMPLES documents of each kind; of equal scores, by a hash of the text, so that no order matters."""

    def __init__(self) -> None:
        self._best: list[tuple[float, str, str]] = []
        self._worst: list[tuple[float, str, str]] = []

    def add(self, texts: pa.Array, scores: npt.NDArray[np.float64]) -> None:
        """text[N] and float64[N]; NaN for one without a score."""
        for row in np.flatnonzero(~np.isnan(scores)).tolist():
            text = texts[row].as_py()
            score = float(scores[row])
            entry = (hashlib.sha256(text.encode(errors="replace")).hexdigest(), text[:CHARACTERS])
            for heap, rank in ((self._best, score), (self._worst, -score)):
                (heapq.heappush if len(heap) < EXAMPLES else heapq.heappushpop)(heap, (rank, *entry))

    def facts(self) -> dict[str, list[dict[str, object]]]:
        """`best` and `worst`: score and beginning of each, the most extreme first."""
        return {
            "best": [{"score": rank, "text": text} for rank, _, text in sorted(self._best, reverse=True)],
            "worst": [{"score": -rank, "text": text} for rank, _, text in sorted(self._worst, reverse=True)],
        }
