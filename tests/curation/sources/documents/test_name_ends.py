"""The endings of names, one after the other."""

import re

import pytest

from curation.sources.documents.name_ends import without_ends

END = re.compile(r"(?:-orig|\.(?:log|txt|gz))\Z", re.IGNORECASE)


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        pytest.param("#python.log", "#python", id="one"),
        pytest.param("#python.Log.TXT.gz", "#python", id="several, in capitals"),
        pytest.param("film-orig.txt", "film", id="of two kinds"),
        pytest.param("a.log.b", "a.log.b", id="not at the end"),
        pytest.param("a.logs", "a.logs", id="more letters"),
        pytest.param(".gz", "", id="nothing else"),
        pytest.param("", "", id="no name"),
        pytest.param("a" + ".log" * 500_000, "a", id="very many"),
        pytest.param(".log" * 500_000 + "a", ".log" * 500_000 + "a", id="very many, none at the end"),
    ],
)
def test_endings_go(name: str, bare: str) -> None:
    assert without_ends(name, END) == bare
