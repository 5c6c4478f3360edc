"""N-grams that occur more than once, by hand and against slow plain Python."""

from collections import Counter

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from curation.text.ngrams import REPEATED, TOP, Repeated, Top, count_ngrams
from tests.curation.text.texts import sliced

Words = list[str]
tokens = st.one_of(
    st.lists(st.sampled_from(["a", "b", "cc", "ddd", "é", "中文字"]), max_size=40),
    # A few words again and again, so that also the longest n-grams repeat.
    st.tuples(st.lists(st.sampled_from(["a", "b", "cc", "é"]), min_size=1, max_size=12), st.integers(1, 4)).map(
        lambda made: made[0] * made[1]
    ),
)
documents_of = st.lists(tokens, max_size=4)


def grams(words: Words, n: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + n]) for at in range(len(words) - n + 1)]


def length(words: Words | tuple[str, ...]) -> int:
    return sum(map(len, words))


def covered(words: Words, starts: list[int], n: int) -> int:
    return length([words[place] for place in sorted({start + k for start in starts for k in range(n)})])


def slow_top(words: Words, n: int, top: Top, joint: int) -> int:
    every = grams(words, n)
    counts = Counter(every)
    highest = max(counts.values(), default=0)
    most = [gram for gram in counts if counts[gram] == highest]  # in order of first occurrence
    if top == "first":
        return highest * (length(most[0]) + joint * (n - 1)) if most else 0
    if highest < 2:
        return 0
    if top == "longest":
        return highest * (max(map(length, most)) + joint * (n - 1))
    return max(covered(words, [at for at, gram in enumerate(every) if gram == one], n) for one in most)


def slow_repeated(words: Words, n: int, repeated: Repeated) -> int:
    every = grams(words, n)
    if repeated == "later":
        return covered(words, [at for at, gram in enumerate(every) if gram in every[:at]], n)
    copies = [at for at, gram in enumerate(every) if every.count(gram) > 1]
    if repeated == "everywhere":
        return covered(words, copies, n)
    return sum(length(every[at]) for at in copies)


@given(documents_of, st.sampled_from(["covering", "first", "longest"]), st.integers(0, 1))
def test_the_most_frequent(documents: list[Words], top: Top, joint: int) -> None:
    found = count_ngrams(sliced([" ".join(words) for words in documents]), top=top, joint=joint)
    assert found.characters.tolist() == [length(words) for words in documents]
    joint = 0 if top == "covering" else joint
    assert found.top.tolist() == [[slow_top(words, n, top, joint) for n in TOP] for words in documents]


@given(documents_of, st.sampled_from(["later", "copies", "everywhere"]))
def test_repeated(documents: list[Words], repeated: Repeated) -> None:
    found = count_ngrams(sliced([" \n".join(words) for words in documents]), repeated=repeated)
    assert found.repeated.tolist() == [[slow_repeated(words, n, repeated) for n in REPEATED] for words in documents]
    if repeated == "copies":
        every = [[sum(map(length, grams(words, n))) for n in REPEATED] for words in documents]
        assert found.every.tolist() == every


def test_a_document_does_not_repeat_another() -> None:
    five = "one two three four five"
    assert count_ngrams(pa.array([five, five, f"{five} {five}"])).repeated[:, 0].tolist() == [0, 0, 19]
