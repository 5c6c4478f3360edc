"""Which URLs name the same page, which do not, and which documents have no key."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.dedup.canonical_url import CanonicalUrl
from tests.support import documents


def same_page(one: str, other: str, **options: Any) -> bool:
    keys = CanonicalUrl(**options).keys(documents("", "", url=[one, other]))
    assert keys.row.tolist() == [0, 1]
    return (keys.hi[0], keys.lo[0]) == (keys.hi[1], keys.lo[1])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param("http://example.com/a", "https://example.com/a", True, id="scheme"),
        pytest.param("example.com/a", "//example.com/a", True, id="no scheme"),
        pytest.param("http://example.com:80/a", "http://example.com/a", True, id="default port"),
        pytest.param("http://example.com:8080/a", "http://example.com/a", True, id="another port"),
        pytest.param("http://me:pass@example.com/a", "http://example.com/a", True, id="user and password"),
        pytest.param("http://Example.COM./a", "http://example.com/a", True, id="case and dot of the host"),
        pytest.param("http://www.example.com/a", "http://example.com/a", True, id="www"),
        pytest.param("http://www.com/a", "http://com/a", False, id="www is the name"),
        pytest.param("http://www2.example.com/a", "http://example.com/a", False, id="www2"),
        pytest.param("http://wwwexample.com/a", "http://example.com/a", False, id="no dot after www"),
        pytest.param("http://m.example.com/a", "http://example.com/a", False, id="another host"),
        pytest.param("http://bücher.example/", "http://xn--bcher-kva.example/", True, id="punycode"),
        pytest.param("http://example.com/%7Eme", "http://example.com/~me", True, id="escapes"),
        pytest.param("http://example.com/a%2Fb", "http://example.com/a/b", False, id="an escaped slash"),
        pytest.param("http://example.com", "http://example.com/", True, id="no path"),
        pytest.param("http://example.com/a", "http://example.com/a/", True, id="slash at the end"),
        pytest.param("http://example.com/a/?q=1", "http://example.com/a?q=1", True, id="slash before the query"),
        pytest.param("http://example.com/a?q=1/", "http://example.com/a?q=1", False, id="slash of a value"),
        pytest.param("http://example.com//a", "http://example.com/a", False, id="slashes within"),
        pytest.param("http://example.com/A", "http://example.com/a", False, id="case of the path"),
        pytest.param("http://example.com/a/index.html", "http://example.com/a/", False, id="index.html"),
        pytest.param("http://example.com/a#top", "http://example.com/a", True, id="fragment"),
        pytest.param("http://example.com/a#top?b=1", "http://example.com/a", True, id="a question in a fragment"),
        pytest.param("http://example.com/#!b", "http://example.com/#!c", False, id="a route with !"),
        pytest.param("http://example.com/#/b", "http://example.com/#/c", False, id="a route with /"),
        pytest.param("http://example.com/#!b", "http://example.com#!b", True, id="the same route"),
        pytest.param("http://example.com/a#", "http://example.com/a", True, id="empty fragment"),
        pytest.param("http://example.com/?a=1&b=2", "http://example.com/?b=2&a=1", True, id="order of parameters"),
        pytest.param("http://example.com/?a=1&a=2", "http://example.com/?a=2&a=1", False, id="order of values"),
        pytest.param("http://example.com/?a=1&b=1&a=2", "http://example.com/?b=1&a=1&a=2", True, id="both"),
        pytest.param("http://example.com/?a=1", "http://example.com/?a=2", False, id="values"),
        pytest.param("http://example.com/?a", "http://example.com/?a=", False, id="no value against an empty one"),
        pytest.param("http://example.com/?ab", "http://example.com/?a&b", False, id="one against two"),
        pytest.param("http://example.com/?", "http://example.com/", True, id="empty query"),
        pytest.param("http://example.com/?&a=1&&b=2&", "http://example.com/?a=1&b=2", True, id="empty parameters"),
        pytest.param("http://example.com/?utm_source=x&a=1", "http://example.com/?a=1", True, id="tracking"),
        pytest.param("http://example.com/?UTM_x=x&fbclid", "http://example.com/", True, id="tracking in any case"),
        pytest.param("http://example.com/?utm_", "http://example.com/", True, id="the beginning alone"),
        pytest.param("http://example.com/?utm=x", "http://example.com/", False, id="less than the beginning"),
        pytest.param("http://example.com/?gclids=x", "http://example.com/", False, id="more than a whole name"),
        pytest.param("http://example.com/?a=gclid", "http://example.com/", False, id="a value is no name"),
        pytest.param("http://example.com/?a=1", "http://example.com/a=1", False, id="a query is no path"),
    ],
)
def test_same_page(one: str, other: str, same: bool) -> None:
    assert same_page(one, other) is same


def test_the_list_of_parameters_can_be_changed() -> None:
    one = "http://example.com/?utm_source=x&ref=1"
    other = "http://example.com/?ref=1"
    assert not same_page(one, other, tracking=())
    assert not same_page(one, other, tracking=("ref",))
    assert same_page(one, other, tracking=("ref", "utm_*"))
    assert same_page("http://example.com/?a=1", "http://example.com/", tracking=("*",))


@pytest.mark.parametrize("name", ["", "Utm", "u*m", "é", "**"])
def test_a_name_that_cannot_be(name: str) -> None:
    with pytest.raises(ValueError, match="is not a name in lower case"):
        CanonicalUrl(tracking=("gclid", name))


def test_a_document_without_a_url_has_no_key() -> None:
    urls: list[object] = ["http://a.com/", None, "", " ", "garbage", "file:///etc/hosts", "https://www.a.com"]
    keys = CanonicalUrl().keys(documents(*[""] * 7, url=urls))
    assert keys.row.tolist() == [0, 6]
    assert keys.hi[0] == keys.hi[1]


def test_the_key_of_a_known_url() -> None:
    keys = CanonicalUrl().keys(documents("", url=["http://hello/#x"]))
    # MurmurHash3 x64 128 of "hello"
    assert (keys.hi.tolist(), keys.lo.tolist()) == ([0xCBD8A7B341BD9B02], [0x5B1E906A48AE1D19])


def test_many_parameters() -> None:
    names = [f"p{n}={n}" for n in range(2000)]
    one, other = ("http://example.com/?" + "&".join(given) for given in (names, names[::-1]))
    assert same_page(one, other)


@given(
    st.lists(st.sampled_from(["a=1", "b=2", "c", "d=", "utm_x=1"]), unique=True),
    st.sampled_from(["", "www."]),
    st.sampled_from(["", "/", "//"]),
    st.sampled_from(["", "#x", "#"]),
    st.randoms(use_true_random=False),
)
def test_any_mixture_is_the_same_page(parameters: list[str], www: str, slash: str, fragment: str, random: Any) -> None:
    mixed = random.sample(parameters, len(parameters))
    one = "http://example.com/a?" + "&".join(p for p in parameters if not p.startswith("utm"))
    assert same_page(one, f"https://{www}example.com/a{slash}?{'&'.join(mixed)}{fragment}")
