"""The compiled test passes over nothing that ftfy would change; ftfy's repairs are those of encodings."""

import pyarrow as pa
import pytest
from ftfy import fix_text
from ftfy.badness import BADNESS_RE, MOJIBAKE_CATEGORIES
from hypothesis import given
from hypothesis import strategies as st

from curation.text.edits.line_edits import replaced
from curation.text.edits.mojibake import ENCODINGS, repaired, suspect_lines
from tests.curation.text.texts import texts

# Ranges in ftfy's categories have "-" in them; what lies between is drawn where it is named below.
ALPHABET = sorted({char for characters in MOJIBAKE_CATEGORIES.values() for char in characters})
NAMED = "ÂÃÎÐØÙ√‚≈×àвЂГўĀāβΒΓΞΟВРСÄâóœŒ€™\xa0Ά°¢²³±∂†≠®´≤≥¥µøÒÓòöùüабя \t.,?!aZ1"
near = st.text(st.one_of(st.sampled_from(ALPHABET), st.sampled_from(NAMED)), max_size=6)


def suspect(text: str) -> bool:
    return len(suspect_lines(pa.array([text], pa.large_string())).starts) > 0


def test_the_compiled_test_finds_every_pair_that_ftfy_does() -> None:
    alphabet = [*ALPHABET, *NAMED]
    pairs = [left + right for left in alphabet for right in alphabet]
    bad = [pair for pair in pairs if BADNESS_RE.search(pair)]
    assert len(bad) > 10_000
    assert suspect_lines(pa.array(bad, pa.large_string())).count().all()


@given(st.lists(st.one_of(texts, near), max_size=4).map("\n".join))
def test_repairing_the_suspect_lines_repairs_the_text(text: str) -> None:
    given_text = pa.array([text], pa.large_string())
    lines = suspect_lines(given_text)
    assert replaced(given_text, lines, repaired(lines)).to_pylist() == [fix_text(text, ENCODINGS)]


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("sÃ³\n", "só\n"),
        ("voilÃ\xa0 le travail", "voilà le travail"),
        ("âœ” No problems", "✔ No problems"),
        ("РџСЂРёРІРµС‚, РјРёСЂ", "Привет, мир"),
        ("dots\x85", "dots…"),
    ],
)
def test_mojibake_is_repaired(text: str, fixed: str) -> None:
    assert repaired(suspect_lines(pa.array([text]))).to_pylist() == [fixed]


@pytest.mark.parametrize(
    "text",
    [
        "Größe, naïve café, “quoted” — it’s…",
        "Он сказал «да» и ушёл.",
        "žluťoučký kůň",
        "中文。日本語",
        "ＷＩＤＥ &amp; ﬁne",
        "it’s",
        "עברית",
    ],
)
def test_what_is_none_stays(text: str) -> None:
    lines = suspect_lines(pa.array([text]))
    assert repaired(lines).to_pylist() in ([], [text])


@pytest.mark.parametrize("text", ["plain text", "Größe", "«да»", "中文。", "ñandú", "the “word” here"])
def test_ordinary_text_is_not_even_suspect(text: str) -> None:
    assert not suspect(text)
