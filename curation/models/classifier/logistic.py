"""Logistic regression over hashed n-grams of words: training and scoring by kernels that never make a word's object.

The n-grams of 1 to `ngrams` words are hashed into a power of two of buckets, each with one weight. A text's n-grams
count with their occurrences, n of them in all; its logit is the bias plus the sum of their weights over the square root
of n, so a long text may be judged with more certainty than a short one. Words are those of
`curation/text/lower_words.py`: lower case, runs without whitespace, and single characters in scripts without spaces.

Training is gradient descent on the cross-entropy by single texts with AdaGrad's rate for each weight, in an order drawn
by hashes. It runs in one thread and gives the same weights each time.

Source: Weinberger et al. 2009, "Feature Hashing for Large Scale Multitask Learning" (arXiv:0902.2206); Duchi, Hazan and
Singer 2011, "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization" (JMLR 12).

N texts, B buckets.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN, murmur3, splitmix64_each
from curation.text.kernels.unicode import Cases, lower_cases
from curation.text.lower_words import LowerScan, begin_words, lower_scan, next_words
from curation.text.matches import Bools

Weights = npt.NDArray[np.float32]
Logits = npt.NDArray[np.float64]
ROUND = 512  # words that are hashed at a time
MOST_NGRAMS = 5
MOST_BUCKETS = 1 << 28
_STEP = np.uint64(0xD1342543DE82EF97)
FIRST_SQUARES = 0.1  # of gradients, before the first: the first texts would move every weight by the whole rate


class GramHashing(NamedTuple):
    """How words become buckets, and scratch arrays."""

    ngrams: int
    mask: int  # B - 1
    seed: np.uint64
    words: Out[Hashes]  # uint64[ROUND]
    running: Out[Hashes]  # uint64[ngrams]: the n-grams that end with the latest word, of 1, 2, … words


def _grams(ngrams: int, buckets: int, seed: int) -> GramHashing:
    seeds = np.uint64(seed * int(GOLDEN) % 2**64)
    return GramHashing(ngrams, buckets - 1, seeds, np.empty(ROUND, np.uint64), np.zeros(ngrams, np.uint64))


def check(weights: Weights, options: Mapping[str, int]) -> None:
    """Raises ValueError for weights, or options of `probabilities`, that no training gives: kernels check no index."""
    if options.keys() != {"ngrams", "buckets", "seed"}:
        raise ValueError("it does not say ngrams, buckets and seed of its training")
    buckets = options["buckets"]
    if not 1 <= buckets <= MOST_BUCKETS or buckets & (buckets - 1) or len(weights) != buckets + 1:
        raise ValueError(f"its {len(weights):,} weights are not those of {buckets:,} buckets and a bias")
    if not 1 <= options["ngrams"] <= MOST_NGRAMS or options["seed"] < 0:
        raise ValueError(f"it states n-grams of {options['ngrams']:,} words and the seed {options['seed']}")
    if not np.isfinite(weights).all():
        raise ValueError("its weights are not finite")


@kernel
def _extend(grams: GramHashing, seen: Int, word: np.uint64) -> Int:
    """Add a word to the running n-grams. Returns how many now end with it."""
    running = grams.running
    own = murmur3(word ^ grams.seed)
    last = min(seen, grams.ngrams - 1)
    for k in range(last, 0, -1):
        running[k] = murmur3(running[k - 1] * _STEP + own)
    running[0] = own
    return last + 1


@kernel
def _logit(
    data: Bytes, start: int, stop: int, grams: GramHashing, scan: LowerScan, lower: Cases, weights: Weights
) -> tuple[float, Int]:
    """The sum of the weights of a text's n-grams, and their number."""
    total = 0.0
    count = 0
    seen = 0
    begin_words(scan, start, stop)
    filled = grams.words.size
    while filled == grams.words.size:
        filled = next_words(data, scan, lower, grams.words)
        for word in range(filled):
            ends = _extend(grams, seen, grams.words[word])
            for k in range(ends):
                total += weights[np.int64(grams.running[k]) & grams.mask]
            count += ends
            seen += 1
    return total, count


