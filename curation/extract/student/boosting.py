"""Fits boosted oblivious trees to targets between 0 and 1, by the cross entropy.

Each tree is grown level by level on a share of the rows and of the features: the question that takes most off the loss,
summed over all leaves, is asked of every row. Gradients are summed in histograms over at most BINS values of a feature.
Which rows and features a tree sees follows from hashes of the seed, so that the same rows give the same trees.

Source: Friedman 2001, "Greedy function approximation" (Annals of Statistics 29); Chen and Guestrin 2016, "XGBoost"
(KDD), equation 6, for the values of leaves; oblivious trees as in `trees.py`. F features, N rows.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from curation.extract.blocks.page import Int32s, Uint8s
from curation.extract.blocks.sums import Floats
from curation.extract.student.trees import LEAVES, LEVELS, Trees
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel, read_only
from curation.text.kernels.mix64 import STEP, splitmix64

Doubles: TypeAlias = npt.NDArray[np.float64]

BINS = 64
_SEEN = 200_000  # rows by which borders between bins are chosen


@dataclass(frozen=True)
class Boosting:
    """How trees are grown."""

    trees: int = 200
    rate: float = 0.14  # of learning
    penalty: float = 5.0  # on squared values of leaves
    features: float = 0.3  # share that a tree may ask for
    rows: float = 0.7  # share that a tree is grown on
    seed: int = 1


def fit_trees(rows: Grid[Floats], targets: Floats, weights: Floats, how: Boosting) -> Trees:
    """float32[F, N] with targets float32[N] in [0, 1] and weights float32[N] above 0."""
    borders = [_borders(column) for column in rows]
    bins = np.empty(rows.shape, np.uint8)
    for number, column in enumerate(rows):
        bins[number] = np.searchsorted(borders[number], column, side="left")
    share = float(np.clip(np.average(targets, weights=weights), 1e-6, 1 - 1e-6))
    bias = np.float32(np.log(share / (1 - share)))
    shape = (how.trees, LEVELS)
    features = np.zeros(shape, np.int32)
    places = np.zeros(shape, np.int32)
    values = np.zeros((how.trees, LEAVES), np.float32)
    wanted = max(1, round(how.features * len(rows)))
    asked = np.array([len(some) for some in borders], np.int32)
    _boost(
        bins, asked, targets, weights, bias, wanted, how.rate, how.penalty, how.rows, how.seed, features, places, values
    )
    chosen = [[borders[f][at] for f, at in zip(*both, strict=True)] for both in zip(features, places, strict=True)]
    return read_only(Trees(features, np.array(chosen, np.float32).reshape(shape), values, bias))


def _borders(column: Floats) -> Floats:
    """float32[1 to BINS - 1], ascending: values of the feature between which rows are told apart."""
    step = -(-len(column) // _SEEN)
    seen = np.sort(column[::step])
    if len(distinct := np.unique(seen)) > BINS:
        distinct = np.unique(seen[np.linspace(0, len(seen) - 1, BINS + 1).round().astype(np.int64)][:-1])[:BINS]
    return (distinct[:-1] if len(distinct) > 1 else distinct)[: BINS - 1]


@kernel
def _boost(
    bins: Grid[Uint8s],
    asked: Int32s,
    targets: Floats,
    weights: Floats,
    bias: np.float32,
    wanted: Int,
    rate: float,
    penalty: float,
    share: float,
    seed: Int,
    features: Out[Grid[Int32s]],
    places: Out[Grid[Int32s]],
    values: Out[Grid[Floats]],
) -> None:
    """Grow every tree: at level d of tree t, feature features[t, d] is asked whether its bin is above places[t, d]."""
    size = bins.shape[1]
    odds = np.full(size, bias, np.float32)
    gradients = np.empty((size, 2), np.float32)
    leaves = np.empty(size, np.int32)
    for tree in range(features.shape[0]):
        key = splitmix64(np.uint64(seed) * STEP + np.uint64(tree))
        _fill_gradients(odds, targets, weights, share, key, gradients)
        chosen = _choose_features(bins.shape[0], wanted, key)
        leaves[:] = 0
        for level in range(features.shape[1]):
            feature, place = _best_question(bins, asked, chosen, gradients, leaves, 1 << level, penalty)
            features[tree, level] = feature
            places[tree, level] = place
            _split(bins[feature], place, np.int32(1 << level), leaves)
        _fill_values(gradients, leaves, rate, penalty, values[tree])
        for row in range(size):
            odds[row] += values[tree, leaves[row]]


@kernel
def _fill_gradients(
    odds: Floats, targets: Floats, weights: Floats, share: float, key: np.uint64, out: Out[Grid[Floats]]
) -> None:
    """Of the loss with the sign turned, and second derivatives; 0 for rows that the tree does not see."""
    limit = np.uint64(share * 2.0**63) << np.uint64(1)
    for row in range(odds.size):
        if splitmix64(key + np.uint64(row) * STEP) >= limit:
            out[row, 0] = out[row, 1] = 0
            continue
        probability = np.float32(1) / (np.float32(1) + np.exp(-odds[row]))
        out[row, 0] = weights[row] * (targets[row] - probability)
        out[row, 1] = weights[row] * probability * (1 - probability)


@kernel
def _choose_features(count: Int, wanted: Int, key: np.uint64) -> Int32s:
    """int32[wanted]: those of the smallest hashes."""
    hashes = np.empty(count, np.uint64)
    for feature in range(count):
        hashes[feature] = splitmix64(~key + np.uint64(feature) * STEP)
    return np.argsort(hashes)[:wanted].astype(np.int32)


@kernel
def _add_up(bins: Uint8s, gradients: Grid[Floats], leaves: Int32s, sums: Out[Doubles]) -> None:
    """Into float64[leaves × BINS × 2]."""
    for row in range(leaves.size):
        at = (leaves[row] * BINS + bins[row]) * 2
        sums[at] += gradients[row, 0]
        sums[at + 1] += gradients[row, 1]


@kernel
def _score(sums: Doubles, leaf_count: Int, penalty: float, scores: Out[Doubles]) -> None:
    """scores[k]: how much the question "above bin k" takes off the loss, of leaves as `_add_up` has summed them."""
    scores[:] = 0
    for leaf in range(leaf_count):
        gradient = 0.0
        second = 0.0
        for at in range(leaf * BINS * 2, (leaf + 1) * BINS * 2, 2):
            gradient += sums[at]
            second += sums[at + 1]
        left = 0.0
        left_second = 0.0
        for place in range(BINS - 1):
            at = (leaf * BINS + place) * 2
            left += sums[at]
            left_second += sums[at + 1]
            right = gradient - left
            scores[place] += left * left / (left_second + penalty) + right * right / (second - left_second + penalty)


@kernel
def _best_question(
    bins: Grid[Uint8s],
    asked: Int32s,
    chosen: Int32s,
    gradients: Grid[Floats],
    leaves: Int32s,
    leaf_count: Int,
    penalty: float,
) -> tuple[Int, Int]:
    sums = np.empty(leaf_count * BINS * 2, np.float64)
    scores = np.empty(BINS - 1, np.float64)
    best = -1.0
    feature: Int = 0
    place: Int = 0
    for one in chosen:
        sums[:] = 0
        _add_up(bins[one], gradients, leaves, sums)
        _score(sums, leaf_count, penalty, scores)
        for at in range(asked[one]):
            if scores[at] > best:
                best = scores[at]
                feature = np.int64(one)
                place = at
    return feature, place


@kernel
def _split(bins: Uint8s, place: Int, bit: np.int32, leaves: Out[Int32s]) -> None:
    for row in range(leaves.size):
        leaves[row] += bit if bins[row] > place else np.int32(0)


@kernel
def _fill_values(gradients: Grid[Floats], leaves: Int32s, rate: float, penalty: float, values: Out[Floats]) -> None:
    sums = np.zeros((values.size, 2), np.float64)
    for row in range(leaves.size):
        sums[leaves[row], 0] += gradients[row, 0]
        sums[leaves[row], 1] += gradients[row, 1]
    for leaf in range(values.size):
        values[leaf] = np.float32(rate * sums[leaf, 0] / (sums[leaf, 1] + penalty))
