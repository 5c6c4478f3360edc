"""Label scores of text vectors, for each loss that a fastText model may be trained with.

N documents, D dimensions, L labels. Source: Joulin et al. 2016, "Bag of Tricks for Efficient Text Classification"
(arXiv:1607.01759), which describes the softmax and the tree of labels by frequency (hierarchical softmax, "hs").
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from curation.models.fasttext.model_file import Matrix
from curation.text.kernels.buffers import Indices
from curation.text.kernels.compiler.kernel import Grid, kernel

Scores: TypeAlias = Grid[npt.NDArray[np.float64]]

_EPSILON = 1e-5  # fastText adds it before every logarithm
# fastText's sigmoid has steps of 1/32, and is 0 below -8 and 1 above 8
_STEPS = 32
_FLAT = 8


def label_scores(vectors: Matrix, output: Matrix, loss: str, tree: Indices) -> Scores:
    """float64[N, L] in [0, 1]: fastText's scores. `tree`, from `huffman`, is used for "hs" only.

    For "hs" and "softmax" they sum to about 1 (fastText adds 1e-5 to each); for "ova" and "ns" labels are independent.
    """
    if loss == "hs":
        return np.minimum(_tree_scores(vectors, output, tree)[:, : len(output)], 1.0)
    dots = dot_products(vectors, output)
    if loss == "softmax":
        with np.errstate(invalid="ignore"):  # products that overflow have no share: NaN
            powers = np.exp(dots - dots.max(axis=1, keepdims=True, initial=-np.inf))
        return np.asarray(np.minimum(powers / powers.sum(axis=1, keepdims=True) + _EPSILON, 1.0))
    steps = np.floor((np.clip(dots, -_FLAT, _FLAT) + _FLAT) * _STEPS) / _STEPS - _FLAT
    sigmoids = np.where(dots < -_FLAT, 0.0, np.where(dots > _FLAT, 1.0, 1 / (1 + np.exp(-steps))))
    return np.minimum(sigmoids + _EPSILON, 1.0)


@kernel
def dot_products(vectors: Matrix, output: Matrix) -> Scores:
    """float64[N, L] of float32[N, D] and float32[L, D]; summed in a fixed order, so that a document's score does not
    depend on the others."""
    dots = np.empty((vectors.shape[0], output.shape[0]), np.float64)
    for document in range(vectors.shape[0]):
        for label in range(output.shape[0]):
            dot = np.float32(0)
            for k in range(vectors.shape[1]):
                dot += output[label, k] * vectors[document, k]
            dots[document, label] = dot
    return dots


@kernel
def _tree_scores(vectors: Matrix, output: Matrix, tree: Indices) -> Scores:
    """float64[N, 2 L - 1]: scores of the tree's nodes, leaves first. Inner node L + i has row i of `output` and the
    children tree[2 i] and tree[2 i + 1]."""
    leaves = tree.size // 2 + 1
    scores = np.empty((vectors.shape[0], 2 * output.shape[0] - 1), np.float64)
    for document in range(vectors.shape[0]):
        scores[document, 2 * leaves - 2] = 1.0
        for inner in range(leaves - 2, -1, -1):
            dot = np.float32(0)
            for k in range(vectors.shape[1]):
                dot += output[inner, k] * vectors[document, k]
            right = np.float32(1.0 / (1.0 + np.exp(-np.float64(dot))))
            above = scores[document, leaves + inner]
            scores[document, tree[2 * inner]] = above * (1.0 - right + _EPSILON)
            scores[document, tree[2 * inner + 1]] = above * (right + _EPSILON)
    return scores


def huffman(counts: Indices) -> Indices:
    """int64[2 (L - 1)]: the two children of each inner node; ties are broken as in fastText."""
    leaves = len(counts)
    weight = np.full(2 * leaves - 1, 10**15, np.int64)
    weight[:leaves] = counts
    children = np.empty(2 * (leaves - 1), np.int64)
    leaf = leaves - 1
    node = leaves
    for side in range(len(children)):
        if leaf >= 0 and weight[leaf] < weight[node]:
            children[side] = leaf
            leaf -= 1
        else:
            children[side] = node
            node += 1
        if side % 2:
            weight[leaves + side // 2] = weight[children[side - 1 : side + 1]].sum()
    return children
