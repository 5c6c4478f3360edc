"""Penedo et al. 2023: each line rule at its limit and one step past it."""

import pytest

from curation.rewrite.refinedweb_lines import RefinedwebLines
from tests.support import documents

KEPT = "  This line is kept"


def clean(text: str | None, rules: RefinedwebLines | None = None) -> tuple[str, dict[str, int]]:
    """The text that stays, and the counts that are not 0."""
    after, counts = (rules or RefinedwebLines()).rewrite(documents(text))
    return after[0].as_py(), {
        name: count for name, (count,) in ((n, c.to_pylist()) for n, c in counts.items()) if count
    }


@pytest.mark.parametrize(
    ("line", "cut_by"),
    [
        pytest.param("ABC def", None, id="3 of 7 capitals"),
        pytest.param("ABC de", None, id="half capitals"),
        pytest.param("ABC d", "uppercase_lines", id="3 of 5 capitals"),
        pytest.param("ÄÖÜ ДЖ", "uppercase_lines", id="capitals of other scripts"),
        pytest.param("12345", "numeric_lines", id="digits"),
        pytest.param("१२²", "numeric_lines", id="other numbers"),
        pytest.param("12 345", None, id="digits and a blank"),
        pytest.param("3 likes", "counter_lines", id="a counter"),
        pytest.param("1.2K Views", "counter_lines", id="a counter in thousands"),
        pytest.param("3 apples", None, id="no counter"),
        pytest.param("word", "short_lines", id="1 word"),
        pytest.param("two words", None, id="2 words"),
        pytest.param("items in cart", "edited_lines", id="nothing but a phrase"),
    ],
)
def test_lines_that_are_cut(line: str, cut_by: str | None) -> None:
    text, counts = clean(f"{KEPT}\n{line}")
    assert text == (KEPT if cut_by else f"{KEPT}\n{line}")
    words = len(line.split())
    assert counts == {"lines": 2, "words": 4 + words, **({cut_by: 1, "words_removed": words} if cut_by else {})}


@pytest.mark.parametrize(
    ("line", "after", "removed"),
    [
        pytest.param("now 2 items in cart of yours", "now 2 of yours", 3, id="anywhere"),
        pytest.param("Sign-in to go on", "to go on", 1, id="at the beginning"),
        pytest.param("go on to Sign-in", "go on to Sign-in", 0, id="not at the beginning"),
        pytest.param("the story so far Read more...", "the story so far", 2, id="at the end"),
        pytest.param("the story so far READ MORE…", "the story so far", 2, id="at the end, one character"),
        pytest.param("read more… of it", "read more… of it", 0, id="not at the end"),
        pytest.param("a b c d e f g h read more...", "a b c d e f g h", 2, id="10 words"),
        pytest.param("a b c d e f g h i read more...", "a b c d e f g h i read more...", 0, id="11 words"),
        pytest.param("sign-in now", "", 2, id="1 word is left"),
    ],
)
def test_phrases_are_cut_from_short_lines(line: str, after: str, removed: int) -> None:
    text, counts = clean(line)
    assert text == after
    assert counts.get("words_removed", 0) == removed


def test_lines_stay_as_they_are_and_paragraphs_apart() -> None:
    assert clean(f"\n{KEPT} \n\n \n{KEPT}\nitems in cart\n{KEPT}\nword\n\n{KEPT}\n")[0] == (
        f"{KEPT} \n\n{KEPT}\n{KEPT}\n\n{KEPT}"
    )


def test_a_language_has_its_own_words() -> None:
    rules = RefinedwebLines(by_language={"de": {"counted": ("aufrufe",), "at_end": ("mehr lesen",)}})
    text = "3 Aufrufe\n3 views\nwas geschah mehr lesen"
    after, _ = rules.rewrite(documents(text, text, language=[{"label": "de"}, {"label": None}]))
    assert after.to_pylist() == ["3 views\nwas geschah", "3 Aufrufe\nwas geschah mehr lesen"]


def test_options() -> None:
    rules = RefinedwebLines(max_uppercase=1.0, min_words=1, counted=("cats",), at_end=("(more)",), max_edited_words=3)
    text, counts = clean("A B\nC\n3 likes\n3 cats\na b (more)\na b c (more)", rules)
    assert text == "A B\nC\n3 likes\na b\na b c (more)"
    assert counts == {"lines": 6, "counter_lines": 1, "edited_lines": 1, "words": 14, "words_removed": 3}
