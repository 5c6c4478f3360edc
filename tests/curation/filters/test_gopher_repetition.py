"""Rae et al. 2021: each rule at its limit, and one step past it.

`words(n)` are n different words of ten characters each, so that shares of characters are shares of words.
"""

import pytest

from curation.core.errors import RecipeError
from curation.filters.gopher_repetition import GopherRepetition, Variant
from tests.support import documents, table, verdict


def words(count: int, letter: str = "u") -> str:
    return " ".join(f"{letter}{number:09d}" for number in range(count))


def lines(different: int, copies: int, *, length: int = 10, between: str = "\n") -> str:
    """`different` lines of 10 characters, and `copies` more of one line of `length` characters, itself among them."""
    return between.join([*words(different - 1).split(), *["x" * length] * (copies + 1)])


def repeated_in(total: int, size: int, times: int) -> str:
    """`total` different words but for a phrase of `size` that comes `times` times, apart."""
    phrase = words(size, "p")
    rest = words(total - size * times).split()
    parts = [phrase]
    for number in range(times - 1):
        parts += [rest[number], phrase]
    return " ".join([*parts, *rest[times - 1 :]])


def only(**limits: float) -> GopherRepetition:
    """The default limits named, all others lifted."""
    names = [name for name in GopherRepetition.__dataclass_fields__ if name.startswith("max_")]
    defaults = GopherRepetition()
    return GopherRepetition(**{name: getattr(defaults, name) if name in limits else 1.0 for name in names})


@table(
    ("name", "text", "broken"),
    {
        "3 of 10 lines are copies": ("duplicate_lines", lines(7, 3), False),
        "31 of 100 lines are copies": ("duplicate_lines", lines(69, 31), True),
        "3 of 10 paragraphs": ("duplicate_paragraphs", lines(7, 3, between="\n\n"), False),
        "31 of 100 paragraphs": ("duplicate_paragraphs", lines(69, 31, between="\n \n"), True),
        "20 of 100 characters in lines": ("duplicate_line_characters", lines(8, 2), False),
        "22 of 103 characters in lines": ("duplicate_line_characters", lines(8, 2, length=11), True),
        "20 of 100 in paragraphs": ("duplicate_paragraph_characters", lines(8, 2, between="\n\n"), False),
        "22 of 103 in paragraphs": ("duplicate_paragraph_characters", lines(8, 2, length=11, between="\n\n"), True),
        "pair: 20 of 100 words": ("top_2gram_characters", repeated_in(100, 2, 10), False),
        "pair: 20 of 99 words": ("top_2gram_characters", repeated_in(99, 2, 10), True),
        "3-gram: 18 of 100 words": ("top_3gram_characters", repeated_in(100, 3, 6), False),
        "3-gram: 18 of 99 words": ("top_3gram_characters", repeated_in(99, 3, 6), True),
        "4-gram: 16 of 100 words": ("top_4gram_characters", repeated_in(100, 4, 4), False),
        "4-gram: 16 of 99 words": ("top_4gram_characters", repeated_in(99, 4, 4), True),
        "5-gram: 15 of 100 words again": ("duplicate_5gram_characters", repeated_in(100, 5, 4), False),
        "5-gram: 15 of 99 words again": ("duplicate_5gram_characters", repeated_in(99, 5, 4), True),
        "6-gram: 14 of 100 words again": ("duplicate_6gram_characters", repeated_in(100, 7, 3), False),
        "6-gram: 14 of 99 words again": ("duplicate_6gram_characters", repeated_in(99, 7, 3), True),
        "7-gram: 13 of 100 words again": ("duplicate_7gram_characters", repeated_in(100, 13, 2), False),
        "7-gram: 13 of 99 words again": ("duplicate_7gram_characters", repeated_in(99, 13, 2), True),
        "8-gram: 12 of 100 words again": ("duplicate_8gram_characters", repeated_in(100, 12, 2), False),
        "8-gram: 12 of 99 words again": ("duplicate_8gram_characters", repeated_in(99, 12, 2), True),
        "9-gram: 11 of 100 words again": ("duplicate_9gram_characters", repeated_in(100, 11, 2), False),
        "9-gram: 11 of 99 words again": ("duplicate_9gram_characters", repeated_in(99, 11, 2), True),
        "10-gram: 10 of 100 again": ("duplicate_10gram_characters", repeated_in(100, 10, 2), False),
        "10-gram: 10 of 99 again": ("duplicate_10gram_characters", repeated_in(99, 10, 2), True),
    },
)
def test_limit(name: str, text: str, broken: bool) -> None:
    assert verdict(only(**{f"max_{name}": 0}), text) == (f"{name}:high" if broken else None)


def test_the_papers_limits() -> None:
    limits = [rule.at_most for rule in GopherRepetition().rules()]
    assert limits == [0.30, 0.30, 0.20, 0.20, 0.20, 0.18, 0.16, 0.15, 0.14, 0.13, 0.12, 0.11, 0.10]


def test_seven_words_twice_are_no_duplicate_of_eight() -> None:
    measured = GopherRepetition().measure(documents(repeated_in(40, 7, 2)))
    assert measured["duplicate_7gram_characters"][0].as_py() == 7 / 40
    assert measured["duplicate_8gram_characters"][0].as_py() == 0


def measured(variant: Variant, text: str) -> dict[str, float]:
    signals = GopherRepetition(variant=variant).measure(documents("x", text))
    return {name: values[1].as_py() for name, values in signals.items()}


