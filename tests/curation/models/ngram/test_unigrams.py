"""Word counts: the same however the text is cut, a file that is checked, and a divergence as the formula has it."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.core.errors import InputError
from curation.models.count_files import HEADER
from curation.models.ngram.unigrams import FILE, Reference, UnigramCounts, count, load, locate, parse
from tests.curation.text.slow_words import folded_words
from tests.curation.text.texts import batches, sliced

CORPUS = "the cat and the dog and the bird saw the sea"  # 11 words: the 4, and 2, five others 1


def unigrams(*texts: str | None) -> UnigramCounts:
    return count(iter([pa.array(texts, pa.large_string())]))


def slow_divergence(text: str, corpus: Counter[str], unlisted: int) -> float:
    """Sum of p log(p / q) over the outcomes, the words that the corpus does not list being one."""
    words = Counter(word if word in corpus else None for word in folded_words(text))
    total = corpus.total() + unlisted + 1
    found = 0.0
    for word, times in words.items():
        p = times / words.total()
        q = (unlisted + 1 if word is None else corpus[word]) / total
        found += p * math.log(p / q)
    return found if words else math.nan


@given(batches, st.integers(0, 3))
def test_a_corpus_cut_or_ordered_otherwise_gives_the_same_bytes(texts: list[str | None], cut: int) -> None:
    array = sliced(texts)
    whole = count(iter([array])).to_bytes()
    assert count(iter([array.slice(cut), array.slice(0, cut)])).to_bytes() == whole
    one = count(iter([array.slice(0, cut)]))
    other = count(iter([array.slice(cut)]))
    assert one.merged(other).to_bytes() == other.merged(one).to_bytes() == whole


def test_more_words_than_the_table_has_room_for() -> None:
    words = [f"{chr(97 + k % 26)}{chr(97 + k // 26 % 26)}{chr(97 + k // 676 % 26)}{k // 17576}" for k in range(150_000)]
    distinct = Counter(folded_words(" ".join(words)))
    found = unigrams(" ".join(words[:50_000]), " ".join(words))
    assert len(found.hashes) == len(distinct)
    assert int(found.counts.sum()) == 200_000
    assert np.all(np.diff(found.hashes.astype(object)) > 0)


def test_only_the_most_frequent_words_are_listed() -> None:
    words = unigrams("a a a b b b c c d")
    kept = words.shortened(max_words=9, min_count=2)
    assert sorted(kept.counts.tolist()) == [2, 3, 3]
    assert kept.unlisted == 1
    fewest = words.shortened(max_words=1, min_count=2)
    assert fewest.hashes.tolist() == [min(h for h, n in zip(words.hashes, words.counts, strict=True) if n == 3)]
    assert fewest.unlisted == 6
    assert fewest.shortened(max_words=0, min_count=1).unlisted == 9


def test_the_file_is_read_back() -> None:
    words = unigrams("a a b").shortened(max_words=9, min_count=2)
    content = words.to_bytes()
    assert content[:8] == FILE.magic
    assert content[8:HEADER] == b"".join(value.to_bytes(8, "little") for value in (1, 1, 1))
    assert len(content) == HEADER + 16
    assert parse(content).to_bytes() == content


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(lambda c: b"", "does not begin as one", id="empty"),
        pytest.param(lambda c: c[:20], "does not begin as one", id="cut within the head"),
        pytest.param(lambda c: b"{" + c[1:], "does not begin as one", id="another kind of file"),
        pytest.param(lambda c: c[:8] + b"\2" + c[9:], "has format 2, this winnow reads 1", id="a later format"),
        pytest.param(lambda c: c[:-1], "has 63 bytes, its 2 words take 64", id="cut short"),
        pytest.param(lambda c: c + b"\0", "has 65 bytes, its 2 words take 64", id="something behind"),
        pytest.param(lambda c: c[:32] + c[40:48] + c[32:40] + c[48:], "out of order", id="out of order"),
        pytest.param(lambda c: c[:56] + bytes(8), "no occurrences", id="a word that does not occur"),
        pytest.param(lambda c: c[:16] + bytes(16), "lists no words", id="no words"),
    ],
)
def test_a_broken_file_is_refused(change: object, message: str, tmp_path: Path) -> None:
    assert callable(change)
    path = tmp_path / "words.bin"
    path.write_bytes(change(unigrams("a b").to_bytes()))
    with pytest.raises(InputError, match=f"words.bin holds no word counts.*{message}"):
        load(str(path))


def test_a_missing_file_is_named() -> None:
    with pytest.raises(InputError, match=r"no word counts at nowhere\.bin; give the path"):
        load("nowhere.bin")


@pytest.mark.parametrize(
    ("text", "divergence", "unlisted"),
    [
        pytest.param("the", math.log(12 / 4), 0.0, id="one frequent word"),
        pytest.param("Sea!", math.log(12), 0.0, id="one rare word"),
        pytest.param("whale", math.log(12), 1.0, id="one unknown word"),
        pytest.param("whale ship", math.log(12), 1.0, id="two unknown words are one outcome"),
        pytest.param("the sea", math.log(12) - math.log(2) - math.log(4) / 2, 0.0, id="two words"),
        pytest.param(CORPUS, math.log(12 / 11), 0.0, id="the corpus itself"),
        pytest.param(f"{CORPUS} whale", 0.0, 1 / 12, id="the corpus and one unknown word"),
        pytest.param("", math.nan, math.nan, id="no word"),
    ],
)
def test_divergence_by_hand(text: str, divergence: float, unlisted: float) -> None:
    found, share = Reference(unigrams(CORPUS)).compare(pa.array([text, "the"], pa.large_string()))
    assert found[0] == pytest.approx(divergence, abs=1e-12, nan_ok=True)
    assert share[0] == pytest.approx(unlisted, nan_ok=True)
    assert found[1] == pytest.approx(math.log(3))


@given(batches, batches)
def test_divergence_is_that_of_the_formula(corpus: list[str | None], texts: list[str | None]) -> None:
    slow = Counter(word for text in [*corpus, CORPUS] for word in folded_words(text or ""))
    words = count(iter([sliced(corpus), pa.array([CORPUS])])).shortened(max_words=10**6, min_count=2)
    listed = Counter({word: times for word, times in slow.items() if times >= 2})
    found, _ = Reference(words).compare(sliced(texts))
    expected = [slow_divergence(text or "", listed, slow.total() - listed.total()) for text in texts]
    assert found.tolist() == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"{}", "it does not begin as one", id="another file"),
        pytest.param(FILE.magic + bytes([2]) + bytes(23), "it has format 2", id="a format to come"),
        pytest.param(
            FILE.magic + bytes([1]) + bytes(7) + bytes([3]) + bytes(15), "its 3 words take 80", id="cut short"
        ),
    ],
)
def test_a_wrong_file_is_told_before_it_is_read(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.bin").write_bytes(content)
    with pytest.raises(InputError, match=message):
        locate(str(tmp_path / "a.bin"))


def test_a_right_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(unigrams(CORPUS).to_bytes())
    assert locate(str(tmp_path / "a.bin")) == str(tmp_path / "a.bin")


def test_a_file_whose_words_would_share_a_home() -> None:
    """A million hashes that begin with the same bits: each would pass all those before it, 10^12 steps."""
    hashes = np.arange(1, 1_000_001, dtype=np.uint64)
    words = parse(UnigramCounts(hashes, np.ones(len(hashes), np.uint64), 0).to_bytes())
    divergence, unlisted = Reference(words).compare(pa.array(["the sea"], pa.large_string()))
    assert unlisted.tolist() == [1.0]
    assert divergence[0] == pytest.approx(math.log(1_000_001))


def test_more_occurrences_than_a_sum_holds() -> None:
    words = UnigramCounts(np.array([1, 2], np.uint64), np.full(2, 1 << 62, np.uint64), 0)
    with pytest.raises(ValueError, match="its words occur more than 4,611,686,018,427,387,904 times"):
        parse(words.to_bytes())
