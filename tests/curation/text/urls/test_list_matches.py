"""Domains, hosts and URLs of a list: what is under one, and what only looks so."""

import pyarrow as pa
import pytest

from curation.text.phrases.string_set import entries
from curation.text.urls.list_matches import domains_of, hosts_of, prefixes_of
from curation.text.urls.parse import parse_urls

DOMAINS = ["bad.co.uk", "com", "deep.b.example", "b.example", "1.2.3.4", "[::1]"]


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        pytest.param("bad.co.uk", "bad.co.uk", id="itself"),
        pytest.param("a.b.bad.co.uk", "bad.co.uk", id="two levels below"),
        pytest.param("notbad.co.uk", None, id="the same end of a label"),
        pytest.param("co.uk", None, id="above"),
        pytest.param("x.com", "com", id="below a suffix"),
        pytest.param("com.x.org", None, id="as another label"),
        pytest.param("a.deep.b.example", "deep.b.example", id="the longest of two"),
        pytest.param("1.2.3.4", "1.2.3.4", id="IPv4"),
        pytest.param("9.1.2.3.4", None, id="no address below another"),
        pytest.param("[::1]", "[::1]", id="IPv6"),
        pytest.param("", None, id="no host"),
    ],
)
def test_domains(host: str, domain: str | None) -> None:
    found = domains_of(parse_urls(pa.array([f"http://{host}/com"])), entries(DOMAINS))
    assert (DOMAINS[found[0]] if found[0] >= 0 else None) == domain


@pytest.mark.parametrize(
    ("host", "listed"),
    [
        pytest.param("h.com", True, id="itself"),
        pytest.param("www.h.com", True, id="with www"),
        pytest.param("a.h.com", False, id="below"),
        pytest.param("www.www.h.com", False, id="www twice"),
        pytest.param("wwwh.com", False, id="www without a dot"),
        pytest.param("www.com", True, id="www as the name"),
        pytest.param("com", False, id="above"),
    ],
)
def test_hosts(host: str, listed: bool) -> None:
    assert (hosts_of(parse_urls(pa.array([f"//{host}/"])), entries(["h.com", "www.com"]))[0] >= 0) == listed


URLS = ["u.com/a/b", "v.com", "w.com/p?q=1", "x.com/#top"]


@pytest.mark.parametrize(
    ("url", "listed"),
    [
        pytest.param("http://u.com/a/b", "u.com/a/b", id="itself"),
        pytest.param("https://www.u.com:8080/a/b/c", "u.com/a/b", id="continued by a slash"),
        pytest.param("//u.com/a/b?c", "u.com/a/b", id="continued by a query"),
        pytest.param("//u.com/a/b;c", "u.com/a/b", id="continued by a parameter"),
        pytest.param("//u.com/a/b#c", "u.com/a/b", id="continued by a fragment"),
        pytest.param("//u.com/a/bc", None, id="a longer name"),
        pytest.param("//u.com/a/", None, id="above"),
        pytest.param("//u.com/A/b", None, id="other capitals"),
        pytest.param("//a.u.com/a/b", None, id="another host"),
        pytest.param("//v.com", "v.com", id="a whole host"),
        pytest.param("//v.com/x/y", "v.com", id="anything on a whole host"),
        pytest.param("//w.com/p?q=1&r=2", "w.com/p?q=1", id="one parameter more"),
        pytest.param("//w.com/p?q=12", None, id="another value"),
        pytest.param("//x.com/#top", "x.com/#top", id="a fragment"),
        pytest.param("//x.com/", None, id="without the fragment"),
        pytest.param("", None, id="no URL"),
    ],
)
def test_urls(url: str, listed: str | None) -> None:
    found = prefixes_of(parse_urls(pa.array([url])), entries(URLS))
    assert (URLS[found[0]] if found[0] >= 0 else None) == listed
