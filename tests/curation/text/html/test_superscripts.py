"""Superscripts in plain text: footnote marks, exponents, ordinals, and where each ends."""

import pytest

from curation.text.html.superscripts import MAX_MARK, superscript

# Text before it, the superscript, both as written.
NOTES = """
    A mill|[1]|A mill
    of 10|[1]|of 10
    A mill|[1][2]|A mill
    A mill|[note 3], [4]|A mill
    A mill|〔1〕|A mill
    A mill|【注1】|A mill
    It is old|[citation needed]|It is old
    vitamin C|[a]|vitamin C
    A mill|*|A mill
    A mill|†‡|A mill
    0.53|***|0.53
    価格|※1|価格
    A mill|*2|A mill
    It turned.|3|It turned.
    It turned.”|1,2|It turned.”
    It turned»|4|It turned»
    turned,|12|turned,
    50%|3|50%
    U.S.|2|U.S.
    turned|3|turned
    turned|3–5|turned
    turned|3-5|turned
    turned|1, 2|turned
    turned|1,*|turned
    turned|123|turned
    turned|(1)|turned
    Wort|1)|Wort
    Total|a|Total
    Total|a,b|Total
    law|23|law
    law|1,2|law
    parameter|2|parameter
    COVID-19|3|COVID-19
    by-law|2|by-law
    Ann's|2|Ann's
    (as seen above)|3|(as seen above)
    Smith (2019)|4|Smith (2019)
    水車|3|水車
    水車。|3|水車。
    川（あ）|3|川（あ）
    물레방아|3|물레방아
    12.3|a|12.3
    4.5|1,2,3|4.5
    (see below)|a|(see below)
    Tracker™|1|Tracker™
    12 Pa|1|12 Pa
    the|1|the
    a mill|?|a mill
    a mill|:7|a mill
    A mill.|: pp. 23–25|A mill.
"""
EXPONENTS = """
    3 × 10|6|3 × 10^6
    2|10|2^10
    2|1024|2^1024
    10|-5|10^-5
    10|−5|10^−5
    10|–5|10^–5
    10|+5|10^+5
    10|- 5|10^-5
    10|1.5|10^1.5
    10|1,5|10^1,5
    m|2|m^2
    km|2|km^2
    kg-m|2|kg-m^2
    s|-1|s^-1
    mol|−1|mol^−1
    samples|-1|samples^-1
    metres|2|metres^2
    mètres|2|mètres^2
    Quadratmeter, kilometer|2|Quadratmeter, kilometer^2
    feet|3|feet^3
    sin|2|sin^2
    sinh|-1|sinh^-1
    5 米|2|5 米^2
    平方メートル|2|平方メートル^2
    км|2|км^2
    x|2|x^2
    x1|2|x1^2
    abc|9|abc^9
    πr|2|πr^2
    mc|2|mc^2
    (a+b)|2|(a+b)^2
    (x in metres)|2|(x in metres)^2
    |v||2||v|^2
    ∇|2|∇^2
    Ca|2+|Ca^2+
    Na|+|Na^+
    Cl|−|Cl^−
    Cl|–|Cl^–
    Cl|-|Cl^-
    SO4|2−|SO4^2−
    [Fe(CN)6]|3−|[Fe(CN)6]^3−
    O2|•−|O2^•−
    x|n|x^n
    2|n|2^n
    e|x|e^x
    A|T|A^T
    z|*|z^*
    A|†|A^†
    A|⊤|A^⊤
    x|∞|x^∞
    f|(4)|f^(4)
    e|x+1|e^(x+1)
    e|-x|e^(-x)
    e|iπ|e^(iπ)
    e|ix|e^(ix)
    2|n-1|2^(n-1)
    n|log n|n^(log n)
    2|sin x|2^(sin x)
    x|1/2|x^(1/2)
    x|2n|x^(2n)
    2|2^n|2^(2^n)
    x|2.|x^2.
    Co|60|Co^60
    x|1|x^1
    x|2a|x^(2a)
    AB|T|AB^T
    ab|n-1|ab^(n-1)
    H|+|H^+
    at 10|30|at 10^30
    10|30|10^30
    at 17|54|at 17^54
    24|09|24^09
"""
AS_THEY_ARE = """
    21|st|21st
    22|nd|22nd
    i|th|ith
    n|th|nth
    2|e|2e
    1|er|1er
    1|a|1a
    XX|e|XXe
    V|e|Ve
    2|d|2d
    1990|s|1990s
    n|o|no
    N|o|No
    N|º|Nº
    n|°|n°
    M|me|Mme
    M|lle|Mlle
    D|r|Dr
    Brand|TM|BrandTM
    Brand|SM|BrandSM
    Brand|®|Brand®
    5|½|5½
    f|′|f′
    25|°|25°
    05|h|05h
    05h 35|m|05h 35m
    the |14|the 14
    (|14|(14
    -|14|-14
    =|14|=14
    Version|2.0|Version2.0
    Disney|+|Disney+
    turned|2024|turned2024
    kg|op|kgop
    Docs|beta|Docs beta
    said »|photo|said » photo
    НЛО|фото|НЛО фото
    1|η|1η
    5|й|5й
    A|+|A+
    17|54|17:54
    at 17|04|at 17:04
    at 9|05|at 9:05
"""


