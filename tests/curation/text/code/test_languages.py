"""Programming languages: by what is declared, by a file's name, and not at all."""

import pyarrow as pa
import pytest

from curation.text.code.languages import ALIASES, EXTENSIONS, FILES, file_names, programming_languages


def language(url: str | None, declared: str | None = None) -> str | None:
    names = file_names(pa.array([url], pa.string()))
    found: str | None = programming_languages(names, pa.array([declared], pa.string()))[0].as_py()
    return found


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("https://example.org/a/blob/main/Main.java", "java", id="a URL"),
        pytest.param("src/app.PY", "python", id="a path, in capitals"),
        pytest.param("https://example.org/x.rs?raw=1#L3.go", "rust", id="query and fragment"),
        pytest.param("https://example.org/a/Makefile", "makefile", id="a file that has a name of its own"),
        pytest.param("CMakeLists.txt", "cmake", id="rather than by its extension"),
        pytest.param("notes.txt", "text", id="text"),
        pytest.param("https://example.rs", None, id="a host is no file"),
        pytest.param("https://example.org/a.py/", None, id="a folder is no file"),
        pytest.param("https://example.org/README", None, id="no extension"),
        pytest.param("a.unheard-of", None, id="an unknown extension"),
        pytest.param("", None, id="empty"),
        pytest.param(None, None, id="null"),
    ],
)
def test_by_name(url: str | None, expected: str | None) -> None:
    assert language(url) == expected


@pytest.mark.parametrize(
    ("declared", "expected"),
    [("C++", "c++"), ("cpp", "c++"), ("Python", "python"), ("en", "java"), ("", "java"), (None, "java")],
)
def test_what_is_declared_goes_first_where_it_is_a_language(declared: str | None, expected: str) -> None:
    assert language("Main.java", declared) == expected


def test_no_extension_or_name_stands_for_two_languages() -> None:
    extensions = [one for each in EXTENSIONS.values() for one in each.split()]
    assert len(set(extensions)) == len(extensions)
    assert set(FILES.values()) | set(ALIASES.values()) <= set(EXTENSIONS)
    assert not set(ALIASES) & set(EXTENSIONS)
