"""The language of a file by its name."""

import pytest

from curation.sources.documents.repositories.file_language import language_of


@pytest.mark.parametrize(
    ("path", "language"),
    [
        pytest.param("a/b.py", "Python", id="an ending"),
        pytest.param("a/Makefile", "Makefile", id="a name"),
        pytest.param("a/Makefile.am", "Makefile", id="a pattern"),
        pytest.param("a/go.mod", None, id="no Modula-2"),
        pytest.param("." * 2_000_000 + "py", "Python", id="dots"),
        pytest.param("a/" * 1_000_000 + "b.py", "Python", id="folders"),
        pytest.param("x" * 2_000_000, None, id="a long name"),
    ],
)
def test_the_language_that_a_name_says(path: str, language: str | None) -> None:
    assert language_of(path, "") == language
