"""Spans narrowed to words and grapheme clusters: by hand, at the limits, and against another reading of clusters."""

import re

import pyarrow as pa
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from curation.text.edits.cut_places import LONGEST, narrowed
from tests.curation.text.texts import garbage, texts

SPANS = pa.list_(pa.struct([("start", pa.int64()), ("stop", pa.int64())]))
Bounds = list[tuple[int, int]]


def narrow(text: str, *spans: tuple[int, int]) -> Bounds:
    column = pa.array([[{"start": start, "stop": stop} for start, stop in spans]], SPANS)
    (found,) = narrowed(pa.array([text], pa.large_string()), column).to_pylist()
    return [(span["start"], span["stop"]) for span in found]


def marked(text: str) -> str:
    """The text with the narrowed span between < and >, where it had the span."""
    before, span, behind = re.split("[<>]", text)
    content = (before + span + behind).encode()
    start = len(before.encode())
    for first, last in narrow(before + span + behind, (start, start + len(span.encode()))):
        return "<".join((content[:first].decode(), ">".join((content[first:last].decode(), content[last:].decode()))))
    return before + span + behind


LONG = "a" * LONGEST


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<one two>", "<one two>", id="all of a text"),
        pytest.param("un<one two three four>teen", "unone <two three> fourteen", id="halves of words"),
        pytest.param("(<one> two)", "(one two)", id="punctuation is of the word beside it"),
        pytest.param("one, <two, three>, four", "one, <two,> three, four", id="and so is a comma"),
        pytest.param("one<\n\n two \t>three", "one\n\n <two> \tthree", id="whitespace at the ends"),
        pytest.param("one< \n >two", "one \n two", id="whitespace alone"),
        pytest.param("中<文,字>句", "中<文,字>句", id="ideographs"),
        pytest.param("中文<iPad 字>句", "中文<iPad 字>句", id="another script beside ideographs"),
        pytest.param("中文i<Pad字>句", "中文iPad<字>句", id="half a word beside ideographs"),
        pytest.param("กาแ<ฟร้อ>น", "กาแฟ<ร้อ>น", id="Thai"),
        pytest.param("ខ<្ញុំជា>ក", "ខ្ញុំ<ជា>ក", id="a stacked consonant of Khmer"),
        pytest.param("か<\u3099きか>\u3099", "か\u3099<き>か\u3099", id="Kana and a voicing mark"),
        pytest.param("한국<어 한국>어", "한국어 한국어", id="Korean has words"),
        pytest.param("中\r<\n文\r>\n", "中\r\n<文>\r\n", id="a carriage return with its line feed"),
        pytest.param("中👩\u200d<👩文👩>\u200d👩", "中👩\u200d👩<文>👩\u200d👩", id="sequences of emoji"),
        pytest.param("中👩<🏽文>", "中👩🏽<文>", id="a tone of skin"),
        pytest.param("🇩<🇪中🇩🇪🇫>🇷中", "🇩🇪<中>🇩🇪🇫🇷中", id="flags"),
        pytest.param("\u200b<word\u200b>", "\u200b<word>\u200b", id="zero-width spaces are spaces"),
        pytest.param("so\xad<ft soft>\xadly", "so\xadft soft\xadly", id="a soft hyphen is within a word"),
        pytest.param(f"{LONG[2:]}/<b c>", f"{LONG[2:]}/b <c>", id="a word of so many bytes is whole"),
        pytest.param(f"{LONG[1:]}/<b c>", f"{LONG[1:]}/<b c>", id="one of more may be cut beside a sign"),
        pytest.param(f"/{LONG[1:]}<a b c>", f"/{LONG} <b c>", id="but not within so many letters"),
        pytest.param(f"/{LONG}<a b c>", f"/{LONG}<a b c>", id="within more"),
    ],
)
def test_by_hand(text: str, expected: str) -> None:
    assert marked(text) == expected


def test_spans_of_a_text_are_narrowed_one_by_one() -> None:
    text = "one two three four five"
    assert narrow(text, (1, 7), (9, 10), (14, 16), (18, 23)) == [(4, 7), (19, 23)]
    columns = pa.array([None, [{"start": 0, "stop": 1}], [{"start": 0, "stop": 2}]], SPANS)
    found = narrowed(pa.array(["a", None, "ab"], pa.large_string()).slice(0), columns.take(pa.array([0, 0, 2])))
    assert found.to_pylist() == [[], [], [{"start": 0, "stop": 2}]]


parts = st.sampled_from(
    [
        *"中かกแำខក្षक्eé🇩🇪👩🏽. \r\n각가-",
        "\u0301",
        "\u200d",
        "\u200b",
        "\u0600",
        "\ufe0f",
        "x" * 60,
        "/" * 70,
        "\u0915\u094d",
    ]
)
made = st.one_of(st.lists(parts, max_size=30).map("".join), texts)


@given(made, st.lists(st.integers(0, 200), min_size=2, max_size=6))
def test_narrowing_only_narrows_to_ends_of_clusters_and_again_changes_nothing(text: str, places: list[int]) -> None:
    size = len(text.encode())
    ends = sorted({min(place, size) for place in places})
    spans = list(zip(ends[::2], ends[1::2], strict=False))
    found = narrow(text, *spans)
    assert all(any(a <= start < stop <= b for a, b in spans) for start, stop in found)
    clusters = {0, *(len(text[: one.end()].encode()) for one in regex.finditer(r"\X", text))}
    assert {end for span in found for end in span} <= clusters
    assert narrow(text, *found) == found
    assert [one for span in spans for one in narrow(text, span)] == found


@given(made, st.integers(0, 200), st.integers(0, 200))
def test_what_stands_before_and_behind_changes_nothing_beyond_a_word(text: str, start: int, stop: int) -> None:
    before = "Some words before. "
    size = len(text.encode())
    first, last = sorted((min(start, size), min(stop, size)))
    alone = narrow(f"\n{text} .", (1 + first, 1 + last))
    moved = narrow(f"{before}\n{text} . And some behind.", (len(before) + 1 + first, len(before) + 1 + last))
    assert [(a + len(before), b + len(before)) for a, b in alone] == moved


@given(garbage)
def test_bytes_that_are_no_text(contents: list[bytes]) -> None:
    column = pa.array([[{"start": 0, "stop": len(content)}] for content in contents], SPANS)
    for spans, content in zip(
        narrowed(pa.array(contents, pa.large_binary()).view(pa.large_string()), column).to_pylist(),
        contents,
        strict=True,
    ):
        assert all(0 <= span["start"] < span["stop"] <= len(content) for span in spans)


def test_many_spans_of_a_long_word_take_linear_time() -> None:
    text = "中" * 100_000 + "a" * 300_000
    spans = [(at, at + 5) for at in range(0, len(text.encode()) - 5, 6)]
    assert narrow(text, *spans) == [(at, at + (3 if at < 300_000 else 5)) for at, _ in spans]
