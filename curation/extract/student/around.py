"""What the second stage sees of a block beside its features: how the first stage judged the blocks around it.

B blocks, M elements.
"""

import numpy as np

from curation.extract.blocks.page import NODE, WORDS, Int32s, Nodes
from curation.extract.blocks.sums import Floats, find_place, path_hashes
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel
from curation.text.kernels.hash_table import table_size

LEVELS = 6  # elements around a block, its own first
_OF_LEVEL = ("share of words {} up that is text", "share of page {} up", "share of text {} up")
_BESIDE = (-3, -2, -1, 1, 2, 3)
_WITHIN = (5, 15)
_NONE = np.float32(-1)

FEATURES = (
    "first stage",
    *(f"first stage {at:+d}" for at in _BESIDE),
    *(name.format(level) for level in range(LEVELS) for name in _OF_LEVEL),
    *("share of path that is text", "share of text on path"),
    *("share of page that is text", "text before", "words of text"),
    *(f"share within {size} that is text" for size in _WITHIN),
)
COUNT = len(FEATURES)
_LEVELS_AT = 1 + len(_BESIDE)
_PATHS = _LEVELS_AT + LEVELS * len(_OF_LEVEL)
_PAGE = _PATHS + 2
_WITHIN_AT = _PAGE + 3


@kernel
def fill_around(nodes: Nodes, blocks: Grid[Int32s], first: Floats, out: Out[Grid[Floats]]) -> None:
    """Into float32[COUNT, B], from the first stage's probabilities, float32[B]."""
    size = blocks.shape[0]
    words = np.zeros(size + 1, np.float32)  # up to each block
    text = np.zeros(size + 1, np.float32)  # words that are text, as far as the first stage knows
    for block in range(size):
        weight = np.float32(blocks[block, WORDS] + 1)
        words[block + 1] = words[block] + weight
        text[block + 1] = text[block] + weight * first[block]
    _fill_levels(nodes, blocks, words, text, out)
    _fill_paths(nodes, blocks, words, text, out)
    all_text = max(text[size], np.float32(1e-6))
    for block in range(size):
        out[0, block] = first[block]
        at: Int = 1
        for step in _BESIDE:
            other = block + step
            out[at, block] = first[other] if 0 <= other < size else _NONE
            at += 1
        out[_PAGE, block] = text[size] / words[size]
        out[_PAGE + 1, block] = text[block + 1] / all_text
        out[_PAGE + 2, block] = np.log1p(text[size])
        at = _WITHIN_AT
        for reach in _WITHIN:
            low = max(0, block - reach)
            high = min(size, block + reach + 1)
            out[at, block] = (text[high] - text[low]) / (words[high] - words[low])
            at += 1


@kernel
def _fill_levels(nodes: Nodes, blocks: Grid[Int32s], words: Floats, text: Floats, out: Out[Grid[Floats]]) -> None:
    size = blocks.shape[0]
    of_words = np.zeros(nodes.tag.size, np.float32)
    of_text = np.zeros(nodes.tag.size, np.float32)
    for block in range(size):
        node = blocks[block, NODE]
        of_words[node] += words[block + 1] - words[block]
        of_text[node] += text[block + 1] - text[block]
    for node in range(nodes.tag.size - 1, 0, -1):
        of_words[nodes.parent[node]] += of_words[node]
        of_text[nodes.parent[node]] += of_text[node]
    all_text = max(text[size], np.float32(1e-6))
    for block in range(size):
        node = np.int64(blocks[block, NODE])
        for level in range(LEVELS):
            at = _LEVELS_AT + 3 * level
            if node < 0:
                out[at, block] = out[at + 1, block] = out[at + 2, block] = _NONE
                continue
            out[at, block] = of_text[node] / max(of_words[node], np.float32(1e-6))
            out[at + 1, block] = of_words[node] / words[size]
            out[at + 2, block] = of_text[node] / all_text
            node = np.int64(nodes.parent[node])


@kernel
def _fill_paths(nodes: Nodes, blocks: Grid[Int32s], words: Floats, text: Floats, out: Out[Grid[Floats]]) -> None:
    size = blocks.shape[0]
    paths = path_hashes(nodes)
    keys = np.zeros(table_size(size), np.uint64)
    of_words = np.zeros(keys.size, np.float32)
    of_text = np.zeros(keys.size, np.float32)
    places = np.empty(size, np.int32)
    for block in range(size):
        at = find_place(keys, paths[blocks[block, NODE]])
        places[block] = at
        of_words[at] += words[block + 1] - words[block]
        of_text[at] += text[block + 1] - text[block]
    all_text = max(text[size], np.float32(1e-6))
    for block in range(size):
        at = np.int64(places[block])
        out[_PATHS, block] = of_text[at] / of_words[at]
        out[_PATHS + 1, block] = of_text[at] / all_text
