"""Terms of long lists, against a search of every place in plain Python."""

import unicodedata

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.phrases.term_places import TermCounts, count_terms
from curation.text.phrases.terms import term_tree
from tests.curation.text.texts import sliced
from tests.curation.text.texts import texts as any_texts

LISTS = (
    ("ass", "piss off", "piss", "@ss", "a", "the cat sat", "Éclair", "नमस्ते", "x-y"),
    ("死", "死ね", "โป๊", "kuso", "エロ 動画"),
)
parts = st.sampled_from(
    [
        *"ass ASS c Piss off @ss the cat sat éclair नमस्ते 死 ね โป๊ kuso エロ 動画 x - y . 😀 \u0301 © 7 \0".split(" "),
        " ",
        " ",
        "\n",
        "\u3000",
    ]
)
texts = st.one_of(st.lists(parts, max_size=14).map("".join), any_texts)


def kind(char: str) -> str:
    """By Unicode names and categories, where the code goes by ranges."""
    category = unicodedata.category(char)
    if char.isspace():
        return "space"
    if category[0] in "PS" or category == "Cc":
        return "sign"
    name = unicodedata.name(char, "")
    unspaced = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "MYANMAR", "KHMER")
    return "alone" if name.startswith(unspaced) else "joins"


def joined(one: str, other: str) -> bool:
    return bool(one and other) and kind(one) == kind(other) == "joins"


def slow(text: str, terms: tuple[str, ...]) -> tuple[int, int, int]:
    wanted = {"".join(char.lower()[0] for char in term) for term in terms}
    found = words = inside = at = free = 0
    while at < len(text):
        before = text[at - 1] if at else ""
        if not text[at].isspace() and not joined(before, text[at]):
            if at >= free:
                ends = [end for end in range(at + 1, min(len(text), at + 40) + 1) if _stands(text, at, end, wanted)]
                found = found + bool(ends)
                free = max([free, *ends])
            is_word = kind(text[at]) != "sign"
            words += is_word
            inside = inside + (is_word and at < free)
        at += 1
    return found, words, inside


def _stands(text: str, at: int, end: int, wanted: set[str]) -> bool:
    piece = "".join("\n" if char.isspace() else char.lower()[0] for char in text[at:end])
    if piece != piece.strip() or joined(text[end - 1], text[end : end + 1]):
        return False
    return " ".join(piece.split("\n")) in wanted or " ".join(piece.split()) in wanted


def counted(values: list[str | None], lists: list[int]) -> TermCounts:
    return count_terms(sliced(values), term_tree(LISTS), np.array(lists, np.int64))


@given(st.lists(st.tuples(texts, st.sampled_from([-1, 0, 1])), max_size=4))
def test_against_a_search_of_every_place(rows: list[tuple[str, int]]) -> None:
    known = [(text, number) for text, number in rows if all(ord(c) in _JUDGED or c.isascii() for c in text)]
    counts = counted([text for text, _ in known], [number for _, number in known])
    expected = [slow(text, LISTS[number]) if number >= 0 else (0, 0, 0) for text, number in known]
    assert list(zip(*(column.tolist() for column in counts), strict=True)) == expected


# Characters on which the plain search and the ranges agree: those of the parts, not all of Unicode.
_JUDGED = {ord(char) for char in "\u3000éÉनमस्तेक死ねโป๊エロ動画😀\u0301©中文…•ßİΣς\u2003\u2028\x85\xa0"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("ass", (1, 1, 1), id="alone"),
        pytest.param("(ass), Ass's", (2, 3, 2), id="between signs"),
        pytest.param("class asset", (0, 2, 0), id="within a word"),
        pytest.param("piss \n off it", (1, 3, 2), id="words on two lines, the longest counts"),
        pytest.param("piss, off", (1, 2, 1), id="a comma between them"),
        pytest.param("piss offal", (1, 2, 1), id="the shorter, where the longer goes on"),
        pytest.param("the cat sat", (1, 3, 3), id="three words"),
        pytest.param("the cat the cat sat", (1, 5, 3), id="begun in vain"),
        pytest.param("b@ss", (1, 2, 1), id="a term that begins with a sign"),
        pytest.param("A a. 7a", (2, 3, 2), id="one letter"),
        pytest.param("ass\u0301 नमस्तेनमस्ते", (0, 2, 0), id="marks go on with a word"),
        pytest.param("ass😀", (1, 1, 1), id="emoji do not"),
        pytest.param("死ね中文", (0, 4, 0), id="each character a word"),
        pytest.param("", (0, 0, 0), id="nothing"),
    ],
)
def test_by_hand(text: str, expected: tuple[int, int, int]) -> None:
    assert tuple(int(column[0]) for column in counted([text], [0])) == expected


def test_scripts_without_spaces() -> None:
    found = counted(["お前死ね死ぬkuso、kusoo", "エロ\u3000動画エロ動画", "ดูหนังโป๊ฟรี", None], [1, 1, 1, 1])
    assert found.terms.tolist() == [3, 1, 1, 0]
    assert found.words_in_terms.tolist() == [4, 4, 3, 0]


def test_many_terms_and_lists() -> None:
    lists = [[f"term{n} of{k}" for n in range(2000)] for k in range(3)]
    texts = [" ".join(f"term{n} of{k}" for n in range(0, 2000, 2)) for k in range(3)]
    found = count_terms(pa.array(texts * 2), term_tree(lists), np.array([0, 1, 2, 1, 2, 0]))
    assert found.terms.tolist() == [1000] * 3 + [0] * 3
    assert found.words.tolist() == [2000] * 6
