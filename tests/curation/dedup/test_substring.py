"""Repeated runs: limits, edges of characters, and a slow, obvious search for the same bytes."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.core.dedup_methods import Keys
from curation.dedup.substring import Substring
from tests.support import documents

SPANS = pa.list_(pa.struct({"start": pa.int64(), "stop": pa.int64()}))
WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
RUN = WORDS[:100]  # no window of it twice
Cut = list[tuple[int, int]]


def merged(places: set[int]) -> Cut:
    """The runs of consecutive numbers."""
    starts = sorted(place for place in places if place - 1 not in places)
    stops = sorted(place + 1 for place in places if place + 1 not in places)
    return list(zip(starts, stops, strict=True))


def on_characters(text: str, places: set[int]) -> Cut:
    """The runs without characters that are not whole."""
    whole = set[int]()
    at = 0
    for character in text:
        taken = range(at, at := at + len(character.encode()))
        if places.issuperset(taken):
            whole.update(taken)
    return merged(whole)


def slowly(texts: Sequence[str | None], size: int) -> list[Cut]:
    """What is to be cut of each text, by a dictionary of all windows; the first document keeps."""
    raw = [(text or "").encode() for text in texts]
    has: dict[bytes, set[int]] = defaultdict(set)
    for row, text in enumerate(raw):
        for at in range(len(text) - size + 1):
            has[text[at : at + size]].add(row)
    cut: list[set[int]] = [set() for _ in raw]
    for row, text in enumerate(raw):
        for at in range(len(text) - size + 1):
            if min(has[text[at : at + size]]) < row:
                cut[row].update(range(at, at + size))
    return [on_characters(text or "", places) for text, places in zip(texts, cut, strict=True)]


def repeated(keys: Keys) -> dict[tuple[int, int], int]:
    """Keys of two documents or more, and the first document that has each."""
    rows: dict[tuple[int, int], set[int]] = defaultdict(set)
    for hi, lo, row in zip(keys.hi.tolist(), keys.lo.tolist(), keys.row.tolist(), strict=True):
        rows[hi, lo].add(row)
    return {key: min(having) for key, having in rows.items() if len(having) > 1}


def cut(texts: Sequence[str | None], size: int = 100) -> list[Cut]:
    """What is cut of each text by the two rounds, as the engine runs them."""
    method = Substring(min_bytes=size)
    batch = documents(*texts)
    anchors = sorted(repeated(method.keys(batch)))
    hi, lo = (np.array([key[i] for key in anchors], np.uint64) for i in (0, 1))
    keys = method.refine(batch, hi, lo)
    assert keys.start is not None
    assert keys.stop is not None
    keeps = repeated(keys)
    places = [set[int]() for _ in texts]
    for key in range(len(keys.row)):
        row = int(keys.row[key])
        if keeps.get((int(keys.hi[key]), int(keys.lo[key])), row) != row:
            places[row].update(range(keys.start[key], keys.stop[key]))
    spans = pa.array([[{"start": a, "stop": b} for a, b in merged(one)] for one in places], SPANS)
    fitted = method.fit(batch.column("text"), spans)
    assert fitted.type == SPANS
    return [[(span["start"], span["stop"]) for span in one] for one in fitted.to_pylist()]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param(RUN, RUN, [(0, 100)], id="100 bytes"),
        pytest.param(RUN[:99], RUN[:99], [], id="99 bytes"),
        pytest.param("a" + RUN + "b", "xyz" + RUN + "c", [(3, 103)], id="100 bytes in the middle"),
        pytest.param("a" + RUN[:99] + "b", "xyz" + RUN[:99] + "c", [], id="99 bytes in the middle"),
        pytest.param(WORDS, WORDS + " more", [(0, len(WORDS))], id="a longer run"),
        pytest.param(RUN, RUN + "; " + RUN, [(0, 100), (102, 202)], id="both times where it stands twice"),
        pytest.param(RUN + RUN, RUN, [(0, 100)], id="once where it stands twice before"),
        pytest.param("é" + RUN[2:] + "é", "ô" + RUN[2:] + "é", [(2, 102)], id="half a character is shared"),
        pytest.param("中" * 33 + "丁", "中" * 33 + "丂", [(0, 99)], id="33 characters and two thirds"),
        pytest.param("中" * 33 + "x", "中" * 33 + "y", [], id="33 characters of three bytes"),
        pytest.param("中" * 34, "文" + "中" * 34, [(3, 105)], id="34 characters of three bytes"),
        pytest.param("a" * 100, "a" * 5000, [(0, 5000)], id="one character"),
        pytest.param("a" * 99, "a" * 5000, [], id="one character, 99 times"),
        pytest.param("word " * 20, "a word " + "word " * 500, [(2, 2507)], id="one word"),
        pytest.param("", "", [], id="empty"),
        pytest.param(None, None, [], id="null"),
    ],
)
def test_what_is_cut_of_the_second_document(one: str | None, other: str | None, expected: Cut) -> None:
    assert cut([one, other]) == [[], expected]


def test_a_run_of_one_document_stays() -> None:
    assert cut([RUN + " and " + RUN, "something else"]) == [[], []]


def test_the_best_document_of_each_run_keeps_it() -> None:
    first = RUN
    second = RUN[::-1]
    assert cut([first, second + "!" + first, second]) == [[], [(101, 201)], [(0, 100)]]


PARTS = ("a", "b", "ab", "abc" * 4, "é", "中文", "😀", "the quick brown fox ", "0123456789abcdef", "x" * 30, "\n")
made = st.lists(st.sampled_from(PARTS), max_size=14).map("".join)


@given(st.lists(st.one_of(made, st.text("ab", max_size=60), st.none()), max_size=5), st.integers(16, 40))
def test_like_a_dictionary_of_all_windows(texts: list[str | None], size: int) -> None:
    assert cut(texts, size) == slowly(texts, size)


@given(made, made, made, made, made, st.integers(16, 24))
def test_a_planted_run_like_a_dictionary_of_all_windows(
    run: str, before: str, after: str, behind: str, ahead: str, size: int
) -> None:
    texts = [before + run + after, behind + run + ahead, run[3:] + behind, before]
    assert cut(texts, size) == slowly(texts, size)


def test_a_document_gives_each_anchor_once_and_its_windows_with_their_bytes() -> None:
    method = Substring()
    batch = documents("b" * 1_000_000, "word " * 200_000)
    keys = method.keys(batch)
    assert len(set(zip(keys.hi.tolist(), keys.row.tolist(), strict=True))) == len(keys.hi) <= 6
    windows = method.refine(batch, np.unique(keys.hi), np.zeros(len(np.unique(keys.hi)), np.uint64))
    assert windows.row.tolist() == [0, 1, 1, 1, 1, 1]
    assert windows.start is not None
    assert windows.stop is not None
    assert windows.start.tolist() == [0, 0, 1, 2, 3, 4]
    assert windows.stop.tolist() == [1_000_000, 1_000_000, 999_996, 999_997, 999_998, 999_999]


def test_windows_without_a_repeated_anchor_have_no_key() -> None:
    none = np.empty(0, np.uint64)
    keys = Substring().refine(documents(WORDS, WORDS), none, none)
    assert len(keys.hi) == len(keys.lo) == len(keys.row) == 0


def test_spans_within_characters_vanish() -> None:
    text = pa.array(["中文", None, "a中"], pa.large_string())
    bounds: list[Cut | None] = [[(1, 3), (4, 5)], None, [(0, 2), (1, 4)]]
    spans = pa.array([None if one is None else [{"start": a, "stop": b} for a, b in one] for one in bounds], SPANS)
    fitted = Substring().fit(text, spans).to_pylist()
    assert fitted == [[], [], [{"start": 0, "stop": 1}, {"start": 1, "stop": 4}]]


def test_a_run_too_short_to_be_told() -> None:
    Substring(min_bytes=16)
    with pytest.raises(ValueError, match="16 or more, got 15"):
        Substring(min_bytes=15)
