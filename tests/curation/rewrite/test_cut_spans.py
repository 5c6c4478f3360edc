"""What is left where spans are cut: the gap, its limits at both ends of a text, and texts that are not as they were."""

from typing import Any

import pyarrow as pa
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from curation.core.errors import RecipeError
from curation.rewrite.cut_spans import CutSpans
from tests.curation.text.texts import visible
from tests.support import documents

COLUMN = pa.struct(
    [
        ("spans", pa.list_(pa.struct([("start", pa.int64()), ("stop", pa.int64())]))),
        ("units", pa.int64()),
        ("repeated", pa.int64()),
        ("text_bytes", pa.int64()),
    ]
)


def found(text: str | None, *spans: tuple[int, int]) -> dict[str, Any]:
    """What a dedup stage says of a text: these spans, in bytes."""
    bounds = [{"start": start, "stop": stop} for start, stop in spans]
    return {"spans": bounds, "units": 9, "repeated": len(spans), "text_bytes": len((text or "").encode())}


def batch_of(texts: list[str | None], **columns: list[dict[str, Any] | None]) -> pa.RecordBatch:
    return documents(*texts, **{name: pa.array(column, COLUMN) for name, column in columns.items()})


def marked(text: str) -> tuple[str, dict[str, int]]:
    """What is left of a text when every part between < and > is cut, and the counts."""
    plain = ""
    spans = []
    for part in text.replace(">", "<").split("<"):
        spans.append((len(plain.encode()), len((plain + part).encode())))
        plain += part
    after, counts = CutSpans(of=("line",)).rewrite(batch_of([plain], line=[found(plain, *spans[1::2])]))
    after.validate(full=True)
    return after[0].as_py(), {name: values[0].as_py() for name, values in counts.items()}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param("a\nb", "a\nb", id="nothing"),
        pytest.param("a\n<MENU>\nb", "a\nb", id="a line"),
        pytest.param("a\n<MENU>\n<SHARE>\nb", "a\nb", id="two lines"),
        pytest.param("a\n<MENU>\nb\n<SHARE>\nc", "a\nb\nc", id="two lines apart"),
        pytest.param("a\n\n<MENU>\n\nb", "a\n\nb", id="a paragraph"),
        pytest.param("a\n<MENU>\n\nb", "a\n\nb", id="the last line of a paragraph"),
        pytest.param("a\n\n<MENU>\nb", "a\n\nb", id="the first line of a paragraph"),
        pytest.param("a\n\n<MENU>\n\n<SHARE>\n\nb", "a\n\nb", id="paragraphs in a row"),
        pytest.param("a\n\n\n<MENU>\n<SHARE>\nb", "a\n\n\nb", id="the larger gap stays"),
        pytest.param("<MENU>\n\na", "a", id="at the beginning"),
        pytest.param("\n <MENU>\n\n<SHARE>\n a", "a", id="blank lines and two lines at the beginning"),
        pytest.param("a\n\n<MENU>", "a", id="at the end"),
        pytest.param("a\n\n<MENU>\n<SHARE>\n \n", "a", id="two lines and blank lines at the end"),
        pytest.param(" \na\n<MENU>\nb\n \n", " \na\nb\n \n", id="whitespace around the text stays"),
        pytest.param(" <MENU> ", "", id="all of it"),
        pytest.param("<MENU>\n<SHARE>", "", id="all lines"),
        pytest.param("    a\n    <MENU>\n    b", "    a\n    b", id="indented lines"),
        pytest.param("a\n\n<MENU>\n    b", "a\n\n    b", id="the next line's indentation stays"),
        pytest.param("    a\n    <MENU>\nb", "    a\nb", id="and that of the line cut does not"),
        pytest.param("a\r\n<MENU>\r\nb", "a\r\nb", id="carriage returns"),
        pytest.param("one <copied> two", "one two", id="words within a line"),
        pytest.param("one <copied>", "one", id="words at the end"),
        pytest.param("one< copied> two", "one two", id="a space behind only"),
        pytest.param("one <copied >two", "one two", id="a space before only"),
        pytest.param("one< copied >two", "one two", id="no space but its own"),
        pytest.param("one<copied>two", "onecopiedtwo", id="within a word"),
        pytest.param("dis<ease copied un>do", "disease undo", id="from the middle of a word to the middle of another"),
        pytest.param("one <copied\n>two", "one\ntwo", id="with its own line break"),
        pytest.param("one <a\nb> two", "one\ntwo", id="a line break inside"),
        pytest.param("one <a\r\n\r\nb> two", "one\r\n\r\ntwo", id="a blank line inside"),
        pytest.param("one\n<a\n\n\nb>\n\n\n\n  two", "one\n\n\n\n  two", id="more line breaks behind than inside"),
        pytest.param("one<\n>two", "one\ntwo", id="a line break alone"),
        pytest.param("一句<重复的>话", "一句 话", id="Chinese"),
        pytest.param("一句<重复\n的>话", "一句\n话", id="Chinese, with a line break inside"),
        pytest.param("กา<แฟ>มาก", "กา มาก", id="Thai"),
        pytest.param("กาแ<ฟร้อน>มาก", "กาแฟ มาก", id="behind a vowel of Thai that belongs to the next letter"),
        pytest.param("e<\u0301 copied e>\u0301", "e\u0301 e\u0301", id="between letters and their accents"),
        pytest.param(
            "\u0928<\u092e\u0938\u094d> \u0928", "\u0928\u092e\u0938\u094d \u0928", id="part of a word of Hindi"
        ),
        pytest.param("一🇩<🇪🇫🇷🇩>🇪", "一🇩🇪🇫🇷🇩🇪", id="halves of flags in one word"),
        pytest.param("一\r<\n二三\r>\n四", "一\r\n四", id="between a carriage return and its line feed"),
        pytest.param("👩\u200d<👩 copied 👩\u200d>👩", "👩\u200d👩 👩\u200d👩", id="within sequences of emoji"),
        pytest.param("one <copied>\u200b two", "one \u200b two", id="an invisible character behind"),
        pytest.param("one <copied>\ntwo", "one\ntwo", id="the end of a line"),
        pytest.param("one\n<copied> two", "one\ntwo", id="the beginning of a line"),
        pytest.param("é\u3000<ü>\u2003ß", "é\u2003ß", id="characters of several bytes"),
    ],
)
def test_what_is_left(text: str, left: str) -> None:
    assert marked(text)[0] == left