def rows(table: str) -> list[tuple[str, str, str]]:
    """Before, content and both as written; the content has no bar, unlike what is around it."""
    found = []
    for line in filter(str.strip, table.split("\n")):
        cells = line[4:].split("|")
        middle = len(cells) // 2
        found.append(("|".join(cells[:middle]), cells[middle], "|".join(cells[middle + 1 :])))
    return found


@pytest.mark.parametrize(("before", "content", "expected"), rows(NOTES + EXPONENTS + AS_THEY_ARE))
def test_by_hand(before: str, content: str, expected: str) -> None:
    assert before + superscript(before, content, linked=False) == expected
    if not before.isdigit():  # where a block begins, a number may be a time of day
        assert superscript(f"Much text. {before}", f"\n {content}\t", linked=False) == expected[len(before) :]


@pytest.mark.parametrize(
    ("before", "content", "expected"),
    [
        pytest.param("m", "2", "", id="a link behind a unit"),
        pytest.param("10", "2", "", id="a link behind a number"),
        pytest.param("a mill ", "2", "", id="a link behind a space"),
        pytest.param("a mill", "n" * MAX_MARK, "", id="the longest link"),
        pytest.param("a mill", "n" * (MAX_MARK + 1), " " + "n" * (MAX_MARK + 1), id="a longer one is words"),
        pytest.param("", "2", "2", id="a note's own number"),
    ],
)
def test_links(before: str, content: str, expected: str) -> None:
    assert superscript(before, content, linked=True) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("14", "14", id="an isotope"),
        pytest.param("*", "*", id="a note's mark"),
        pytest.param("[1]", "[1]", id="a note's number in brackets"),
        pytest.param("[citation needed]", "", id="a remark"),
        pytest.param(" \n", "", id="nothing"),
    ],
)
@pytest.mark.parametrize("before", ["", " "])
def test_where_a_block_begins(before: str, content: str, expected: str) -> None:
    assert superscript(before, content, linked=False) == expected


@pytest.mark.parametrize(
    ("before", "content", "after", "expected"),
    [
        pytest.param("5", "1", "/<sub>2</sub>", " 1", id="a mixed number"),
        pytest.param("5", "3", "⁄4", " 3", id="with the fraction's own slash"),
        pytest.param("5", "1", "/2", " 1", id="one half, since no exponent is 1"),
        pytest.param("10", "6", "/2", "^6", id="a power that is divided"),
        pytest.param("5", "1⁄2", "", " 1⁄2", id="all of a fraction"),
        pytest.param("25", "o", "C", "°", id="degrees"),
        pytest.param("25", "0", " C.", "°", id="degrees by a zero"),
        pytest.param("10", "0", " C", "^0", id="ten to the power of zero"),
        pytest.param("25", "o", " Cats", "o", id="no degrees"),
        pytest.param("$9", "99", "", ".99", id="cents"),
        pytest.param("$9", "995", "", "^995", id="no cents"),
        pytest.param("9", "99", "", "^99", id="no price"),
    ],
)
def test_what_stands_behind_a_number(before: str, content: str, after: str, expected: str) -> None:
    assert superscript(before, content, linked=False, after=after) == expected


def test_long_texts_take_no_longer() -> None:
    for before in ("(" * 1_000_000 + ")", "a" * 1_000_000, "[1] " * 250_000, "-" * 1_000_000 + "x"):
        for content in ("2", "[" * 2000, "1," * 2000, "- " * 2000, "a1" * 2000):
            assert len(superscript(before, content, linked=False)) <= len(content) + 3  # a caret and brackets


def test_words_of_letters_that_are_marks_too_take_no_time() -> None:
    assert superscript("क" * 40 + "+", "2", linked=False) == "2"
    assert superscript("ส" + "า" * 39 + "=", "2", linked=False) == "2"
