"""What the elements of a page hold in all, and which of them are alike: sums over blocks of text and over the tree.

M elements, B blocks. Tables of hashes are searched for PROBES places at most: what collides further shares a place, so
that crafted names cost no time, and sums of such pages alone are off.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.extract.blocks.page import (
    CHARACTERS,
    COMMAS,
    LINK_CHARACTERS,
    NODE,
    WIDE,
    Int32s,
    Nodes,
    Uint64s,
)
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel
from curation.text.kernels.hash_table import hash_shift, table_size
from curation.text.kernels.mix64 import GOLDEN, STEP, splitmix64

Floats: TypeAlias = npt.NDArray[np.float32]

PROBES = 16
PARAGRAPH = np.float32(80)  # characters of a block that is a paragraph rather than a heading or an item
LINKED = np.float32(0.35)  # share of a paragraph's characters that may be links
WIDE_WORTH = np.float32(3)  # characters that a Chinese or Japanese one counts as


class Sums(NamedTuple):
    """Of the blocks in each element and in the elements within, float32[M]."""

    characters: Out[Floats]
    links: Out[Floats]  # characters in links
    blocks: Out[Floats]
    commas: Out[Floats]
    paragraphs: Out[Floats]
    prose: Out[Floats]  # characters of paragraphs
    alike: Out[Floats]  # elements of the same parent, name and classes, itself included
    score: Out[Floats]  # what paragraphs in it or one to three levels below say for it; not of all within


class Paths(NamedTuple):
    """Blocks whose elements have the same names and classes up to the page: sums by place of a table of T."""

    place: Out[Int32s]  # int32[B]: of each block
    blocks: Out[Floats]  # float32[T]
    characters: Out[Floats]
    links: Out[Floats]


@kernel
def weight(blocks: Grid[Int32s], block: Int) -> tuple[np.float32, np.float32]:
    """Characters of a block and of its links, at least 1 and 0, with WIDE_WORTH for wide ones."""
    own = np.float32(blocks[block, CHARACTERS])
    characters = own + (WIDE_WORTH - np.float32(1)) * np.float32(blocks[block, WIDE])
    links = np.float32(blocks[block, LINK_CHARACTERS]) * characters / max(own, np.float32(1))
    return max(characters, np.float32(1)), links


@kernel
def is_paragraph(characters: np.float32, links: np.float32) -> bool:
    return bool(characters >= PARAGRAPH and links < LINKED * characters)


@kernel
def find_place(keys: Out[Uint64s], key: np.uint64) -> Int:
    """The place of a key that is not 0, or a free one, which it takes, or one of another key."""
    mask = keys.size - 1
    home = np.int64((key * GOLDEN) >> hash_shift(keys.size))
    for probe in range(PROBES):
        place = (home + probe) & mask
        if keys[place] == key:
            return place
        if keys[place] == 0:
            keys[place] = key
            return place
    return home


@kernel
def path_hashes(nodes: Nodes) -> Uint64s:
    """uint64[M]: of the signatures from the page to each element; never 0."""
    paths = np.empty(nodes.tag.size, np.uint64)
    paths[0] = np.uint64(1)
    for node in range(1, paths.size):
        paths[node] = splitmix64(paths[nodes.parent[node]] * STEP + nodes.signature[node]) | np.uint64(1)
    return paths


@kernel
def _count_alike(nodes: Nodes, alike: Out[Floats]) -> None:
    size = nodes.tag.size
    keys = np.zeros(table_size(size), np.uint64)
    counts = np.zeros(keys.size, np.int32)
    places = np.empty(size, np.int32)
    for node in range(1, size):
        key = splitmix64(nodes.signature[node] + STEP * np.uint64(nodes.parent[node] + 1)) | np.uint64(1)
        places[node] = find_place(keys, key)
        counts[places[node]] += 1
    for node in range(1, size):
        alike[node] = counts[places[node]]


@kernel
def _add_score(nodes: Nodes, node: Int, value: np.float32, score: Out[Floats]) -> None:
    """A paragraph speaks for its element and the one around it, for half as much and for a third further out."""
    score[node] += value
    around = nodes.parent[node]
    for share in (np.float32(1), np.float32(1 / 2), np.float32(1 / 3)):
        if around < 0:
            return
        score[around] += share * value
        around = nodes.parent[around]


@kernel
def sum_blocks(nodes: Nodes, blocks: Grid[Int32s]) -> Sums:
    size = nodes.tag.size
    sums = Sums(
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
    )
    for block in range(blocks.shape[0]):
        node = blocks[block, NODE]
        characters, links = weight(blocks, block)
        commas = np.float32(blocks[block, COMMAS])
        sums.characters[node] += characters
        sums.links[node] += links
        sums.blocks[node] += 1
        sums.commas[node] += commas
        if is_paragraph(characters, links):
            sums.paragraphs[node] += 1
            sums.prose[node] += characters
            value = (1 + commas + min(characters / 100, np.float32(3))) * (1 - links / characters)
            _add_score(nodes, np.int64(node), np.float32(value), sums.score)
    for node in range(size - 1, 0, -1):
        parent = nodes.parent[node]
        sums.characters[parent] += sums.characters[node]
        sums.links[parent] += sums.links[node]
        sums.blocks[parent] += sums.blocks[node]
        sums.commas[parent] += sums.commas[node]
        sums.paragraphs[parent] += sums.paragraphs[node]
        sums.prose[parent] += sums.prose[node]
    _count_alike(nodes, sums.alike)
    return sums


@kernel
def sum_paths(paths: Uint64s, blocks: Grid[Int32s]) -> Paths:
    size = table_size(blocks.shape[0])
    keys = np.zeros(size, np.uint64)
    place = np.empty(blocks.shape[0], np.int32)
    counts = np.zeros(size, np.float32)
    all_characters = np.zeros(size, np.float32)
    all_links = np.zeros(size, np.float32)
    for block in range(blocks.shape[0]):
        at = find_place(keys, paths[blocks[block, NODE]])
        characters, links = weight(blocks, block)
        place[block] = at
        counts[at] += 1
        all_characters[at] += characters
        all_links[at] += links
    return Paths(place, counts, all_characters, all_links)
