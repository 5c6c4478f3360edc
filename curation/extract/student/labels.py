"""Which blocks of a page a text was taken from: words of both are aligned, and each block gets the share of its words.

The alignment is a longest common subsequence of words in lower case; a Chinese or Japanese character is a word. A block
whose words only lie scattered in the text counts for less: no more than its runs of three words that the text has.
"""

import re
from collections.abc import Sequence
from itertools import chain

import numpy as np
from rapidfuzz.distance import LCSseq

from curation.extract.blocks.sums import Floats

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+")
_RUN = 3  # words
_NEARLY = 0.9  # share of a block's words that is as good as all, if only some of its runs are there
_SOME = 0.3
_MOST_WORDS = 40_000  # of a page, and of a text, that are aligned; the memory it takes grows with both


def words_of(text: str) -> list[str]:
    """In lower case, in order."""
    return _WORD.findall(text.lower())


def labels(blocks: Sequence[str], text: str) -> tuple[Floats, Floats]:
    """Shares of the B blocks' words that the text has, in [0, 1], and numbers of their words: float32[B] each."""
    by_block = [words_of(block) for block in blocks]
    truth = words_of(text)[:_MOST_WORDS]
    flat = list(chain.from_iterable(by_block))
    found = _aligned(flat[:_MOST_WORDS], truth)
    found.resize(len(flat), refcheck=False)
    runs = {*zip(*(truth[at:] for at in range(_RUN)), strict=False)}
    shares = np.zeros(len(blocks), np.float32)
    counts = np.array([len(words) for words in by_block], np.float32)
    start = 0
    for number, words in enumerate(by_block):
        if words:
            shares[number] = _share(words, found[start : start + len(words)], runs)
        start += len(words)
    return shares, counts


def _aligned(words: list[str], truth: list[str]) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """bool[N]: which words are in the longest common subsequence. Words that stand several times are taken from next to
    the text: above it, where a menu has its title's words too, from the last place, and from the first below."""
    first = _pairs(words, truth)
    ends = (len(words) - 1, len(truth) - 1)
    last = {(ends[0] - at, ends[1] - to) for at, to in _pairs(words[::-1], truth[::-1])}
    certain = min(first & last, default=(0, 0))
    found = np.zeros(len(words), np.bool_)
    found[[at for at, to in last if (at, to) < certain] + [at for at, to in first if (at, to) >= certain]] = True
    return found


def _pairs(words: list[str], truth: list[str]) -> set[tuple[int, int]]:
    """Places of the words in common, in the words and in the truth; the first of several that stand there."""
    numbers: dict[str, int] = {}
    framed = (["<", *words, "<"], [">", *truth, ">"])  # or what both begin or end with would be taken from there
    pairs: set[tuple[int, int]] = set()
    for block in LCSseq.opcodes(*([numbers.setdefault(word, len(numbers)) for word in side] for side in framed)):
        if block.tag == "equal":
            pairs |= {
                (at - 1, at - 1 + block.dest_start - block.src_start) for at in range(block.src_start, block.src_end)
            }
    return pairs


def _share(words: list[str], found: "np.ndarray[tuple[int], np.dtype[np.bool_]]", runs: set[tuple[str, ...]]) -> float:
    share = float(found.mean())
    if len(words) < _RUN:
        return 1.0 if share == 1.0 else 0.0
    own = [run in runs for run in zip(*(words[at:] for at in range(_RUN)), strict=False)]
    whole = sum(own) / len(own)
    if share >= _NEARLY and whole > _SOME:
        return share
    return min(share, whole)
