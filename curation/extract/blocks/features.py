"""What tells blocks of main text from others: the numbers that the first stage judges by.

Nothing here knows a language or reads class names and ids: shape of the text, what six elements around a block hold,
how often its path and its siblings recur, where the best candidate for the main element is, neighbours, and place.
Rows of `Grid` are features, so that a tree reads one row at a time. B blocks, M elements.
"""

import numpy as np

from curation.extract.blocks.page import (
    CAPITALS,
    COMMAS,
    DIGITS,
    ENDS_SENTENCE,
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
from curation.extract.blocks.sums import Floats, Paths, Sums, is_paragraph, path_hashes, sum_blocks, sum_paths, weight
from curation.extract.blocks.tags import NAMES, NUMBER
from curation.extract.nesting import Int64s
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

LEVELS = 6  # elements around a block, its own first
_OF_LEVEL = ("characters", "links", "share", "blocks", "paragraphs", "prose", "alike", "commas")
_BESIDE = (-2, -1, 1, 2)
_OF_NEIGHBOUR = ("characters", "links", "kind", "same element", "ends a sentence")
_WITHIN = (4, 12)
_NONE = np.float32(-1)

# Kinds of elements: of a block's own and of those next around.
_KINDS = (
    "p|div|li|td th|h1|h2|h3|h4 h5 h6|span font|a|dd dt|blockquote q|figcaption caption legend|pre code"
    "|section article main|label|strong b em i|address|time small|footer header nav aside"
)
KIND = np.zeros(len(NAMES), np.float32)
for _number, _members in enumerate(_KINDS.split("|"), 1):
    KIND[[NUMBER[name] for name in _members.split()]] = _number

# Elements that say something to all within them.
_AROUND = (
    ("nav", "nav menu"),
    ("footer", "footer"),
    ("header", "header"),
    ("aside", "aside"),
    ("article", "article"),
    ("main", "main"),
    ("form", "form fieldset"),
    ("table", "table"),
    ("list", "ul ol dir"),
    ("quotation", "blockquote"),
    ("figure", "figure figcaption caption"),
    ("preformatted", "pre listing"),
    ("heading", "h1 h2 h3 h4 h5 h6"),
    ("definitions", "dl"),
    ("link", "a"),
    ("section", "section"),
    ("paragraph", "p"),
)
_FLAGS = np.zeros(len(NAMES), np.int64)
for _number, (_, _members) in enumerate(_AROUND):
    _FLAGS[[NUMBER[name] for name in _members.split()]] |= 1 << _number
_FLAG_COUNT = len(_AROUND)
_HEADING = 1 << [name for name, _ in _AROUND].index("heading")
_H1 = NUMBER["h1"]
_H1_AROUND = 4  # elements from a block to the <h1> that it is in

FEATURES = (
    *("characters", "words", "links", "characters a word", "commas a word", "stops a word", "digits", "capitals"),
    *("wide", "last character", "separators", "line breaks", "link elements", "elements", "kind", "kind above"),
    *("kind two above", "depth", "hidden"),
    *("path blocks", "path characters", "path links", "path characters a block", "path share"),
    *("place", "place by characters", "number"),
    *(f"{of} {level} up" for level in range(LEVELS) for of in _OF_LEVEL),
    *(f"in {name}" for name, _ in _AROUND),
    *("levels to candidate", "levels to prose", "depth below candidate", "candidate share", "candidate prose"),
    *("prose element share", "from candidate's first", "to candidate's last"),
    *("blocks", "characters of page", "links of page", "paragraphs", "prose of page", "from heading", "headings"),
    "prose before",
    *(f"{of} {at:+d}" for at in _BESIDE for of in _OF_NEIGHBOUR),
    *(f"prose within {size}" for size in _WITHIN),
)
COUNT = len(FEATURES)
_PATHS = FEATURES.index("path blocks")
_LEVELS_AT = FEATURES.index("characters 0 up")
_FLAGS_AT = FEATURES.index("in nav")
_CANDIDATES = FEATURES.index("levels to candidate")
_PAGE = FEATURES.index("blocks")
_BESIDE_AT = FEATURES.index("characters -2")
_WITHIN_AT = FEATURES.index("prose within 4")


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
    _fill_candidates(nodes, sums, blocks, out)
    _fill_page(nodes, sums, blocks, out)
    _fill_neighbours(nodes, blocks, out)


@kernel
def _kind_up(nodes: Nodes, node: Int, up: Int) -> np.float32:
    for _ in range(up):
        if node >= 0:
            node = np.int64(nodes.parent[node])
    return KIND[nodes.tag[node]] if node >= 0 else _NONE


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
        out[_PATHS, block] = paths.blocks[at]
        out[_PATHS + 1, block] = np.log1p(characters)
        out[_PATHS + 2, block] = paths.links[at] / characters
        out[_PATHS + 3, block] = characters / paths.blocks[at]
        out[_PATHS + 4, block] = characters / total
        out[_PATHS + 5, block] = np.float32(block) / np.float32(blocks.shape[0])
        out[_PATHS + 6, block] = before / total
        out[_PATHS + 7, block] = block
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
    """Of the elements around a block."""
    size = len(_OF_LEVEL)
    for block in range(blocks.shape[0]):
        node = np.int64(blocks[block, NODE])
        same = block > 0 and blocks[block - 1, NODE] == node
        for level in range(LEVELS):
            at = _LEVELS_AT + level * size
            if same:
                for number in range(size):
                    out[at + number, block] = out[at + number, block - 1]
            elif node < 0:
                for number in range(size):
                    out[at + number, block] = _NONE
            else:
                _level(sums, node, at, block, out)
            node = np.int64(nodes.parent[node]) if node >= 0 else node


@kernel
def _flags_of(nodes: Nodes) -> Int64s:
    """int64[M]: bits of the elements of `_AROUND` that an element is or is in."""
    flags = np.zeros(nodes.tag.size, np.int64)
    for node in range(1, flags.size):
        flags[node] = flags[nodes.parent[node]] | _FLAGS[nodes.tag[node]]
    return flags


@kernel
def _fill_flags(nodes: Nodes, blocks: Grid[Int32s], out: Out[Grid[Floats]]) -> None:
    flags = _flags_of(nodes)
    for block in range(blocks.shape[0]):
        own = flags[blocks[block, NODE]]
        for number in range(_FLAG_COUNT):
            out[_FLAGS_AT + number, block] = (own >> number) & 1


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
def _fill_candidates(nodes: Nodes, sums: Sums, blocks: Grid[Int32s], out: Out[Grid[Floats]]) -> None:
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
        out[_CANDIDATES, block] = to_candidate[node]
        out[_CANDIDATES + 1, block] = to_prose[node]
        out[_CANDIDATES + 2, block] = nodes.depth[node] - nodes.depth[candidate]
        out[_CANDIDATES + 3, block] = sums.characters[candidate] / total
        out[_CANDIDATES + 4, block] = sums.prose[candidate] / max(sums.prose[0], np.float32(1))
        out[_CANDIDATES + 5, block] = sums.characters[prose] / total
        out[_CANDIDATES + 6, block] = (block - first) / size
        out[_CANDIDATES + 7, block] = (last - block) / size


@kernel
def _is_h1(nodes: Nodes, node: Int) -> bool:
    for _ in range(_H1_AROUND):
        if node < 0:
            return False
        if nodes.tag[node] == _H1:
            return True
        node = np.int64(nodes.parent[node])
    return False


@kernel
def _fill_page(nodes: Nodes, sums: Sums, blocks: Grid[Int32s], out: Out[Grid[Floats]]) -> None:
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
        out[_PAGE, block] = blocks.shape[0]
        out[_PAGE + 1, block] = np.log1p(total)
        out[_PAGE + 2, block] = sums.links[0] / total
        out[_PAGE + 3, block] = sums.paragraphs[0]
        out[_PAGE + 4, block] = sums.prose[0] / total
        out[_PAGE + 5, block] = block - heading if heading >= 0 else -9999
        out[_PAGE + 6, block] = headings
        out[_PAGE + 7, block] = before / all_prose
        characters, links = weight(blocks, block)
        before += characters if is_paragraph(characters, links) else np.float32(0)


@kernel
def _fill_neighbours(nodes: Nodes, blocks: Grid[Int32s], out: Out[Grid[Floats]]) -> None:
    size = blocks.shape[0]
    characters = np.zeros(size + 1, np.float32)
    prose = np.zeros(size + 1, np.float32)
    for block in range(size):
        own, links = weight(blocks, block)
        characters[block + 1] = characters[block] + own
        prose[block + 1] = prose[block] + (own if is_paragraph(own, links) else np.float32(0))
    for block in range(size):
        at: Int = _BESIDE_AT
        for step in _BESIDE:
            _neighbour(nodes, blocks, block, block + step, at, out)
            at += len(_OF_NEIGHBOUR)
        at = _WITHIN_AT
        for reach in _WITHIN:
            low = max(0, block - reach)
            high = min(size, block + reach + 1)
            out[at, block] = (prose[high] - prose[low]) / max(characters[high] - characters[low], np.float32(1))
            at += 1


@kernel
def _neighbour(nodes: Nodes, blocks: Grid[Int32s], block: Int, other: Int, at: Int, out: Out[Grid[Floats]]) -> None:
    if not 0 <= other < blocks.shape[0]:
        for number in range(len(_OF_NEIGHBOUR)):
            out[at + number, block] = _NONE
        return
    node = blocks[block, NODE]
    beside = blocks[other, NODE]
    characters, links = weight(blocks, other)
    out[at, block] = characters
    out[at + 1, block] = links / characters
    out[at + 2, block] = KIND[nodes.tag[beside]]
    out[at + 3, block] = 1 if beside == node else 2 if nodes.parent[beside] == nodes.parent[node] else 0
    out[at + 4, block] = blocks[other, LAST] == ENDS_SENTENCE
