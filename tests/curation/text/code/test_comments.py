"""Comments: by hand for each syntax, and against nothing but their bounds on any text."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.code.comments import SYNTAXES, comment_characters
from curation.text.code.languages import EXTENSIONS
from tests.curation.text.texts import as_text, batches, garbage, sliced


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


@given(st.sampled_from(sorted(SYNTAXES)), batches)
def test_a_comment_is_no_longer_than_its_text(language: str, texts: list[str | None]) -> None:
    found = comment_characters(sliced(texts), SYNTAXES[language])
    assert all(0 <= count <= len(text or "") for count, text in zip(found.tolist(), texts, strict=True))
    alone = [comment_characters(pa.array([text], pa.large_string()), SYNTAXES[language])[0] for text in texts]
    assert found.tolist() == alone


@given(garbage)
def test_bytes_that_are_no_text(values: list[bytes]) -> None:
    found = comment_characters(as_text([*values, b"# \xff\xe4"]), SYNTAXES["python"])
    assert found[-1] == 4


def test_every_syntax_is_of_a_known_language() -> None:
    assert set(SYNTAXES) <= set(EXTENSIONS)
