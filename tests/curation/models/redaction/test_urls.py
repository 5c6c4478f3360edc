"""What is taken out of URLs, that the rest stays as it was, and that they stay URLs of the same host."""

from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.models.redaction.urls import has_placeholder, redacted_urls, without_details

NAMES = ("jane@b.org", "1 212 736 5037", "078051120")


def redact(texts: Sequence[str]) -> list[str]:
    """Takes out NAMES; the number only where it is named."""
    made = []
    for text in texts:
        for name in NAMES[:2]:
            text = text.replace(name, "<NAME>")
        made.append(text.replace("ssn = 078051120", "ssn = <SSN>"))
    return made


def redacted(url: str) -> str:
    (made,) = redacted_urls(pa.array([url], pa.string()), redact).to_pylist()
    return str(made)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("http://a.org/?mail=jane@b.org&p=%7e1", "http://a.org/?mail=%3CNAME%3E&p=%7e1", id="query"),
        pytest.param("http://a.org/?mail=jane%40b.org", "http://a.org/?mail=%3CNAME%3E", id="escaped"),
        pytest.param("http://a.org/?mail=jane%2540b.org", "http://a.org/?mail=%3CNAME%3E", id="escaped twice"),
        pytest.param("http://a.org/?jane@b.org", "http://a.org/?%3CNAME%3E", id="name of a parameter"),
        pytest.param("http://a.org/of/jane@b.org/x", "http://a.org/of/%3CNAME%3E/x", id="path"),
        pytest.param("http://a.org/x;jane@b.org#jane@b.org", "http://a.org/x;%3CNAME%3E#%3CNAME%3E", id="fragment"),
        pytest.param("http://a.org/?tel=%2B1+212+736+5037", "http://a.org/?tel=%20%3CNAME%3E", id="plus is a blank"),
        pytest.param("http://a.org/?ssn=078051120", "http://a.org/?ssn=%3CSSN%3E", id="what it is called counts"),
        pytest.param("http://a.org/?id=078051120", "http://a.org/?id=078051120", id="called otherwise"),
        pytest.param(
            "http://a.org/?u=https%3A%2F%2Fc.org%2F%3Fm%3Djane%2540b.org%26z%3D1",
            "http://a.org/?u=https%3A%2F%2Fc.org%2F%3Fm%3D%3CNAME%3E%26z%3D1",
            id="a URL in a URL",
        ),
        pytest.param("http://me:pass@a.org:80/x", "http://a.org:80/x", id="name and password"),
        pytest.param("http://jane@b.org", "http://b.org", id="name"),
        pytest.param("//a.org/jane@b.org", "//a.org/%3CNAME%3E", id="no scheme"),
        pytest.param("a.org/jane@b.org", "a.org/%3CNAME%3E", id="no slashes"),
        pytest.param("mailto:jane@b.org", "mailto:%3CNAME%3E", id="mailto"),
        pytest.param("jane@b.org", "%3CNAME%3E", id="no URL at all"),
        pytest.param("http://[2001:db8::1]:80/jane@b.org", "http://[2001:db8::1]:80/%3CNAME%3E", id="IPv6"),
        pytest.param("http://a.org/%FFjane@b.org", "http://a.org/%FF%3CNAME%3E", id="not UTF-8"),
        pytest.param("", "", id="empty"),
    ],
)
def test_values_go_and_the_rest_stays(url: str, expected: str) -> None:
    assert redacted(url) == expected


PIECES = st.sampled_from(
    [*NAMES, "a", "%2F", "%25", "%40", "/", "?", "&", "=", "#", ";", "+", "%", "ü", ":", "\\", " "]
)


@given(rest=st.lists(PIECES, max_size=12).map("".join))
def test_the_host_stays_and_no_name_does(rest: str) -> None:
    made = redacted(f"http://a.example/{rest}")
    assert urlsplit(made).hostname == "a.example"
    assert NAMES[0] not in unquote(unquote(made))
    assert redacted(made) == made


@given(urls=st.lists(st.text(max_size=20)))
def test_where_nothing_is_found_every_byte_stays(urls: list[str]) -> None:
    given_urls = [url for url in urls if "//" not in url]
    assert redacted_urls(pa.array(given_urls, pa.string()), lambda texts: texts).to_pylist() == given_urls


def test_nulls_stay_and_neighbours_do_not_count() -> None:
    urls = pa.array(["http://a.org/jane@b.org", None, "http://a.org/x"], pa.string())
    made = redacted_urls(urls, redact)
    assert made.to_pylist() == ["http://a.org/%3CNAME%3E", None, "http://a.org/x"]
    assert redacted_urls(urls.slice(2), redact).to_pylist() == ["http://a.org/x"]
    assert redacted_urls(urls.slice(0, 0), redact).to_pylist() == []


def test_scheme_and_host_alone() -> None:
    urls = pa.array(["http://me@a.org:80/jane?x#y", None, "jane@b.org"], pa.string())
    assert without_details(urls).to_pylist() == ["http://a.org:80/", None, "/"]


def test_a_placeholder_is_seen() -> None:
    urls = pa.array(["http://a.org/?m=%3CUS_SSN%3E", "http://a.org/%3Cb%3E", None], pa.string())
    assert has_placeholder(urls).tolist() == [True, False, False]
