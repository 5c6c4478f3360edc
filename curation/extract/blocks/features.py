"""What tells blocks of main text from others: the numbers that the first stage judges by.

Nothing here knows a language or reads class names and ids: shape of the text, what six elements around a block hold,
how often its path and its siblings recur, where the best candidate for the main element is, neighbours, and place.
Rows of `Grid` are features, so that a tree reads one row at a time. B blocks, M elements.
"""

import numpy as np

from curation.extract.blocks.feature_names import (
    COUNT,
    FLAG_COUNT,
    FLAGS,
    FLAGS_AT,
    KIND,
    LEVELS,
    LEVELS_AT,
    NONE,
    OF_LEVEL,
    PATHS,
)
from curation.extract.blocks.page import (
    CAPITALS,
    COMMAS,
    DIGITS,
    INLINE,
    LAST,
    LINE_BREAKS,
    LINKS,
    NODE,
    SEPARATORS,
    STOPS,
    WIDE,
    WORDS,
    Int32s,
    Nodes,
)
from curation.extract.blocks.standing import fill_candidates, fill_neighbours, fill_page
from curation.extract.blocks.sums import Floats, Paths, Sums, path_hashes, sum_blocks, sum_paths, weight
from curation.extract.nesting import Int64s
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel


def features(nodes: Nodes, blocks: Grid[Int32s]) -> Grid[Floats]:
    """float32[COUNT, B] of a scan's elements and blocks."""
    out = np.empty((COUNT, len(blocks)), np.float32)
    if len(blocks):
        _fill(nodes, blocks, out)
    return out


@kernel
def _fill(nodes: Nodes, blocks: Grid[Int32s], out: Out[Grid[Floats]]) -> None:
    sums = sum_blocks(nodes, blocks)
    paths = sum_paths(path_hashes(nodes), blocks)
    _fill_shapes(nodes, blocks, out)
    _fill_paths(paths, sums, blocks, out)
    _fill_levels(nodes, sums, blocks, out)
    _fill_flags(nodes, blocks, out)
    fill_candidates(nodes, sums, blocks, out)
    fill_page(nodes, sums, blocks, out)
    fill_neighbours(nodes, blocks, out)


@kernel
def _kind_up(nodes: Nodes, node: Int, up: Int) -> np.float32:
    for _ in range(up):
        if node >= 0:
            node = np.int64(nodes.parent[node])
    return KIND[nodes.tag[node]] if node >= 0 else NONE


@kernel
def _fill_shapes(nodes: Nodes, blocks: Grid[Int32s], out: Out[Grid[Floats]]) -> None:
    for block in range(blocks.shape[0]):
        row = blocks[block]
        node = np.int64(row[NODE])
        characters, links = weight(blocks, block)
        words = np.float32(max(row[WORDS], 1))
        out[0, block] = characters
        out[1, block] = words
        out[2, block] = links / characters
        out[3, block] = characters / words
        out[4, block] = row[COMMAS] / words
        out[5, block] = row[STOPS] / words
        out[6, block] = row[DIGITS] / characters
        out[7, block] = row[CAPITALS] / characters
        out[8, block] = row[WIDE] / words
        out[9, block] = row[LAST]
        out[10, block] = row[SEPARATORS]
        out[11, block] = row[LINE_BREAKS]
        out[12, block] = row[LINKS]
        out[13, block] = row[INLINE]
        for up in range(3):
            out[14 + up, block] = _kind_up(nodes, node, up)
        out[17, block] = nodes.depth[node]
        out[18, block] = nodes.hidden[node]


@kernel
def _fill_paths(paths: Paths, sums: Sums, blocks: Grid[Int32s], out: Out[Grid[Floats]]) -> None:
    """Of blocks with the same path, and where the block stands in the page."""
    total = sums.characters[0]
    before = np.float32(0)
    for block in range(blocks.shape[0]):
        at = paths.place[block]
        characters = paths.characters[at]
        out[PATHS, block] = paths.blocks[at]
        out[PATHS + 1, block] = np.log1p(characters)
        out[PATHS + 2, block] = paths.links[at] / characters
        out[PATHS + 3, block] = characters / paths.blocks[at]
        out[PATHS + 4, block] = characters / total
        out[PATHS + 5, block] = np.float32(block) / np.float32(blocks.shape[0])
        out[PATHS + 6, block] = before / total
        out[PATHS + 7, block] = block
        before += weight(blocks, block)[0]


@kernel
def _level(sums: Sums, node: Int, at: Int, block: Int, out: Out[Grid[Floats]]) -> None:
    characters = max(sums.characters[node], np.float32(1))
    out[at, block] = np.log1p(characters)
    out[at + 1, block] = sums.links[node] / characters
    out[at + 2, block] = characters / sums.characters[0]
    out[at + 3, block] = sums.blocks[node]
    out[at + 4, block] = sums.paragraphs[node]
    out[at + 5, block] = sums.prose[node] / characters
    out[at + 6, block] = sums.alike[node]
    out[at + 7, block] = 100 * sums.commas[node] / characters


@kernel
def _fill_levels(nodes: Nodes, sums: Sums, blocks: Grid[Int32s], out: Out[Grid[Floats]]) -> None:
    """Of the elements around a block; those of neighbours are mostly the same."""
    size = len(OF_LEVEL)
    around = blocks[:, NODE].copy()
    for level in range(LEVELS):
        at = LEVELS_AT + level * size
        for block in range(around.size):
            node = np.int64(around[block])
            if block > 0 and around[block - 1] == node:
                for number in range(size):
                    out[at + number, block] = out[at + number, block - 1]
            elif node < 0:
                for number in range(size):
                    out[at + number, block] = NONE
            else:
                _level(sums, node, at, block, out)
        _climb(nodes, around)


@kernel
def _climb(nodes: Nodes, around: Out[Int32s]) -> None:
    for block in range(around.size):
        if around[block] >= 0:
            around[block] = nodes.parent[around[block]]


@kernel
def _flags_of(nodes: Nodes) -> Int64s:
    """int64[M]: bits of the elements of `AROUND` that an element is or is in."""
    flags = np.zeros(nodes.tag.size, np.int64)
    for node in range(1, flags.size):
        flags[node] = flags[nodes.parent[node]] | FLAGS[nodes.tag[node]]
    return flags


@kernel
def _fill_flags(nodes: Nodes, blocks: Grid[Int32s], out: Out[Grid[Floats]]) -> None:
    own = _flags_of(nodes)[blocks[:, NODE]]
    for number in range(FLAG_COUNT):
        for block in range(own.size):
            out[FLAGS_AT + number, block] = (own[block] >> number) & 1