def test_counts() -> None:
    assert marked("a\n\n<MÜ>\n\nb")[1] == {"spans": 1, "bytes": 9, "bytes_removed": 5}
    assert marked("a\n<M>\n<S>\nb")[1] == {"spans": 2, "bytes": 7, "bytes_removed": 4}
    assert marked("a\nb")[1] == {"spans": 0, "bytes": 3, "bytes_removed": 0}
    assert marked("a<bc>d")[1] == {"spans": 0, "bytes": 4, "bytes_removed": 0}
    assert marked("")[1] == {"spans": 0, "bytes": 0, "bytes_removed": 0}


@pytest.mark.parametrize(
    ("line", "substring", "left", "spans"),
    [
        pytest.param([(2, 4)], [(6, 8)], "0 2 4", 2, id="apart"),
        pytest.param([(2, 4)], [(3, 8)], "0 4", 1, id="overlapping"),
        pytest.param([(2, 4)], [(4, 8)], "0 4", 1, id="touching"),
        pytest.param([(3, 4)], [(2, 8)], "0 4", 1, id="one in the other"),
        pytest.param([(2, 4)], [(2, 4)], "0 2 3 4", 1, id="the same"),
        pytest.param([], [(0, 9)], "", 1, id="of one alone"),
    ],
)
def test_spans_of_two_methods(line: Any, substring: Any, left: str, spans: int) -> None:
    text = "0 1 2 3 4"
    batch = batch_of([text], line=[found(text, *line)], substring=[found(text, *substring)])
    for of in (("line", "substring"), ("substring", "line")):
        after, counts = CutSpans(of=of).rewrite(batch)
        assert after.to_pylist() == [left]
        assert counts["spans"].to_pylist() == [spans]


def test_rows_are_apart_also_in_a_slice_and_where_the_method_says_nothing() -> None:
    texts = ["before", "a\nb\nc", None, "unseen", "x\n\ny"]
    column = [found("before", (0, 3)), found(texts[1], (2, 3)), found(None), None, found(texts[4], (0, 1))]
    after, counts = CutSpans(of=("line",)).rewrite(batch_of(texts, line=column).slice(1))
    assert after.to_pylist() == ["a\nc", "", "unseen", "y"]
    assert counts["spans"].to_pylist() == [1, 0, 0, 1]
    assert counts["bytes_removed"].to_pylist() == [2, 0, 0, 3]


