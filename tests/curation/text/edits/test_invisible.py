"""Invisible characters: which stay beside which neighbours, which go, and that a second run changes nothing."""

import pyarrow as pa
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from curation.text.edits.invisible import without_invisible
from tests.curation.text.texts import as_text, batches, garbage, sliced

IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")


def visible(text: str | None) -> tuple[str, int]:
    after, counts = without_invisible(pa.array([text], pa.large_string()))
    return after[0].as_py(), int(counts[0])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("می‌خواهم", id="non-joiner in Persian"),
        pytest.param("PDF‌ها", id="non-joiner between Latin and Persian"),
        pytest.param("سنه ۱۳۴۰ ه‍ است", id="joiner behind an Arabic letter"),
        pytest.param("क्‍ष", id="joiner behind a virama"),
        pytest.param("क्‌ष", id="non-joiner behind a virama"),
        pytest.param("അവന്‍ വന്നു", id="joiner at the end of a word of Malayalam"),
        pytest.param("ශ්‍රී", id="joiner in Sinhala"),
        pytest.param("ᠨᠠ᠋", id="variation selector of Mongolian"),
        pytest.param("ᠨ᠎ᠠ", id="vowel separator of Mongolian"),
        pytest.param("ខ្ញុំ\u200bជា", id="zero-width space in Khmer"),
        pytest.param("กา\u200bแฟ", id="zero-width space in Thai"),
        pytest.param("👩‍👩‍👧‍👦 👩🏽‍🦰 🏳️‍🌈 🏴‍☠️", id="emoji sequences"),
        pytest.param("❤️ ❤︎ ©️ 1️⃣ #️⃣", id="emoji and text style"),
        pytest.param("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", id="flag of England"),
        pytest.param("葛\U000e0100城", id="variation of an ideograph"),
        pytest.param("≨︀", id="variation of an operator"),
        pytest.param("\u1100\u1160\u11a8 \u115f\u1161", id="fillers of Hangul"),
        pytest.param("a\u0301\u034f\u0327", id="grapheme joiner between marks"),
        pytest.param("\U0001d157\U0001d173\U0001d158", id="beam in musical notation"),
    ],
)
def test_what_means_something_stays(text: str) -> None:
    assert visible(text) == (text, 0)


EVERY = [
    *"\u00ad\u034f\u061c\u115f\u1160\u17b4\u180b\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2062\u2066\u206f",
    *"\u3164\ufe00\ufe0e\ufe0f\ufeff\uffa0\U0001bca0\U0001d173\U000e0001\U000e0020\U000e0041\U000e007f\U000e0100",
    "\ufff0",
    "\U000e0fff",
]


@pytest.mark.parametrize("char", EVERY, ids=[f"{ord(char):x}" for char in EVERY])
def test_beside_letters_of_latin_signs_and_spaces_all_go(char: str) -> None:
    text = f"{char}One{char}{char} t{char}wo.{char}\n{char}\n{char} 3{char}4 {char} (five){char}"
    assert visible(text) == (text.replace(char, ""), text.count(char))
    assert visible(char * 3) == ("", 3)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        pytest.param("می‌ خواهم", "می خواهم", id="non-joiner at the end of a word"),
        pytest.param("می‌‌خواهم", "می‌خواهم", id="non-joiner twice"),
        pytest.param("a‍b👩‍ 👩‍b", "ab👩 👩b", id="joiner without a second emoji"),
        pytest.param("❤️️ a️ 1️ 1️2", "❤️ a 1 12", id="selectors with nothing to select"),
        pytest.param("葛\U000e0100\U000e0101 a\U000e0100", "葛\U000e0100 a", id="two selectors"),
        pytest.param("🏴\U000e0067\U000e0062 x", "🏴 x", id="tags without an end"),
        pytest.param("🏴\U000e0067\U000e0062\U000e007f", "🏴", id="tags too few"),
        pytest.param("🏴" + "\U000e0061" * 7 + "\U000e007f", "🏴", id="tags too many"),
        pytest.param("😀" + "\U000e0061" * 3 + "\U000e007f", "😀", id="tags behind another emoji"),
        pytest.param("a\u200b\U000e0061\u2060b", "ab", id="several in a row"),
        pytest.param("שלום\u200f abc\u200e (1)", "שלום abc (1)", id="marks of direction where directions mix"),
        pytest.param("a\u2800b", "a\u2800b", id="the empty cell of Braille is no ignorable character"),
    ],
)
def test_at_the_limits_of_a_meaning(text: str, after: str) -> None:
    assert visible(text) == (after, len(text) - len(after))


parts = st.sampled_from([*EVERY, *"aé1. \n", *"❤👩🏽🏴⃣", *"یه۱कक्षനแខ្ច葛≨ᠨᠠ가", "\u1100", "\u1161", "\u11a8", "\u0301"])


@given(st.one_of(st.lists(parts, max_size=25).map("".join), st.text(max_size=25)))
def test_only_invisible_characters_go_and_a_second_run_changes_nothing(text: str) -> None:
    after, count = visible(text)
    assert IGNORABLE.sub("", after) == IGNORABLE.sub("", text)
    assert count == len(text) - len(after)
    assert visible(after) == (after, 0)


@given(batches)
def test_rows_are_apart(values: list[str | None]) -> None:
    after, counts = without_invisible(sliced([*values, "\u200b"]))
    alone = [visible(value) for value in [*values, "\u200b"]]
    assert list(zip(after.to_pylist(), counts.tolist(), strict=True)) == alone


@given(garbage)
def test_bytes_that_are_no_text_stay(contents: list[bytes]) -> None:
    after, _ = without_invisible(as_text([*contents, b"\xe2\x80\x8b\xff\xe2\x80"]))
    assert after.view(pa.large_binary()).to_pylist()[-1] == b"\xff\xe2\x80"


def test_a_long_run_takes_linear_time() -> None:
    for char in ("\u200b", "\u200d\u200c", "\U000e0061", "\ufe0f"):
        assert visible("a" + char * 300_000 + "b")[0] == "ab"
