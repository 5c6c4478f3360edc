"""Copies of texts for patterns, written out by hand; `|` stands for the mark. And the way back to the bytes."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.kernels.buffers import text_buffers
from curation.text.patterns.readable import Readable, readable
from curation.text.patterns.value_signs import MARK


def copied(*texts: str) -> Readable:
    return readable(*text_buffers(pa.array(texts, pa.large_string())))


def contents(copy: Readable) -> list[str]:
    bounds = zip(copy.offsets[:-1], copy.offsets[1:], strict=True)
    return [copy.data[first:stop].tobytes().decode().replace(chr(MARK), "|") for first, stop in bounds]


@pytest.mark.parametrize(
    ("text", "copy"),
    [
        pytest.param("이메일은a@b.io입니다", "이메일은|a@b.io|입니다", id="Hangul on both sides"),
        pytest.param("тел+7 (495) 1или", "тел|+7 (495) 1|или", id="a plus sign"),
        pytest.param("โทร(02)1", "โทร|(02)1", id="a bracket"),
        pytest.param("संपर्क1पर", "संपर्क|1|पर", id="a combining vowel"),
        pytest.param("记-a@b.io-谢", "记-|a@b.io|-谢", id="signs between the two"),
        pytest.param("记::1", "记::|1", id="several signs"),
        pytest.param("é1ñ müller", "é1ñ müller", id="Latin letters beyond ASCII"),
        pytest.param("e\u0301a", "e\u0301a", id="a combining accent"),
        pytest.param("用户@例子.中国", "用户|@例子.中国", id="an address in another script"),
        pytest.param("1\u00a02\u202f3\u20094\u30005\u16806", "1 2 3 4 5 6", id="spaces"),
        pytest.param("1\u20112\u20133\u22124\uff0d5", "1-2-3-4-5", id="hyphens and dashes"),
        pytest.param("GB29\u2013NWBK\u20136016", "GB29-NWBK-6016", id="dashes beside capitals"),
        pytest.param("one\u2014two \u2013 3", "one\u2014two \u2013 3", id="dashes between words"),
        pytest.param("00\u20131b\u201344, 00\uff1a1b", "00-1b-44, 00:1b", id="pairs of hexadecimal digits"),
        pytest.param("001\u2013bb\uff1a1", "001\u2013bb\uff1a1", id="no pairs"),
        pytest.param("1·2•3・4．5", "1.2.3.4.5", id="middle dots"),
        pytest.param("a·b · 1", "a·b · 1", id="middle dots between words"),
        pytest.param("０３ー１２データー1", "03-12|データー|1", id="the long vowel"),
        pytest.param("ａｂ＠ｃ．ｊｐ＋（１）", "ab@c．jp+(1)", id="full width"),
        pytest.param("٠١٢ ०१२ ๐๑๒", "012 012 012", id="digits of other scripts"),
        pytest.param("1\u200b2 1\u2060\u00ad2", "1 2 1 2", id="invisible characters between digits"),
        pytest.param("a\u00adb@\u200bc.io", "ab@c.io", id="in an address"),
        pytest.param("\u202a+49 1\u202c x", "|+49 1| x", id="around a value"),
        pytest.param("می\u200cخواهم 👩\u200d👦", "می\u200cخواهم 👩\u200d👦", id="where they mean something"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_copy(text: str, copy: str) -> None:
    assert contents(copied(text)) == [copy]


def test_texts_that_need_no_copy_are_none() -> None:
    data, offsets = text_buffers(pa.array(["plain", "café", None], pa.large_string()).slice(1))
    copy = readable(data, offsets)
    assert copy.data is data
    assert copy.offsets is offsets


def test_marks_are_counted_by_text() -> None:
    assert copied("a", "記a記", "1\u00a02").marks.tolist() == [0, 2, 0]


def test_more_steps_than_bytes_were_expected_for() -> None:
    copy = copied("1\u00a0" * 5000)
    assert contents(copy) == ["1 " * 5000]
    assert copy.source(9998, 10000) == (14997, 15000)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("記a@b.io記", "a@b.io"),
        ("é\u202a+49\u00a030\u00a01\u202c.", "+49\u00a030\u00a01"),
        ("記٠١٢記", "٠١٢"),
        ("x a\u00adb@c.io-記", "a\u00adb@c.io"),
    ],
)
def test_the_way_back_and_forth(text: str, value: str) -> None:
    copy = copied("記1", text)
    begin = int(copy.offsets[1])
    first, last = len("記1".encode()), len(f"記1{text[: text.index(value)]}".encode())
    place = copy.place(last, last + len(value.encode()))
    assert copy.source(*place) == (last, last + len(value.encode()))
    assert copy.source(begin, int(copy.offsets[2])) == (first, first + len(text.encode()))


SIGNS = st.text(alphabet="a1Z.-@+( é記ー가ก\u00a0\u200b\u202a\u2013·１٣：\u0301", max_size=12)


@given(st.lists(SIGNS, max_size=3))
def test_each_character_of_a_copy_comes_from_whole_characters(texts: list[str]) -> None:
    copy = copied(*texts)
    whole = "".join(texts).encode()
    at = 0
    last = 0
    for char in copy.data[: copy.offsets[-1]].tobytes().decode():
        first, stop = copy.source(at, at + len(char.encode()))
        if char != chr(MARK):
            whole[first:stop].decode()
            assert last <= first < stop
            last = stop
        at += len(char.encode())


@given(st.lists(SIGNS, max_size=4))
def test_a_copy_does_not_depend_on_neighbours(texts: list[str]) -> None:
    assert contents(copied(*texts)) == [contents(copied(text))[0] for text in texts]
