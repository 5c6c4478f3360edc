"""Registered domains by the embedded list and by one of our own, whose rules are of every kind."""

import sys
from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.models.lists.public_suffixes import EMBEDDED, load, locate
from curation.text.urls.parse import parse_urls

OWN = """// a comment
example
co.example // another
*.wild
!free.wild
日本
// ===END ICANN DOMAINS===
user.example
"""


def registered(file: str, host: str) -> str | None:
    domain: str | None = load(file).registered(parse_urls(pa.array([f"//{host}/a.b"])))[0].as_py()
    return domain


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("suffixes") / "list.dat"
    path.write_text(OWN)
    return str(path)


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        pytest.param("a.example", "a.example", id="below a suffix"),
        pytest.param("b.a.example", "a.example", id="two below a suffix"),
        pytest.param("example", None, id="a suffix"),
        pytest.param("co.example", None, id="a suffix of two labels"),
        pytest.param("b.a.co.example", "a.co.example", id="below one of two labels"),
        pytest.param("a.wild", None, id="a suffix by wildcard"),
        pytest.param("c.b.a.wild", "b.a.wild", id="below one by wildcard"),
        pytest.param("free.wild", "free.wild", id="an exception"),
        pytest.param("a.free.wild", "free.wild", id="below an exception"),
        pytest.param("wild", None, id="the parent of a wildcard"),
        pytest.param("a.日本", "a.xn--wgv71a", id="a suffix beyond ASCII"),
        pytest.param("b.a.unheard-of", "a.unheard-of", id="a suffix that is not listed"),
        pytest.param("b.a.user.example", "user.example", id="names below a private one are nobody's"),
        pytest.param("1.2.3.4", None, id="IPv4"),
        pytest.param("[::1]", None, id="IPv6"),
        pytest.param("", None, id="no host"),
    ],
)
def test_registered_domain(own: str, host: str, domain: str | None) -> None:
    assert registered(own, host) == domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.co.uk", "example.co.uk"),
        ("co.uk", None),
        ("a.b.c.kobe.jp", "b.c.kobe.jp"),
        ("x.city.kobe.jp", "city.kobe.jp"),
        ("someone.blogspot.com", "blogspot.com"),
    ],
)
def test_the_embedded_list(host: str, domain: str | None) -> None:
    assert registered(EMBEDDED, host) == domain


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"// nothing\n", "has no rule", id="no rule"),
        pytest.param(b"\xff\xfe", "not UTF-8", id="not text"),
    ],
)
def test_files_that_are_no_list(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "list").write_bytes(content)
    with pytest.raises(InputError, match=message):
        load(str(tmp_path / "list"))


def test_a_missing_list(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no public suffix list at"):
        locate(str(tmp_path / "missing"))


def test_the_embedded_list_not_installed_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(InputError, match="pip install tld"):
        locate(EMBEDDED)
