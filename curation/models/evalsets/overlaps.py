"""How much of which items a text holds, from the n-grams that it shares with them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from curation.models.evalsets.index import ANSWER, CHOICE, QUESTION, EvalsetIndex, array_name
from curation.models.evalsets.scan import GramHits
from curation.text.kernels.buffers import Indices

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SharedGrams:
    """M pairs of a text and an item that share n-grams, by row and then item, and which hits belong to each pair."""

    row: Indices  # int64[M]
    item: Indices  # int64[M]
    grams: Indices  # int64[M, 3]: different n-grams within the question, within the answer, and all
    tokens: Indices  # int64[M, 3]: tokens in shared n-grams: of the question, of the answer, and all
    pair: Indices  # int64[X]: for each hit and each item that has it …
    hit: Indices  # int64[X]: … the pair, the hit …
    part: npt.NDArray[np.int8]  # int8[X]: … and whether it lies within QUESTION or ANSWER; CHOICE if in neither


def shared(hits: GramHits, index: EvalsetIndex) -> SharedGrams:
    """All pairs. An n-gram counts once per item and place, however often a text has it."""
    places = index.array(array_name("places", hits.size))
    firsts = index.array(array_name("firsts", hits.size))
    part = index.array("part")
    owner = index.owner
    begin = firsts[hits.gram].astype(np.int64)
    counts = firsts[hits.gram + 1].astype(np.int64) - begin
    hit = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(hit)) - np.repeat(np.cumsum(counts) - counts, counts)
    place = places[begin[hit] + within].astype(np.int64)
    item = owner(place)
    row = hits.row[hit]
    keys = np.stack([row, item, place])
    order = np.lexsort((hit, place, item, row))
    keys = keys[:, order]
    fresh_pair = _fresh(keys[:2])
    pair = np.cumsum(fresh_pair) - 1
    firsts_of = np.flatnonzero(fresh_pair)
    one = np.flatnonzero(_fresh(keys))  # each place of an item once per text
    of = pair[one]
    at = keys[2, one]
    end = at + hits.size
    beyond = np.append(at[1:], 0)
    next_own = np.append(of[1:] == of[:-1], False) if len(of) else np.zeros(0, np.bool_)
    reach = np.where(next_own, np.minimum(end, beyond), end)  # tokens that no later n-gram of the item covers too
    pairs = len(firsts_of)
    grams = np.zeros((pairs, 3), np.int64)
    tokens = np.zeros((pairs, 3), np.int64)
    length = reach - at
    total = np.zeros(len(at) + 1, np.int64)
    np.cumsum(length, out=total[1:])
    token = np.repeat(at - total[:-1], length) + np.arange(total[-1])
    of_token = np.repeat(of, length)
    inside = np.where(part[place] == part[place + hits.size - 1], part[place], CHOICE)[order]
    for column, kind in enumerate((QUESTION, ANSWER)):
        grams[:, column] = np.bincount(of[inside[one] == kind], minlength=pairs)
        tokens[:, column] = np.bincount(of_token[part[token] == kind], minlength=pairs)
    grams[:, 2] = np.bincount(of, minlength=pairs)
    tokens[:, 2] = np.bincount(of_token, minlength=pairs)
    return SharedGrams(keys[0, firsts_of], keys[1, firsts_of], grams, tokens, pair, hit[order], inside)


def shares(found: SharedGrams, index: EvalsetIndex, size: int, *, by: str) -> Floats:
    """float64[M]: the largest share of an item that a text holds: of its question, of its answer, or of all of it; by
    "grams" or by "tokens"."""
    counts = index.array(array_name("counts", size))[found.item].astype(np.int64)
    have, of = (found.grams, counts[:, :3]) if by == "grams" else (found.tokens, counts[:, 3:6])
    ratios = np.divide(have, of, out=np.zeros(have.shape), where=of > 0)
    best: Floats = ratios.max(axis=1, initial=0.0)
    return best


def _fresh(keys: Indices) -> npt.NDArray[np.bool_]:
    """bool[X]: whether a column differs from the one before."""
    if not keys.shape[1]:
        return np.zeros(0, np.bool_)
    return np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0))
