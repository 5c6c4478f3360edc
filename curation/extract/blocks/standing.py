"""How a block stands in its page: to the best candidates for the main element, to headings and to its neighbours."""

import numpy as np

from curation.extract.blocks.feature_names import (
    BESIDE,
    BESIDE_AT,
    CANDIDATES,
    KIND,
    NONE,
    OF_NEIGHBOUR,
    PAGE,
    WITHIN,
    WITHIN_AT,
)
from curation.extract.blocks.page import ENDS_SENTENCE, LAST, NODE, Int32s, Nodes
from curation.extract.blocks.sums import Floats, Sums, is_paragraph, weight
from curation.extract.blocks.tags import NUMBER
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

_H1 = NUMBER["h1"]
_H1AROUND = 4  # elements from a block to the <h1> that it is in


@kernel
def _candidates(sums: Sums) -> tuple[Int, Int]:
    """The element that paragraphs speak for most, and the one with the most prose for its other text."""
    candidate: Int = 0
    prose: Int = 0
    best = np.float32(-1)
    most = np.float32(-1)
    for node in range(sums.characters.size):
        characters = sums.characters[node]
        if characters <= 0:
            continue
        score = sums.score[node] * (1 - sums.links[node] / characters)
        if score > best:
            best = score
            candidate = node
        gain = sums.prose[node] - (characters - sums.prose[node]) / 2 - sums.links[node]
        if gain >= most:
            most = gain
            prose = node
    return candidate, prose


@kernel
def _levels_to(nodes: Nodes, element: Int) -> Int32s:
    """int32[M]: how many levels an element must be climbed until it holds each of the others."""
    levels = np.full(nodes.tag.size, -1, np.int32)
    node: Int = element
    level = 0
    while node >= 0:
        levels[node] = level
        level += 1
        node = np.int64(nodes.parent[node])
    for other in range(1, levels.size):
        if levels[other] < 0:
            levels[other] = levels[nodes.parent[other]]
    return levels


@kernel
def fill_candidates(nodes: Nodes, sums: Sums, blocks: Grid[Int32s], out: Out[Grid[Floats]]) -> None:
    candidate, prose = _candidates(sums)
    to_candidate = _levels_to(nodes, candidate)
    to_prose = _levels_to(nodes, prose)
    first = -1
    last = -1
    for block in range(blocks.shape[0]):
        if to_candidate[blocks[block, NODE]] == 0:
            first = block if first < 0 else first
            last = block
    total = sums.characters[0]
    size = np.float32(blocks.shape[0])
    for block in range(blocks.shape[0]):
        node = blocks[block, NODE]
        out[CANDIDATES, block] = to_candidate[node]
        out[CANDIDATES + 1, block] = to_prose[node]
        out[CANDIDATES + 2, block] = nodes.depth[node] - nodes.depth[candidate]
        out[CANDIDATES + 3, block] = sums.characters[candidate] / total
        out[CANDIDATES + 4, block] = sums.prose[candidate] / max(sums.prose[0], np.float32(1))
        out[CANDIDATES + 5, block] = sums.characters[prose] / total
        out[CANDIDATES + 6, block] = (block - first) / size
        out[CANDIDATES + 7, block] = (last - block) / size


@kernel
def _is_h1(nodes: Nodes, node: Int) -> bool:
    for _ in range(_H1AROUND):
        if node < 0:
            return False
        if nodes.tag[node] == _H1:
            return True
        node = np.int64(nodes.parent[node])
    return False


@kernel
def fill_page(nodes: Nodes, sums: Sums, blocks: Grid[Int32s], out: Out[Grid[Floats]]) -> None:
    """Of the page, and of the block against its first <h1>."""
    heading = -1
    headings = 0
    for block in range(blocks.shape[0]):
        if _is_h1(nodes, np.int64(blocks[block, NODE])):
            headings += 1
            heading = block if heading < 0 else heading
    total = sums.characters[0]
    all_prose = max(sums.prose[0], np.float32(1))
    before = np.float32(0)
    for block in range(blocks.shape[0]):
        out[PAGE, block] = blocks.shape[0]
        out[PAGE + 1, block] = np.log1p(total)
        out[PAGE + 2, block] = sums.links[0] / total
        out[PAGE + 3, block] = sums.paragraphs[0]
        out[PAGE + 4, block] = sums.prose[0] / total
        out[PAGE + 5, block] = block - heading if heading >= 0 else -9999
        out[PAGE + 6, block] = headings
        out[PAGE + 7, block] = before / all_prose
        characters, links = weight(blocks, block)
        before += characters if is_paragraph(characters, links) else np.float32(0)


@kernel
def fill_neighbours(nodes: Nodes, blocks: Grid[Int32s], out: Out[Grid[Floats]]) -> None:
    size = blocks.shape[0]
    characters = np.zeros(size + 1, np.float32)
    prose = np.zeros(size + 1, np.float32)
    for block in range(size):
        own, links = weight(blocks, block)
        characters[block + 1] = characters[block] + own
        prose[block + 1] = prose[block] + (own if is_paragraph(own, links) else np.float32(0))
    for block in range(size):
        at: Int = BESIDE_AT
        for step in BESIDE:
            _neighbour(nodes, blocks, block, block + step, at, out)
            at += len(OF_NEIGHBOUR)
        at = WITHIN_AT
        for reach in WITHIN:
            low = max(0, block - reach)
            high = min(size, block + reach + 1)
            out[at, block] = (prose[high] - prose[low]) / max(characters[high] - characters[low], np.float32(1))
            at += 1


@kernel
def _neighbour(nodes: Nodes, blocks: Grid[Int32s], block: Int, other: Int, at: Int, out: Out[Grid[Floats]]) -> None:
    if not 0 <= other < blocks.shape[0]:
        for number in range(len(OF_NEIGHBOUR)):
            out[at + number, block] = NONE
        return
    node = blocks[block, NODE]
    beside = blocks[other, NODE]
    characters, links = weight(blocks, other)
    out[at, block] = characters
    out[at + 1, block] = links / characters
    out[at + 2, block] = KIND[nodes.tag[beside]]
    out[at + 3, block] = 1 if beside == node else 2 if nodes.parent[beside] == nodes.parent[node] else 0
    out[at + 4, block] = blocks[other, LAST] == ENDS_SENTENCE
