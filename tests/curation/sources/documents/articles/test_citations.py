"""What is left of lines whose citations are taken out."""

import re

import pytest

from curation.sources.documents.articles.citations import cited, without_citations


def left(line: str) -> str:
    """What is left of a line in which citations stand between < and >."""
    return without_citations(re.sub(r"<([^<>]*)>", lambda citation: cited(citation[1]), line))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("It grows <[1]>, <[2]>, and turns <[3]>.", "It grows, and turns.", id="numbers in their brackets"),
        pytest.param("a <[1]>–<[5]>, but", "a, but", id="a range"),
        pytest.param("a [<1>,<2>] b [<3>–<5>, 7].", "a b.", id="numbers in the text's brackets, one without a link"),
        pytest.param("a [2, <3>].", "a.", id="a number without a link first"),
        pytest.param("a [<1>], [<2>] and [<3>] b", "a b", id="brackets side by side"),
        pytest.param("a (<1>, <2>) b", "a b", id="round brackets"),
        pytest.param("a,<> and", "a, and", id="behind a comma"),
        pytest.param("It rose, <[1]>, so", "It rose, so", id="between commas"),
        pytest.param("by Doe et al. <[3]>.", "by Doe et al.", id="between full stops"),
        pytest.param("a.<>,<> B", "a. B", id="superscripts"),
        pytest.param("a (see Ref. <[1]> for more) b", "a (see Ref. [1] for more) b", id="what a bracket says of it"),
        pytest.param("a (see Ref. <[1]>) b", "a b", id="a bracket that says no more"),
        pytest.param("<1>, <2>", "", id="nothing else"),
        pytest.param("a, e.g., <[1]>, <[2]>.", "a.", id="examples"),
    ],
)
def test_numbers(line: str, expected: str) -> None:
    assert left(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("a (e.g., <Doe 2001>; <Roe 2003>).", "a.", id="examples"),
        pytest.param("a (for reviews see <Doe, 2001>; but see <Roe>) b", "a b", id="words around"),
        pytest.param("a (reviewed in [<1>]) b", "a b", id="brackets within brackets"),
        pytest.param("a (Doe et al., <2001>; Roe, <2002>, <2003>). B", "a. B", id="years behind names"),
        pytest.param("Doe et al. (<2001>) found", "Doe et al. found", id="a year behind a name"),
        pytest.param("a (Doe, <2001>: 12-14; Roe, <2003>, p. 206)", "a", id="pages"),
        pytest.param("a (<Doe, 2001>, p.206; my emphasis)", "a (my emphasis)", id="another note"),
        pytest.param("a (ver <Doe, 2001>) b (vgl. <Roe>) c", "a b c", id="other languages"),
    ],
)
def test_names_and_years_in_brackets(line: str, expected: str) -> None:
    assert left(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("<Doe et al. (2001)> found", "Doe et al. (2001) found", id="names in a sentence"),
        pytest.param("that of <Doe> and <Roe (1999)>.", "that of Doe and Roe (1999).", id="two of them"),
        pytest.param("as described in [<12>].", "as described in [12].", id="a number behind a preposition"),
        pytest.param("as described in <[12]>, <[13]>.", "as described in [12], [13].", id="several"),
        pytest.param("by Doe (2001) (<Roe, 2002>) b", "by Doe (2001) b", id="none of them"),
        pytest.param("the war (1914–1918 <3>) and", "the war (1914–1918) and", id="years"),
        pytest.param("a (n = 5; <1>), b (<2>; n = 6)", "a (n = 5), b (n = 6)", id="figures"),
        pytest.param("in 2001 (<1>), 17 of 20 <[2]>", "in 2001, 17 of 20", id="years and numbers outside"),
        pytest.param("a (Fig. 7; <1>), b (<2>, Fig. 2)", "a (Fig. 7), b (Fig. 2)", id="figures of the article"),
        pytest.param("1) with, 2) without (<Doe, 2001>) b", "1) with, 2) without b", id="items in a sentence"),
        pytest.param("f() and g[ ] <1>", "f() and g[ ]", id="brackets that cite nothing"),
        pytest.param("a (b <1>, c <2>", "a (b, c", id="a bracket without an end"),
    ],
)
def test_what_stays(line: str, expected: str) -> None:
    assert left(line) == expected


def test_a_line_without_citations_stays_as_it_is() -> None:
    assert without_citations("f( ), g[], (e.g., ; )") == "f( ), g[], (e.g., ; )"


def test_brackets_within_brackets_without_end() -> None:
    assert left("(" * 5000 + "pears <1>" + ")" * 5000) == "(" * 5000 + "pears" + ")" * 5000
