"""One tokenization for all runs, and draws of a run's documents in it.

The tokenizer is a byte-level BPE, learned from equally many bytes of each run and never from held-out text. All 256
bytes are tokens, so every text has tokens, and bits per byte of any two runs compare. N documents, T tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.compare.run_text import RunText
from curation.fit.tokenizer import Tokenizer
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN, splitmix64_each
from curation.tokens.encoders.load_tokenizer import LoadedTokenizer, parse
from curation.tokens.encoders.text_ends import AUTO

Ids = npt.NDArray[np.unsignedinteger]  # uint16 or uint32
MOST_BYTES = 1 << 25  # of all runs together, to learn the tokenizer from
NAME = "the common tokenizer"


def common_tokenizer(runs: Sequence[RunText], vocabulary: int) -> LoadedTokenizer:
    """With so many tokens, or fewer where the text is small. Raises RecipeError if that is less than 256 bytes need."""
    share = min(MOST_BYTES // len(runs), *(run.bytes for run in runs))
    fit = Tokenizer(vocab_size=vocabulary)
    batches = [pa.record_batch({"text": _first_bytes(run, share)}) for run in runs]
    return parse(fit.fit(iter(batches))[fit.asset], NAME).with_ends(AUTO, AUTO)


@dataclass(frozen=True, eq=False)
class RunTokens:
    """A run's documents in tokens, each with end-of-text."""

    name: str
    documents: pa.LargeListArray  # large_list<uint16|uint32>[N]
    keys: Hashes  # uint64[N]

    @property
    def tokens(self) -> int:
        return len(self.documents.flatten())

    def draw(self, seed: int, tokens: int) -> Ids:
        """`tokens` ids of documents one after the other, in an order that follows from their ids and the seed alone;
        the last one may be cut. A smaller draw of a seed is the beginning of a larger one."""
        order = order_of(self.keys, seed)
        lengths = np.asarray(pc.list_value_length(self.documents))[order]
        needed = int(np.searchsorted(np.cumsum(lengths), tokens)) + 1
        ids: Ids = np.asarray(self.documents.take(pa.array(order[:needed])).flatten())[:tokens]
        return ids


def order_of(keys: Hashes, seed: int) -> npt.NDArray[np.int64]:
    """int64[N]: another order of the documents for each seed; equal keys stay in theirs."""
    mixed = splitmix64_each(keys + splitmix64_each(np.array([seed + 1], np.uint64) * GOLDEN))
    return np.argsort(mixed, kind="stable")


def _first_bytes(run: RunText, most: int) -> pa.Array:
    """Texts in the order of the keys, until there are `most` bytes; the last one is cut, at a character."""
    order = np.argsort(run.keys, kind="stable")
    sizes = np.cumsum(np.asarray(pc.binary_length(run.texts))[order])
    whole = int(np.searchsorted(sizes, most, side="right"))
    texts = run.texts.take(pa.array(order[: whole + 1]))
    if whole == len(order):
        return texts
    before = int(sizes[whole - 1]) if whole else 0
    cut = texts[whole].as_py().encode()[: most - before].decode(errors="ignore")
    return pa.concat_arrays([texts[:whole], pa.array([cut], pa.large_string())])
