"""Canonical URLs: what is the host, what follows it, and which strings are no URL."""

from urllib.parse import quote, urlsplit

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.urls.hosts import MAX_HOST
from curation.text.urls.parse import Urls, parse_spans, parse_urls


def parts(urls: Urls, row: int = 0) -> tuple[str, str]:
    start, host, stop = (int(bounds[row]) for bounds in (urls.starts, urls.host_stops, urls.stops))
    return urls.data[start:host].tobytes().decode(), urls.data[host:stop].tobytes().decode()


def canonical(url: str | None) -> tuple[str, str]:
    return parts(parse_urls(pa.array([url], pa.string())))


@pytest.mark.parametrize(
    ("url", "host", "rest"),
    [
        pytest.param("http://example.com", "example.com", "", id="no path"),
        pytest.param("HTTP://Example.COM/Path", "example.com", "/Path", id="capitals, of the path kept"),
        pytest.param("//example.com/a", "example.com", "/a", id="no scheme"),
        pytest.param("example.com/a", "example.com", "/a", id="no slashes"),
        pytest.param("example.com:80/a", "example.com", "/a", id="no slashes, a port"),
        pytest.param("http://localhost/", "localhost", "/", id="one label"),
        pytest.param("http://user:p@ss@example.com:8080/", "example.com", "/", id="user, password, port"),
        pytest.param("http://example.com:/", "example.com", "/", id="empty port"),
        pytest.param("http://example.com./", "example.com", "/", id="trailing dot"),
        pytest.param("http://..example.com../", "example.com", "/", id="dots around"),
        pytest.param(" \thttp://example.com/ \n", "example.com", "/", id="white space around"),
        pytest.param("http:\\\\example.com\\a?b\\c", "example.com", "/a?b\\c", id="backslashes"),
        pytest.param("http://example.com?q=1", "example.com", "/?q=1", id="query without path"),
        pytest.param("http://example.com#f", "example.com", "/#f", id="fragment without path"),
        pytest.param("http://ex%61mple.com/%61%2f%2F%zz%4", "example.com", "/a%2F%2F%zz%4", id="escapes"),
        pytest.param("http://example.com/%C3%A9?%26=%20", "example.com", "/é?%26= ", id="escapes beyond ASCII"),
        pytest.param("http://a_b.example.com/", "a_b.example.com", "/", id="underscore"),
        pytest.param("http://192.168.0.1:80/", "192.168.0.1", "/", id="IPv4"),
        pytest.param("http://[2001:DB8::1]:80/", "[2001:db8::1]", "/", id="IPv6"),
        pytest.param("http://BÜCHER.example/ü", "xn--bcher-kva.example", "/ü", id="umlaut"),
        pytest.param("http://b%C3%BCcher.example/", "xn--bcher-kva.example", "/", id="escaped umlaut"),
        pytest.param("http://XN--BCHER-KVA.example/", "xn--bcher-kva.example", "/", id="punycode"),
        pytest.param("http://faß。example/", "xn--fa-hia.example", "/", id="sharp s, ideographic stop"),
        pytest.param("http://-ü_.example/", "xn---_-xka.example", "/", id="a label that IDNA forbids"),
        pytest.param("bücher.example/a", "xn--bcher-kva.example", "/a", id="umlaut without slashes"),
        pytest.param("ftp://example.com/a", "example.com", "/a", id="another scheme"),
        pytest.param("//" + "a." * 126 + "b", "a." * 126 + "b", "", id="253 characters"),
    ],
)
def test_canonical_form(url: str, host: str, rest: str) -> None:
    assert canonical(url) == (host, rest)


@pytest.mark.parametrize(
    "url",
    [
        pytest.param(None, id="null"),
        pytest.param("", id="empty"),
        pytest.param(" ", id="blank"),
        pytest.param("http://", id="scheme alone"),
        pytest.param("http:///path", id="no host"),
        pytest.param("file:///etc/hosts.txt", id="file"),
        pytest.param("http://./", id="a dot"),
        pytest.param("garbage", id="a word"),
        pytest.param("日本語", id="a word beyond ASCII"),
        pytest.param("urn:isbn:0451450523", id="urn"),
        pytest.param("javascript:void(0)", id="script"),
        pytest.param("http://exa mple.com/", id="space in host"),
        pytest.param("http://exa%00mple.com/", id="escaped NUL in host"),
        pytest.param("http://example.com:8x/", id="port is no number"),
        pytest.param("http://[::1/", id="bracket not closed"),
        pytest.param("http://[::g]/", id="no address in brackets"),
        pytest.param("http://[::1]x/", id="something behind the brackets"),
        pytest.param("http://%zz.com/", id="no escape"),
        pytest.param("http://%ff%fe.com/", id="no UTF-8"),
        pytest.param("//" + "a." * 126 + "bc", id="254 characters"),
        pytest.param("//" + "ü" * 2000 + ".de", id="4,003 bytes beyond ASCII"),
    ],
)
def test_no_host(url: str | None) -> None:
    assert canonical(url) == ("", "")


def test_a_single_word_where_one_is_asked_for() -> None:
    data = np.frombuffer(b"xxx", np.uint8)
    ends = np.array([3])
    assert parts(parse_spans(data, np.zeros(1, np.int64), ends, single=True)) == ("xxx", "")


def test_slices_and_mixed_rows_stay_in_order() -> None:
    urls = pa.array(["http://a.com/", None, "http://ä.com/x", "", "http://c.com", "//é.com/y"]).slice(1)
    parsed = parse_urls(urls)
    found = [parts(parsed, row) for row in range(5)]
    assert found == [("", ""), ("xn--4ca.com", "/x"), ("", ""), ("c.com", ""), ("xn--9ca.com", "/y")]
    assert parsed.have_host.tolist() == [False, True, False, True, True]


labels = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?", fullmatch=True)
hosts = st.lists(labels, min_size=2, max_size=5).map(".".join)


@given(hosts, st.text(max_size=12), st.text(max_size=12), st.integers(1, 65535))
def test_well_formed_urls_are_taken_apart_as_the_standard_library_does(
    host: str, path: str, query: str, port: int
) -> None:
    url = f"https://me@{host.upper()}:{port}/{quote(path, safe='')}?{quote(query, safe='')}"
    found, rest = canonical(url)
    assert found == urlsplit(url).hostname
    kept = {*"/\\?#&;=+%", *map(chr, range(32)), "\x7f"}
    for text in (path, query):
        assert "".join(quote(one, safe="") if one in kept else one for one in text) in rest


@given(st.lists(st.one_of(st.none(), st.text(max_size=30), st.text("htp:/.@[]%aü1?#", max_size=20)), max_size=6))
def test_any_strings_have_a_canonical_form_that_is_its_own(urls: list[str | None]) -> None:
    parsed = parse_urls(pa.array(urls, pa.string()))
    for row in range(len(urls)):
        host, rest = parts(parsed, row)
        assert host.isascii()
        assert len(host) <= MAX_HOST
        again, _ = canonical(f"//{host}{rest}")
        assert again == host
        assert (host, rest) == canonical(urls[row])
