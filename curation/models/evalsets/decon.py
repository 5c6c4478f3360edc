"""Scores of items as AllenAI's decon has them: n-grams of the question by rarity, in one place, near an answer.

Source: AllenAI, decon (github.com/allenai/decon), doc/simple-details.md and config/default.yaml: n-grams of 5 tokens,
clusters that end after 11 misses in a row, weights of 0.75 for the question and 0.25 for the answer, moved towards the
answer for questions of fewer than 20 n-grams; answers of up to 3 tokens stand exactly within 50 tokens of the cluster,
longer ones by n-grams of 3 within twice their length and at least 100; a score of 0.8 for items of 50 tokens or more,
a perfect one up to 20, linear in between.
Choices of our own: tokens are those of `canonical_tokens` and not of a tokenizer; every n-gram is looked at and not
every tenth; the n-grams of a long answer count alike; items have no passage apart from their question.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from curation.models.evalsets.build import rarity
from curation.models.evalsets.index import ANSWER, QUESTION, EvalsetIndex, array_name
from curation.models.evalsets.overlaps import Floats, SharedGrams
from curation.models.evalsets.scan import GramHits
from curation.text.canonical_tokens import folded_texts
from curation.text.kernels.buffers import Indices

SIZE = 5  # tokens of an n-gram
LEAST_TOKENS = 20  # of an item; shorter ones are not checked
THRESHOLD = 0.8
_MISSES = 11
# tokens up to which a score must be perfect, and from which THRESHOLD is enough
_PERFECT = 20
_FULL = 50
_QUESTION = 0.75
_SHORT = 3
_NEAR = 50
_FAR = 100
_ANSWER_SIZE = 3
_CONFIDENT = 20  # n-grams of a question that carries its full weight
_REACH = 16  # bytes of text per token of the window in which an answer is looked for
_EXACT = 1e-9


def scores(hits: GramHits, found: SharedGrams, index: EvalsetIndex, text: pa.Array) -> Floats:
    """float64[M]: the score of each pair, on a scale on which THRESHOLD is what its length requires and 1 is perfect; 0
    for items that are too short."""
    totals = index.array(array_name("weights", hits.size))[found.item]
    counts = index.array(array_name("counts", hits.size))[found.item]
    question, start, stop = _clusters(hits, found, index)
    question = np.divide(question, totals[:, 0], out=np.zeros(len(question)), where=totals[:, 0] > 0)
    length = counts[:, 6] + counts[:, 7]
    answered = counts[:, 7] > 0
    confident = 0.5 + 0.5 * np.minimum(counts[:, 0] / _CONFIDENT, 1.0)
    weight = np.where(answered, _QUESTION * confident, 1.0)
    required = _required(length)
    possible = (question * weight + (1 - weight) >= required - _EXACT) & (length >= LEAST_TOKENS) & (question > 0)
    score = question * weight
    for pair in np.flatnonzero(possible & answered).tolist():
        tokens = _answer(index, int(found.item[pair]))
        near = _window(text[int(found.row[pair])], int(start[pair]), int(stop[pair]), len(tokens))
        score[pair] += (1 - weight[pair]) * _answer_share(tokens, near)
    missing = np.where(required < 1.0, (1.0 - score) * (1.0 - THRESHOLD) / np.maximum(1.0 - required, _EXACT), 1.0)
    scaled: Floats = np.where(score >= 1.0 - _EXACT, 1.0, np.clip(1.0 - missing, 0.0, 1.0))
    return np.where(possible, scaled, 0.0)


def _required(length: Indices) -> Floats:
    share = np.clip((length - _PERFECT) / (_FULL - _PERFECT), 0.0, 1.0)
    required: Floats = 1.0 - (1.0 - THRESHOLD) * share
    return required


def _clusters(hits: GramHits, found: SharedGrams, index: EvalsetIndex) -> tuple[Floats, Indices, Indices]:
    """Of each pair, the summed rarity of the question's n-grams in its best cluster, and that cluster's bytes."""
    pairs = len(found.row)
    best = np.zeros(pairs)
    starts = np.zeros(pairs, np.int64)
    stops = np.zeros(pairs, np.int64)
    whole = found.part == QUESTION
    pair = found.pair[whole]
    hit = found.hit[whole]
    order = np.lexsort((hits.token[hit], pair))
    pair = pair[order]
    hit = hit[order]
    token = hits.token[hit]
    if not len(pair):
        return best, starts, stops
    apart = (pair[1:] != pair[:-1]) | (token[1:] - token[:-1] - 1 > _MISSES)
    cluster = np.concatenate([[0], np.cumsum(apart)])
    grams = len(index.array(array_name("hashes", hits.size)))
    keys, one = np.unique(cluster * grams + hits.gram[hit], return_index=True)
    firsts = index.array(array_name("firsts", hits.size))
    gram = hits.gram[hit[one]]
    weights = rarity(firsts[gram + 1].astype(np.int64) - firsts[gram], len(index.array("first")) - 1)
    summed = np.bincount(keys // grams, weights, minlength=cluster[-1] + 1)
    begin = np.flatnonzero(np.concatenate([[True], apart]))
    end = np.append(begin[1:], len(pair)) - 1
    owner = pair[begin]
    order = np.lexsort((-np.arange(len(owner)), summed, owner))  # the largest, of equal ones the first, comes last
    best[owner[order]] = summed[order]
    starts[owner[order]] = hits.start[hit[begin]][order]
    stops[owner[order]] = hits.stop[hit[end]][order]
    return best, starts, stops


def _answer(index: EvalsetIndex, item: int) -> list[bytes]:
    first = index.array("first")
    part = index.array("part")
    starts = index.array("starts")
    own = np.flatnonzero(part[first[item] : first[item + 1]] == ANSWER) + first[item]
    return index.array("folded")[starts[own[0]] : starts[own[-1] + 1]].tobytes().split()


def _window(text: pa.Scalar, start: int, stop: int, answer: int) -> tuple[list[bytes], list[bytes]]:
    """The tokens before the end of a cluster and from its beginning on, as far as an answer may stand."""
    content: bytes = text.as_buffer().to_pybytes()
    tokens = _NEAR if answer <= _SHORT else max(_FAR, 2 * answer)
    left = content[max(0, start - tokens * _REACH) : start]
    right = content[stop : stop + tokens * _REACH]
    before, after = (folded_texts(pa.array([side], pa.large_binary()))[0].split() for side in (left, right))
    return before[-tokens:], after[:tokens]


def _answer_share(answer: Sequence[bytes], sides: tuple[list[bytes], list[bytes]]) -> float:
    if len(answer) <= _SHORT:
        size = len(answer)
        return float(any(tuple(answer) in _runs(side, size) for side in sides))
    wanted = _runs(answer, _ANSWER_SIZE)
    return max(len(wanted & _runs(side, _ANSWER_SIZE)) / len(wanted) for side in sides)


def _runs(tokens: Sequence[bytes], size: int) -> set[tuple[bytes, ...]]:
    return {tuple(tokens[at : at + size]) for at in range(len(tokens) - size + 1)}