# Lines of 12 characters in a text of 17 with 10 in words; its last paragraph is a copy of the one before.
TWICE = "aa bb\naa bb\n\nc\n\nc"


@pytest.mark.parametrize(
    ("variant", "lines", "line_characters", "paragraphs", "paragraph_characters"),
    [
        pytest.param("paper", 2 / 4, 6 / 12, 1 / 3, 1 / 13, id="paper: copies after the first, of lines"),
        pytest.param("datatrove", 2 / 4, 6 / 17, 1 / 3, 1 / 17, id="datatrove: the same, of the text"),
        pytest.param("dolma", 6 / 6, 12 / 10, None, None, id="dolma: all copies, blank lines too, of words"),
        pytest.param("dclm", 4 / 4, 12 / 12, 2 / 3, 2 / 13, id="dclm: all copies, of lines"),
    ],
)
def test_lines_and_paragraphs_of_each_variant(
    variant: Variant,
    lines: float,
    line_characters: float,
    paragraphs: float | None,
    paragraph_characters: float | None,
) -> None:
    found = measured(variant, TWICE)
    assert (found["duplicate_lines"], found["duplicate_line_characters"]) == pytest.approx((lines, line_characters))
    assert found.get("duplicate_paragraphs") == (None if paragraphs is None else pytest.approx(paragraphs))
    assert found.get("duplicate_paragraph_characters") == (
        None if paragraph_characters is None else pytest.approx(paragraph_characters)
    )


@pytest.mark.parametrize(
    ("variant", "top", "once", "fives"),
    [
        pytest.param("paper", 12 / 18, 0, 5 / 10, id="paper: covered, after the first"),
        pytest.param("datatrove", 14 / 23, 3 / 5, 5 / 19, id="datatrove: with spaces, of the text, even once"),
        pytest.param("dolma", 12 / 18, 2 / 3, 10 / 30, id="dolma: even once, of all n-grams"),
        pytest.param("dclm", 12 / 18, 0, 10 / 10, id="dclm: all copies"),
    ],
)
def test_ngrams_of_each_variant(variant: Variant, top: float, once: float, fives: float) -> None:
    pairs = measured(variant, "the cat sat the cat ran")
    assert pairs["top_2gram_characters"] == pytest.approx(top)
    assert measured(variant, "a b c")["top_2gram_characters"] == pytest.approx(once)
    assert measured(variant, "a b c d e a b c d e")["duplicate_5gram_characters"] == pytest.approx(fives)


def test_the_limit_that_differs_by_variant() -> None:
    limits = {
        variant: next(
            rule.at_most
            for rule in GopherRepetition(variant=variant).rules()
            if rule.signal == "duplicate_line_characters"
        )
        for variant in ("paper", "datatrove", "dolma", "dclm")
    }
    assert limits == {"paper": 0.20, "datatrove": 0.20, "dolma": 0.30, "dclm": 0.20}
    assert not [rule for rule in GopherRepetition(variant="dolma").rules() if "paragraph" in rule.signal]


PARAGRAPH = "The mill by the river has stood there for a hundred years, and people still come."
CODE = "    if (value == null) { return null; }\n"


def test_lines_of_prose_alone() -> None:
    code = CODE * 20 + PARAGRAPH
    everything, prose = (GopherRepetition(lines=which).measure(documents(code)) for which in ("all", "prose"))
    assert everything["duplicate_lines"].to_pylist() == [19 / 21]
    assert prose == GopherRepetition().measure(documents(PARAGRAPH))
    assert verdict(GopherRepetition(lines="prose"), code) is None
    assert verdict(GopherRepetition(lines="prose"), f"{PARAGRAPH}\n" * 2) == "duplicate_lines:high"


def test_a_text_without_prose_measures_0_throughout() -> None:
    measured = GopherRepetition(lines="prose").measure(documents(CODE * 20))
    assert {value for values in measured.values() for value in values.to_pylist()} == {0.0}


def test_published_variants_measure_all_lines() -> None:
    with pytest.raises(RecipeError, match="lines has an effect only with variant: paper"):
        GopherRepetition(variant="datatrove", lines="prose")


def test_blanks_put_between_words_are_no_characters() -> None:
    """Each text says one word twice; only the blanks that a text has count in variant datatrove."""
    batch = documents("世界世界世界世界", "ab cd ab cd")
    found = GopherRepetition(variant="datatrove", words="segments").measure(batch)
    assert found["top_2gram_characters"].to_pylist() == pytest.approx([3 * 4 / 8, 2 * 5 / 11])
    plain = GopherRepetition(variant="datatrove").measure(batch)
    assert plain["top_2gram_characters"].to_pylist() == pytest.approx([0, 2 * 5 / 11])


@pytest.mark.parametrize("variant", ["paper", "datatrove", "dclm"])
@pytest.mark.parametrize("char", ["\u200b", "\u2060", "\u200e", "\ufeff", "\u3164", "\u2800", "\U000e0020"])
def test_lines_of_invisible_characters_are_empty(variant: Variant, char: str) -> None:
    plain = "\n\n".join(f"{words(5)} line{number}" for number in range(9))
    (empty, filled) = (
        {
            name: values.to_pylist()
            for name, values in GopherRepetition(variant=variant).measure(documents(text)).items()
        }
        for text in (plain, plain.replace("\n\n", f"\n{char}\n"))
    )
    for name in ("duplicate_lines", "duplicate_line_characters", "duplicate_paragraphs"):
        assert filled[name] == empty[name] == [0]
