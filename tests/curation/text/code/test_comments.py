"""Comments: by hand for each syntax, and against nothing but their bounds on any text."""

import pyarrow as pa
import pytest

from curation.text.code.comments import SYNTAXES, comment_characters
from curation.text.code.languages import EXTENSIONS


@pytest.mark.parametrize(
    ("language", "text", "comments"),
    [
        pytest.param("python", "x = 1  # one\n", "# one", id="to the end of the line"),
        pytest.param("python", "# one\r\nx", "# one", id="a line of Windows"),
        pytest.param("python", 's = "# no"', "", id="a mark in a string"),
        pytest.param("python", 's = "it\\" # no" # yes', "# yes", id="an escaped quote"),
        pytest.param("python", "s = 'open\n# yes", "# yes", id="a string ends with its line"),
        pytest.param("python", 'def f():\n    """Doc."""\n', '"""Doc."""', id="documentation"),
        pytest.param("python", '"""A\n# é\n"""\nx', '"""A\n# é\n"""', id="documentation of several lines"),
        pytest.param("python", 's = """no\n# no"""', "", id="a string of several lines"),
        pytest.param("java", '/* a\n*/ int x; // b\nString s = "// no";', "/* a\n*/// b", id="both kinds"),
        pytest.param("java", "char c = '\"'; // yes", "// yes", id="a quote as a character"),
        pytest.param("java", "/* // */ x /* open", "/* // *//* open", id="one that is not closed"),
        pytest.param("javascript", "`// no\n// no` // yes", "// yes", id="backticks"),
        pytest.param("rust", "fn f<'a>(x: &'a str) {} // yes", "// yes", id="a lifetime is no quote"),
        pytest.param("haskell", "{- a -} f' x -- é", "{- a -}-- é", id="Haskell"),
        pytest.param("html", "<p>it's</p><!-- a > b -->", "<!-- a > b -->", id="HTML"),
        pytest.param("lua", "--[[ a\nb ]] x -- c", "--[[ a\nb ]]-- c", id="one mark begins another"),
        pytest.param("css", "a { } /* b */ // no", "/* b */", id="no comments of one line"),
        pytest.param("sql", "select '--' -- yes", "-- yes", id="SQL"),
    ],
)
def test_by_hand(language: str, text: str, comments: str) -> None:
    array = pa.array(["// # /* x", text, "x"], pa.large_string())
    assert comment_characters(array, SYNTAXES[language])[1] == len(comments)


def test_every_syntax_is_of_a_known_language() -> None:
    assert set(SYNTAXES) <= set(EXTENSIONS)