@kernel
def _step(
    data: Bytes,
    start: int,
    stop: int,
    grams: GramHashing,
    scan: LowerScan,
    lower: Cases,
    gradient: float,
    rate: float,
    weights: Out[Weights],
    squares: Out[Weights],
) -> None:
    """Move the weights of a text's n-grams against the gradient of its loss, the same for each occurrence."""
    seen: Int = 0
    begin_words(scan, start, stop)
    filled = grams.words.size
    while filled == grams.words.size:
        filled = next_words(data, scan, lower, grams.words)
        for word in range(filled):
            for k in range(_extend(grams, seen, grams.words[word])):
                bucket = np.int64(grams.running[k]) & grams.mask
                squares[bucket] += np.float32(gradient * gradient)
                weights[bucket] -= np.float32(rate * gradient / np.sqrt(np.float64(squares[bucket])))
            seen += 1


@kernel
def _train(
    data: Bytes,
    offsets: Indices,
    positive: Bools,
    order: Indices,
    rate: float,
    grams: GramHashing,
    lower: Cases,
    weights: Out[Weights],
    squares: Out[Weights],
) -> None:
    """One pass over the texts; the bias is the last of `weights` float32[B + 1]."""
    scan = lower_scan()
    bias = weights.size - 1
    for k in range(order.size):
        start = offsets[order[k]]
        stop = offsets[order[k] + 1]
        total, count = _logit(data, start, stop, grams, scan, lower, weights)
        if count == 0:
            continue
        scale = 1.0 / np.sqrt(np.float64(count))
        logit = total * scale + weights[bias]
        gradient = 1.0 / (1.0 + np.exp(-logit)) - (1.0 if positive[order[k]] else 0.0)
        _step(data, start, stop, grams, scan, lower, gradient * scale, rate, weights, squares)
        squares[bias] += np.float32(gradient * gradient)
        weights[bias] -= np.float32(rate * gradient / np.sqrt(np.float64(squares[bias])))


@kernel
def _score(
    data: Bytes, offsets: Indices, grams: GramHashing, lower: Cases, weights: Weights, logits: Out[Logits]
) -> None:
    scan = lower_scan()
    bias = np.float64(weights[weights.size - 1])
    for text in range(offsets.size - 1):
        total, count = _logit(data, offsets[text], offsets[text + 1], grams, scan, lower, weights)
        logits[text] = total / np.sqrt(np.float64(count)) + bias if count > 0 else np.nan


def train(
    texts: pa.Array | pa.ChunkedArray,
    positive: Bools,
    *,
    ngrams: int,
    buckets: int,
    seed: int,
    epochs: int,
    rate: float,
) -> Weights:
    """float32[B + 1] learned from text[N] and bool[N]: the weights and the bias. `buckets` is a power of two."""
    data, offsets = text_buffers(texts)
    weights = np.zeros(buckets + 1, np.float32)
    squares = np.full(buckets + 1, FIRST_SQUARES, np.float32)
    grams = _grams(ngrams, buckets, seed)
    numbers = np.arange(1, len(offsets), dtype=np.uint64)
    for epoch in range(epochs):
        begin = np.uint64((seed * epochs + epoch + 1) % 2**32) << np.uint64(32)
        order = np.argsort(splitmix64_each((numbers + begin) * GOLDEN), kind="stable")
        _train(data, offsets, positive, order, rate / (1 + epoch), grams, lower_cases(), weights, squares)
    return weights


def probabilities(
    texts: pa.Array | pa.ChunkedArray, weights: Weights, *, ngrams: int, buckets: int, seed: int
) -> Logits:
    """float64[N] in [0, 1]: the probability that each text is positive; NaN for a text without words."""
    data, offsets = text_buffers(texts)
    logits = np.empty(len(offsets) - 1, np.float64)
    frozen = weights.view()
    frozen.flags.writeable = False
    _score(data, offsets, _grams(ngrams, buckets, seed), lower_cases(), frozen, logits)
    with np.errstate(over="ignore"):
        return np.asarray(1.0 / (1.0 + np.exp(-logits)))
