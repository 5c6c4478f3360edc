"""Raffel et al. 2020: each rule at its limit and one step past it, and what the public readings do otherwise."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.core.errors import RecipeError
from curation.rewrite.c4_lines import C4Lines, Variant
from tests.support import documents, table

KEPT = "This line is kept."


def clean(text: str | None, rules: C4Lines | None = None) -> tuple[str, dict[str, int]]:
    """The text that stays, and the counts that are not 0."""
    after, counts = (rules or C4Lines()).rewrite(documents(text))
    return after[0].as_py(), {
        name: count for name, (count,) in ((n, c.to_pylist()) for n, c in counts.items()) if count
    }


@pytest.mark.parametrize(
    ("line", "cut_by"),
    [
        pytest.param("It ends here.", None, id="a full stop"),
        pytest.param("Does it end?", None, id="a question mark"),
        pytest.param("It ends here!", None, id="an exclamation mark"),
        pytest.param('"It ends here"', None, id="a straight quotation mark"),
        pytest.param("“It ends here”", None, id="a curly quotation mark"),
        pytest.param("It does not end", "unpunctuated_lines", id="no mark"),
        pytest.param("It does not end...", "unpunctuated_lines", id="an ellipsis"),
        pytest.param("It does not end…", "unpunctuated_lines", id="an ellipsis of one character"),
        pytest.param("It does not end:", "unpunctuated_lines", id="a colon"),
        pytest.param("It ends.", "short_lines", id="2 words"),
        pytest.param("So it ends.", None, id="3 words"),
        pytest.param("So it " + "n" * 999 + ".", None, id="a word of 1,000 characters"),
        pytest.param("So it " + "é" * 999 + ".", None, id="a word of 1,000 characters in 1,999 bytes"),
        pytest.param("So it " + "n" * 1000 + ".", "long_word_lines", id="a word of 1,001 characters"),
        pytest.param("Please enable JavaScript now.", "javascript_lines", id="javascript"),
        pytest.param("Please enable javascripts now.", "javascript_lines", id="javascript in a word"),
        pytest.param("Please enable java script.", None, id="no javascript"),
        pytest.param("Read our Terms of Use.", "policy_lines", id="terms of use"),
        pytest.param("This is our privacy policy.", "policy_lines", id="privacy policy"),
        pytest.param("See the cookie policy.", "policy_lines", id="cookie policy"),
        pytest.param("This site uses cookies.", "policy_lines", id="uses cookies"),
        pytest.param("About our use of cookies.", "policy_lines", id="use of cookies"),
        pytest.param("We use cookies here.", "policy_lines", id="use cookies"),
        pytest.param("We used cookies here.", None, id="no policy"),
    ],
)
def test_lines_that_are_cut(line: str, cut_by: str | None) -> None:
    text, counts = clean(f"{KEPT}\n{line}")
    assert text == (KEPT if cut_by else f"{KEPT}\n{line}")
    assert counts == {"lines": 2, **({cut_by: 1} if cut_by else {})}


def test_the_first_rule_counts() -> None:
    assert clean("javascript")[1] == {"lines": 1, "unpunctuated_lines": 1}
    assert clean("javascript!")[1] == {"lines": 1, "short_lines": 1}
    assert clean("Enable javascript, we use cookies.")[1] == {"lines": 1, "javascript_lines": 1}


def test_lines_are_kept_without_the_whitespace_around_and_blank_lines_go() -> None:
    assert clean(f"\n\n  {KEPT}\t\r\n \n\u2028\u3000{KEPT}\n")[0] == f"{KEPT}\n{KEPT}"


def test_markers_are_cut_and_the_line_judged_without_them() -> None:
    text, counts = clean("It ends here. [1]\nIt [citation needed] ends[2][३].\nThis [[1]] is too. [edit]\n[4]")
    assert text == "It ends here.\nThis  is too."
    assert counts == {"lines": 4, "citations": 8, "short_lines": 1}


def test_lines_that_decide_about_a_page_are_counted_and_stay() -> None:
    text, counts = clean("Lorem Ipsum is this.\nA {curly} bracket here.\nlorem ipsum\n{")
    assert text == "Lorem Ipsum is this.\nA {curly} bracket here."
    assert counts == {"lines": 4, "unpunctuated_lines": 2, "lorem_ipsum_lines": 1, "curly_bracket_lines": 1}


@table(
    ("options", "text", "after"),
    {
        "as FineWeb has it": ({"terminal_punctuation": False}, "It does not end\nno end", "It does not end"),
        "2 words": ({"min_words": 2}, "It ends.\nEnds.", "It ends."),
        "any number of words": ({"min_words": 0}, "Ends.", "Ends."),
        "short words": (
            {"max_word_length": 5},
            "So it ends.\nSo it ends here.\nSo it began.",
            "So it ends.\nSo it ends here.",
        ),
        "javascript may stay": ({"javascript": False}, "So is JavaScript.", "So is JavaScript."),
        "policies may stay": ({"policy": False}, "We use cookies.", "We use cookies."),
        "another script's marks": ({"end_marks": ("。",), "min_words": 1}, "到此。\n到此.", "到此。"),
    },
)
def test_options(options: dict[str, object], text: str, after: str) -> None:
    assert clean(text, C4Lines(**options))[0] == after  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "paper", "datatrove", "dolma", "dclm"),
    [
        pytest.param("So we do end it'", 1, 1, 0, 0, id="an apostrophe ends"),
        pytest.param("So we do end it”", 1, 0, 0, 0, id="a curly quotation mark ends"),
        pytest.param("So we do end it...", 0, 0, 1, 0, id="an ellipsis ends"),
        pytest.param("So it does end.", 1, 1, 1, 0, id="4 words"),
        pytest.param("So it does end here.", 1, 1, 1, 1, id="5 words"),
        pytest.param("It [1] ends.", 0, 1, 1, 0, id="a marker is a word"),
        pytest.param("Now it does end here. [1]", 1, 0, 0, 1, id="a space before a marker ends"),
        pytest.param("So it does " + "n" * 1001 + " end.", 0, 0, 1, 0, id="a long word"),
        pytest.param("We do enable javascript here.", 0, 0, 1, 0, id="javascript"),
        pytest.param("We do use cookies here.", 0, 0, 1, 0, id="policy"),
    ],
)
def test_readings_differ(text: str, paper: int, datatrove: int, dolma: int, dclm: int) -> None:
    variants: dict[Variant, int] = {"paper": paper, "datatrove": datatrove, "dolma": dolma, "dclm": dclm}
    kept = {variant: int(bool(clean(text, C4Lines(variant=variant))[0])) for variant in variants}
    assert kept == variants


def test_dolma_counts_what_decides_about_pages_in_all_lines_and_cuts_no_markers() -> None:
    text, counts = clean(
        "javascript\njavascripts are {here}. [1]\nlorem ipsum\nAll is here [1].", C4Lines(variant="dolma")
    )
    assert text == "All is here [1]."
    assert counts == {
        "lines": 4,
        "javascript_lines": 1,
        "lorem_ipsum_lines": 1,
        "curly_bracket_lines": 1,
        "unpunctuated_lines": 3,
    }


def test_dclm_keeps_paragraphs_apart() -> None:
    line = "So it does end here."
    assert clean(f"{line}\n\n\nno\n{line}\nno\n{line}", C4Lines(variant="dclm"))[0] == f"{line}\n\n{line}\n{line}"


def test_a_language_has_its_own_marks_and_words() -> None:
    rules = C4Lines(by_language={"zh": {"end_marks": ("。",), "min_words": 1}})
    batch = documents("到此。\n到此.", "到此。\nSo it ends.", language=[{"label": "zh"}, {"label": "en"}])
    after, counts = rules.rewrite(batch)
    assert after.to_pylist() == ["到此。", "So it ends."]
    assert counts["unpunctuated_lines"].to_pylist() == [1, 1]
    with pytest.raises(RecipeError, match="no limit 'variant'"):
        C4Lines(by_language={"zh": {"variant": "dolma"}})


PARTS = st.sampled_from(
    [
        "It ends",
        " here",
        ".",
        "...",
        "'",
        "”",
        '"',
        " ",
        "\n",
        "[1]",
        "[edit]",
        "{",
        "JavaScript",
        " lorem ipsum",
        " use cookies",
        "x" * 1001,
    ]
)
MARKER = re.compile(r"\[\d*\]|\[edit\]|\[citation needed\]")


@given(st.lists(PARTS, max_size=25).map("".join))
def test_the_datatrove_reading_in_plain_python(text: str) -> None:
    kept = []
    for line in map(str.strip, text.splitlines()):
        words = line.split()
        line = MARKER.sub("", line)
        phrases = ("javascript", "terms of use", "privacy policy", "uses cookies", "use of cookies", "use cookies")
        if max(map(len, words), default=0) > 1000 or len(words) < 3 or any(one in line.lower() for one in phrases):
            continue
        if line.endswith((".", "?", "!", '"', "'")) and not line.endswith("..."):
            kept.append(line)
    assert clean(text, C4Lines(variant="datatrove"))[0] == "\n".join(kept).strip()
