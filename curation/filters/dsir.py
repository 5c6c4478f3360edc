"""DSIR: keep documents in proportion to how much likelier their words are in a target than in raw text.

Source: Xie et al. 2023, "Data Selection for Language Models via Importance Resampling" (arXiv:2302.03169), section 4,
and its code for the least number of words. `log_weight` is the log of the importance weight in nats;
`curation/models/dsir/importance.py` defines it.

    - fit: {dsir: {target: wikipedia/*.jsonl}}
    - filter: {dsir: {model: "@dsir"}}                                           # measures, and drops short texts
      name: weights
    - fit: {quantiles: {signals: [dsir.noisy_log_weight]}}
    - filter: {dsir: {model: "@dsir", min_noisy_log_weight: "@quantiles p90"}}   # keeps a tenth
      name: selected

`noisy_log_weight` is `log_weight` plus Gumbel noise, and the k documents in which it is largest are a sample without
replacement in which each is drawn in proportion to its weight among those that are left. So a limit at its quantile
keeps that share of documents as the paper does, over all shards: to within one document where the quantiles are of all
documents (`sample_documents` or fewer), else up to the error of a quantile of that many. The noise is a function of the
document's id and of `seed`, so the same documents are kept on every run.

Choices the paper leaves open: a sum over words favours long texts, so `log_weight_per_word` is measured too, for
limits and for `pack: {split_by: {column: dsir.log_weight_per_word, edges: [0]}}`. A text without a word is unmeasured.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.component import Signals
from curation.core.errors import RecipeError
from curation.core.filter import Filter
from curation.core.limits import COUNTS, Limit
from curation.models.dsir.importance import load, locate
from curation.text.kernels.hashing import hash64
from curation.text.kernels.mix64 import GOLDEN, splitmix64_each


@dataclass(frozen=True, kw_only=True)
class Dsir(Filter):
    """The counts that weigh documents, and limits."""

    model: Annotated[str, "output of `fit: {dsir: …}`: its path, or @ and the name of the fit stage"]
    seed: Annotated[int, "of the noise"] = 0
    min_words: Annotated[int, "words of a document"] = 100
    min_log_weight: Annotated[float, "nats"] = -inf
    min_log_weight_per_word: Annotated[float, "nats per word"] = -inf
    min_noisy_log_weight: Annotated[float, "nats"] = -inf

    reads: ClassVar[tuple[str, ...]] = ("doc_id", "text")
    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("words", least="min_words", between=COUNTS, when={"min_words": ()}),
        Limit("log_weight", least="min_log_weight"),
        Limit("log_weight_per_word", least="min_log_weight_per_word"),
        Limit("noisy_log_weight", least="min_noisy_log_weight"),
    )
    fitted_by: ClassVar[dict[str, str]] = {"model": "dsir"}
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not self.model:
            raise RecipeError("model names no file: give a path, or @ and the name of a fit stage")
        if self.seed < 0:
            raise RecipeError(f"seed is {self.seed}; give 0 or more")

    def assets(self) -> Mapping[str, str]:
        """Where the counts are. Raises InputError if they are missing or of another kind."""
        return {"model": locate(self.model)}

    def signal_types(self) -> Signals:
        """The words, and three weights."""
        weights = ("log_weight", "log_weight_per_word", "noisy_log_weight")
        return {"words": pa.int64(), **dict.fromkeys(weights, pa.float64())}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> words int64[N] and three log weights float64[N], null without a word."""
        weights, words = load(self.model).log_weights(batch.column("text"))
        none = words == 0
        return {
            "words": pa.array(words),
            "log_weight": pa.array(weights, mask=none),
            "log_weight_per_word": pa.array(weights / np.maximum(words, 1), mask=none),
            "noisy_log_weight": pa.array(weights + gumbel(batch.column("doc_id"), self.seed), mask=none),
        }


def gumbel(ids: pa.Array, seed: int) -> npt.NDArray[np.float64]:
    """float64[N]: standard Gumbel noise by document id."""
    bits = splitmix64_each(hash64(ids) ^ np.uint64(seed * int(GOLDEN) % 2**64))
    uniform = ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    noise: npt.NDArray[np.float64] = -np.log(-np.log(uniform))
    return noise
