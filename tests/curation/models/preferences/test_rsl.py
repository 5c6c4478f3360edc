"""Terms in RSL: what they say about training, which address they are about, and files that are none."""

import pytest

from curation.models.preferences.rsl import MAX_BYTES, Term, host_of, joined, on_training, read_terms, split
from tests.support import table

NAMESPACE = 'xmlns="https://rslstandard.org/rsl"'


def rsl(*contents: str) -> bytes:
    return f"<rsl {NAMESPACE}>{''.join(contents)}</rsl>".encode()


def content(*offers: str, url: str = "/") -> str:
    return f'<content url="{url}">{"".join(f"<license>{offer}</license>" for offer in offers)}</content>'


def permits(uses: str, kind: str = "usage") -> str:
    return f'<permits type="{kind}">{uses}</permits>'


def prohibits(uses: str, kind: str = "usage") -> str:
    return f'<prohibits type="{kind}">{uses}</prohibits>'


def payment(kind: str) -> str:
    return f'<payment type="{kind}"><amount currency="USD">1</amount></payment>'


@table(
    ("offers", "verdict"),
    {
        "an empty offer": ([""], "permitted"),
        "training is permitted": ([permits("search ai-train")], "permitted"),
        "all of AI is permitted": ([permits("ai-all")], "permitted"),
        "everything is permitted": ([permits("ALL")], "permitted"),
        "only search is permitted": ([permits("search")], "refused"),
        "input and index are permitted": ([permits("ai-input, ai-index")], "refused"),
        "nothing is permitted": ([permits("")], "refused"),
        "training is prohibited": ([prohibits("ai-train")], "refused"),
        "all of AI is prohibited": ([prohibits("\n ai-all\n")], "refused"),
        "a list with semicolons": ([prohibits("ai-train;search")], "refused"),
        "search is prohibited": ([prohibits("search")], "permitted"),
        "a prohibition goes first": ([permits("ai-train") + prohibits("ai-all")], "refused"),
        "two lists of permits": ([permits("search") + permits("ai-train")], "permitted"),
        "users and countries are not read": ([permits("education", "user") + prohibits("EU", "geo")], "permitted"),
        "the name before 1.0": ([permits("train-ai")], "permitted"),
        "for free": ([permits("ai-train") + payment("free")], "permitted"),
        "for a mention": ([payment("attribution")], "permitted"),
        "for each crawl": ([permits("ai-train") + payment("crawl")], "paid"),
        "for training": ([payment("training")], "paid"),
        "for a contribution": ([payment("contribution")], "paid"),
        "a prohibition that costs": ([prohibits("all") + payment("purchase")], "refused"),
        "the better of two offers": ([permits("search"), permits("ai-train") + payment("use")], "paid"),
        "the best of three": ([payment("use"), prohibits("all"), permits("ai-train")], "permitted"),
    },
)
def test_offers(offers: list[str], verdict: str) -> None:
    assert read_terms(rsl(content(*offers))) == [Term("/", verdict)]


def test_a_file() -> None:
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<!-- terms -->\n'
    prefixed = (
        '<r:rsl xmlns:r="https://rslstandard.org/rsl"><r:content url=" /a "><r:license><r:prohibits type="usage">'
    )
    end = "all</r:prohibits></r:license></r:content></r:rsl>"
    assert read_terms((head + prefixed + end).encode()) == [Term("/a", "refused")]
    assert read_terms(rsl(content("", url="https://h.example/*"), content(payment("use"), url="/b"))) == [
        Term("https://h.example/*", "permitted"),
        Term("/b", "paid"),
    ]
    assert read_terms(rsl('<content url="/" server="https://s.example"></content>')) == []


@table(
    "file",
    {
        "HTML": b"<html><body>Not here</body></html>",
        "no XML": b"User-agent: *",
        "cut short": rsl(content(""))[:-9],
        "nothing": b"",
        "an entity": b'<!DOCTYPE rsl [<!ENTITY a "aaaa">]><rsl><content url="&a;"><license/></content></rsl>',
        "another encoding that is none": b'<?xml version="1.0" encoding="x-none"?><rsl/>',
        "too long": b" " * MAX_BYTES + rsl(),
    },
)
def test_files_that_cannot_be_read(file: bytes) -> None:
    assert read_terms(file) is None


@table(
    ("path", "verdict"),
    {
        "the longest address": ("/free/a", "permitted"),
        "the whole site": ("/other", "refused"),
        "a wildcard": ("/x/a.pdf", "paid"),
        "its end": ("/x/a.pdf.html", "refused"),
        "of two as long, the stricter": ("/both/a", "paid"),
    },
)
def test_addresses(path: str, verdict: str) -> None:
    terms = [
        Term("/*", "refused"),
        Term("/free/", "permitted"),
        Term("/*.pdf$", "paid"),
        Term("/both/", "permitted"),
        Term("/both/", "paid"),
    ]
    assert on_training(terms, "h.example", path) == verdict


@table(
    ("pattern", "host", "near"),
    {
        "the host": ("https://h.example/*", "h.example", True),
        "another": ("https://h.example/*", "www.h.example", False),
        "capitals and a port": ("HTTPS://H.example:443/", "h.example", True),
        "below a host": ("https://*.h.example/", "www.h.example", True),
        "the host itself is not below it": ("https://*.h.example/", "h.example", False),
        "any host": ("*", "h.example", True),
        "an address without a slash": ("a/*", "h.example", True),
        "brackets": ("http://[/", "h.example", False),
        "letters beyond ASCII": ("https://Müller.example/", "xn--mller-kva.example", True),
    },
)
def test_hosts(pattern: str, host: str, near: bool) -> None:
    assert on_training([Term(pattern, "paid")], host, "/a/b") == ("paid" if near else None)


def test_the_host_of_a_pattern() -> None:
    assert [host_of(one) for one in ("https://A.example:80/b", "/b", "//a.example")] == ["a.example", "", "a.example"]


TERMS = [Term("/free/", "permitted"), Term("/paid", "paid"), Term("/*", "refused")]


@pytest.mark.parametrize(("most", "kept"), [(9, []), (10, [2]), (21, [2]), (22, [2, 1]), (39, [2, 1]), (40, [2, 1, 0])])
def test_a_line_of_terms_keeps_the_strictest(most: int, kept: list[int]) -> None:
    line = joined(TERMS, most)
    assert len(line) <= most
    assert split(line) == [TERMS[number] for number in kept]


def test_a_line_without_terms() -> None:
    assert (joined([], 100), split(""), split("unreadable")) == ("", [], [])