@pytest.mark.parametrize("now", ["a\nbc", "a", None])
def test_a_text_of_another_length_is_not_cut(now: str | None) -> None:
    batch = batch_of(["as it was", now], line=[found("as it was"), found("a\nb", (2, 3))])
    with pytest.raises(ValueError, match=r"had 3 bytes when line .* has \d now: put cut_spans right after"):
        CutSpans(of=("line",)).rewrite(batch)


@pytest.mark.parametrize("of", [(), ("line", "line")])
def test_methods_must_be_named(of: tuple[str, ...]) -> None:
    with pytest.raises(RecipeError, match="expected dedup methods or filters of spans, each once"):
        CutSpans(of=of)


def test_a_method_without_spans_is_refused_before_there_are_rows() -> None:
    batch = documents("a", exact=[{"duplicate_of": None, "copies": 1}]).slice(0, 0)
    with pytest.raises(RecipeError, match="exact finds no spans"):
        CutSpans(of=("exact",)).rewrite(batch)


def test_it_reads_what_it_is_told_to() -> None:
    assert CutSpans(of=("line", "paragraph")).reads == ("text", "line", "paragraph")


# Words that are all different, so that each is known by itself wherever it stands.
WORDS = [
    f"{letters}{number}" for number in range(5) for letters in ("a", "b-c.", "é", "e\u0301", "Ж", "한국", "❤\ufe0f")
]
GAPS = st.sampled_from([" ", " ", "  ", "\n", "\n\n", "\r\n", "\t", "\u3000", "\n \n  "])


@given(st.lists(GAPS, max_size=len(WORDS)), st.lists(st.tuples(st.integers(0), st.integers(0, 60)), max_size=4))
def test_words_wholly_in_a_span_go_and_all_others_stay_on_their_lines(
    gaps: list[str], cuts: list[tuple[int, int]]
) -> None:
    text = "".join(f"{word}{gap}" for word, gap in zip(WORDS, gaps, strict=False))
    content = text.encode()
    bounds = [(start % (len(content) + 1), size) for start, size in cuts]
    spans = [(start, min(start + size, len(content))) for start, size in bounds]
    inside = {at for start, stop in spans for at in range(start, stop)}
    after, counts = CutSpans(of=("line",)).rewrite(batch_of([text], line=[found(text, *spans)]))
    left = after[0].as_py()
    kept = [word for word in WORDS[: len(gaps)] if not inside.issuperset(range(*place(content, word.encode())))]
    assert left.split() == kept
    lines = [[word for line in one.split("\n") for word in line.split()] for one in text.split("\n")]
    line_of = {word: number for number, line in enumerate(lines) for word in line}
    assert all(len({line_of[word] for word in line.split()}) < 2 for line in left.split("\n"))
    assert counts["bytes_removed"][0].as_py() == len(content) - len(left.encode())


def place(content: bytes, word: bytes) -> tuple[int, int]:
    return content.index(word), content.index(word) + len(word)


SIGNS = st.sampled_from([*"中文กำแខ្ញក्षe🇩🇪👩🏽가각. ", "か\u3099", "\u0301", "\u200d", "\r", "\n", "\u200b", "\u0600"])


@given(st.lists(SIGNS, max_size=30).map("".join), st.integers(0, 90), st.integers(0, 60))
def test_what_is_seen_as_one_character_stays_whole(text: str, start: int, size: int) -> None:
    content = text.encode()
    span = (min(start, len(content)), min(start + size, len(content)))
    after, _ = CutSpans(of=("line",)).rewrite(batch_of([text], line=[found(text, span)]))
    given = [(one[0], *(len(text[:at].encode()) for at in one.span())) for one in regex.finditer(r"\X", text)]
    kept = [cluster for cluster in regex.findall(r"\X", after[0].as_py()) if not cluster.isspace()]
    rest = iter(cluster for cluster, _, _ in given)
    assert all(cluster in rest for cluster in kept)
    outside = [one for one, first, last in given if visible(one) and not span[0] <= first <= last <= span[1]]
    assert len(kept) >= len(outside)
