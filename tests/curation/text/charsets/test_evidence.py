"""The text of a page in any encoding, and the few kilobytes of it that a detector reads."""

import pytest

from curation.text.charsets.evidence import CONTEXT_BYTES, LEAST_CUT, MAX_OVER, TELLING_BYTES, sample, visible


@pytest.mark.parametrize(
    ("page", "text"),
    [
        pytest.param(b"<p>\xe9t\xe9</p><p>b", b"\n\xe9t\xe9\nb", id="tags"),
        pytest.param(b"<style>p{}</style>\xe9<SCRIPT>a<b</Script >c", b"\n\xe9\nc", id="style and script"),
        pytest.param(b"\xe9<style>p{} \xe8", b"\xe9\n", id="style that never ends"),
        pytest.param(b"<!-- \xe8 --><!doctype html>\xe9", b"\n\xe9", id="comment"),
        pytest.param(b"<a title='>\xe8' b=c>\xe9", b"\n\xe9", id="attributes"),
        pytest.param(
            b"a&nbsp;\xe9 &#8217; b & c &; &verylongname; 1 < 2", b"a \xe9 b & c &; &verylongname; 1 < 2", id="&"
        ),
        pytest.param(b"  \xe9 \t b\n  c", b" \xe9 b\nc", id="whitespace"),
        pytest.param(b"<p title='\xe9'>a</p>", b"\np title=\n\xe9\n\na\n/p\n", id="only ASCII is visible"),
        pytest.param(b"", b"", id="nothing"),
    ],
)
def test_visible(page: bytes, text: bytes) -> None:
    assert visible(page) == text


def test_a_short_text_is_its_own_sample_with_telling_lines_first() -> None:
    assert sample(b"abc\nd\xe9\n\nx\r\xe8") == b"d\xe9\n\xe8\nabc\nx\n"
    assert sample(b"") == b""


def test_declarations_are_left_out() -> None:
    assert sample(b"\xe9 charset=koi8-r, \xe8") == b"\xe9 , \xe8\n"


def test_a_sample_is_of_all_of_a_long_text() -> None:
    lines = [b"\xe9%05d " % number + b"x" * 93 for number in range(10_000)]
    found = sample(b"\n".join(lines)).split(b"\n")[:-1]
    assert TELLING_BYTES * 0.9 < sum(map(len, found)) < TELLING_BYTES * 1.1
    assert found[0] == lines[0]
    assert lines.index(found[-1]) > 9_800
    assert sample(b"\n".join(lines)) == sample(b"\n".join(lines))


def test_lines_without_bytes_beyond_ascii_have_their_own_room() -> None:
    text = b"\n".join([b"word " * 20] * 1000 + [b"\xe9"])
    found = sample(text)
    assert found.startswith(b"\xe9\n")
    assert CONTEXT_BYTES * 0.8 < len(found) < CONTEXT_BYTES * 1.2


def test_words_of_another_script_are_judged_without_lines_in_english() -> None:
    title = "Вчера вечером".encode("cp1251")
    assert sample(title + b"\n" + b"word " * 20) == title + b"\n"


def test_a_long_line_is_cut_at_the_end_of_a_character() -> None:
    line = "语言".encode("gb18030") * 50 + b" "  # 200 bytes and a space, in which a cut may end
    found = sample(b"\n".join([line * 40] * 100))
    assert {len(cut) for cut in found.split(b"\n")[:-1]} == {2 * 201 - 1}
    assert set(found.decode("gb18030")) == {"语", "言", " ", "\n"}


def test_a_line_without_such_a_place_is_cut_all_the_same() -> None:
    found = sample(b"\n".join([b"\xe9" * 100_000] * 40))
    assert {len(cut) for cut in found.split(b"\n")[:-1]} == {LEAST_CUT + MAX_OVER}
