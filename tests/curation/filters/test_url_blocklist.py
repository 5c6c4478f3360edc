"""Penedo et al. 2023, appendix G.1: each kind of list hit, and just missed; what `why` can say of it; the assets."""

import dataclasses
import gzip
from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.engine.recipe import assets
from curation.engine.recipe.recipe import parse
from curation.filters.url_blocklist import EMBEDDED, UrlBlocklist
from tests.support import documents, verdict

OWN = UrlBlocklist(
    embedded=False,
    domains=("bad.example", "blogspot.com"),
    hosts=("host.example",),
    urls=("site.example/bad",),
    expressions=("/[0-9]{6,}\\.exe",),
    subwords=("evilthing",),
    words=("evil",),
    soft_words=("shady", "dubious", "odd"),
)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        pytest.param("https://a.b.bad.example:8443/", "domain:high", id="below a domain"),
        pytest.param("https://notbad.example/", None, id="not below a domain"),
        pytest.param("https://someone.blogspot.com/", "domain:high", id="below a public suffix"),
        pytest.param("https://u:p@BAD.example./", "domain:high", id="a domain in disguise"),
        pytest.param("https://www.host.example/", "host:high", id="a host"),
        pytest.param("https://a.host.example/", None, id="below a host"),
        pytest.param("https://site.example/b%61d/x", "url:high", id="what continues a URL"),
        pytest.param("https://site.example/badly", None, id="a longer name"),
        pytest.param("https://x.example/123456.EXE", "expression:high", id="an expression"),
        pytest.param("https://x.example/12345.exe", None, id="one digit short of an expression"),
        pytest.param("https://x.example/evil-thing", "subwords:high", id="a part of words"),
        pytest.param("https://evil.example/", "words:high", id="a word"),
        pytest.param("https://evils.example/", None, id="a longer word"),
        pytest.param("https://shady.example/shady", None, id="1 soft word, twice"),
        pytest.param("https://shady.example/dubious", "soft_words:high", id="2 soft words"),
        pytest.param("", "domain:unmeasured", id="no URL"),
        pytest.param(None, "domain:unmeasured", id="null"),
        pytest.param("about:blank", "domain:unmeasured", id="no host"),
        pytest.param("http://[::1]/", None, id="an address"),
    ],
)
def test_limit(url: str | None, reason: str | None) -> None:
    assert verdict(OWN, "", url=url) == reason


def test_the_limit_on_soft_words_can_be_moved() -> None:
    url = "https://shady.example/dubious?odd"
    assert verdict(dataclasses.replace(OWN, max_soft_words=2), "", url=url) == "soft_words:high"
    assert verdict(dataclasses.replace(OWN, max_soft_words=3), "", url=url) is None
    assert verdict(dataclasses.replace(OWN, max_soft_words=0), "", url="https://odd.example/") == "soft_words:high"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        pytest.param("https://anything.xxx/", "domain:high", id="a top-level domain"),
        pytest.param("https://www.pornhub.com/", "domain:high", id="a site"),
        pytest.param("https://x.example/free-porn-here", "subwords:high", id="a part of words"),
        pytest.param("https://x.example/hentai/", "words:high", id="a word"),
        pytest.param("https://casino.example/poker", "soft_words:high", id="two soft words"),
        pytest.param("https://essex.example/naked-oats", None, id="one soft word"),
        pytest.param("https://arts.sussex.example/sexual-health", None, id="other words that hold one"),
    ],
)
def test_the_embedded_lists(url: str, reason: str | None) -> None:
    assert verdict(UrlBlocklist(), "", url=url) == reason
    assert verdict(UrlBlocklist(embedded=False), "", url=url) is None


def test_the_embedded_words_are_in_the_form_in_which_they_are_found() -> None:
    for kind in ("subwords", "words", "soft_words"):
        assert len(set(EMBEDDED[kind])) == len(EMBEDDED[kind])
        for word in EMBEDDED[kind]:
            found = UrlBlocklist().measure(documents("", url=[f"https://x.example/{word}"]))
            assert found[kind][0].as_py() == 1, word


def test_signals_say_which_list_and_which_entry(tmp_path: Path) -> None:
    (tmp_path / "adult").mkdir()
    (tmp_path / "adult" / "domains").write_text("a.co.uk\n")
    (tmp_path / "bad.hosts.txt.gz").write_bytes(gzip.compress(b"0.0.0.0 www.h.example\n"))
    made = dataclasses.replace(OWN, lists=(str(tmp_path / "adult"), str(tmp_path / "bad.hosts.txt.gz")))
    urls: list[object] = [
        "http://x.a.co.uk/evil",
        "http://h.example",
        "http://odd.example",
        "http://10.0.0.1/",
        "?",
        None,
    ]
    signals = made.measure(documents(*[""] * 6, url=urls))
    assert signals["list"].to_pylist() == ["adult.domains", "bad.hosts", "recipe.soft_words", None, None, None]
    assert signals["entry"].to_pylist() == ["a.co.uk", "h.example", "odd", None, None, None]
    assert signals["registered_domain"].to_pylist() == ["a.co.uk", "h.example", "odd.example", None, None, None]
    assert signals["domain"].to_pylist() == [1, 0, 0, 0, None, None]
    assert signals["words"].to_pylist() == [1, 0, 0, 0, None, None]
    assert signals["soft_words"].to_pylist() == [0, 0, 1, 0, None, None]


def test_the_address_of_a_stage_depends_on_what_the_files_list_and_what_they_are_called(tmp_path: Path) -> None:
    one = tmp_path / "one.domains"
    other = tmp_path / "other.domains"
    for path in (one, other):
        path.write_text("a.example\n")
    named = UrlBlocklist(lists={"a.domains": str(one)})
    again = UrlBlocklist(lists={"a.domains": str(other)})
    renamed = UrlBlocklist(lists={"a.hosts": str(one)})
    found = [
        assets.hashes((("url_blocklist", part),)) for part in (named, again, renamed, UrlBlocklist(lists=str(one)))
    ]
    assert found[0] == found[1]
    assert [sorted(part) for part in found] == [
        [f"url_blocklist.lists.{name}", "url_blocklist.public_suffixes"]
        for name in ("a.domains", "a.domains", "a.hosts", "one.domains")
    ]
    configs = [assets.address_config((("url_blocklist", part),)) for part in (named, again)]
    assert configs[0] == configs[1]
    assert assets.located(UrlBlocklist(lists=(str(one),))).lists == {"one.domains": str(one)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"subwords": ("ab",)}, "too short", id="a subword of two letters"),
        pytest.param({"expressions": ("(",)}, "no regular expression", id="no expression"),
        pytest.param({"domains": ("a.com", "b,com")}, "'b,com' lists no domains", id="no domain"),
        pytest.param({"urls": ("a.com/x", "b")}, "'b' lists no urls", id="no URL"),
    ],
)
def test_entries_that_cannot_be(options: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        UrlBlocklist(**options)  # type: ignore[arg-type]


def test_a_missing_list_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no list at /nowhere/adult\.domains"):
        UrlBlocklist(lists="/nowhere/adult.domains").assets()
    with pytest.raises(
        InputError, match="no list at /nowhere/adult; give the path or URI of a file or folder, or a glob"
    ):
        UrlBlocklist(lists="/nowhere/adult").assets()
    (tmp_path / "adult").write_text("a.example\n")
    with pytest.raises(InputError, match="must end in what it lists"):
        UrlBlocklist(lists=str(tmp_path / "adult")).assets()


RECIPE = """
version: 1
sources:
  web:
    - read: {jsonl: {paths: [a.jsonl]}}
    - filter: {url_blocklist: {lists: LISTS, domains: [a.example], max_soft_words: 2}}
joined:
  - tokenize: {tokenizer: t.json}
"""


@pytest.mark.parametrize(
    ("written", "lists"),
    [
        pytest.param("x/adult.domains", "x/adult.domains", id="a path"),
        pytest.param("[x/adult, y.hosts]", ("x/adult", "y.hosts"), id="paths"),
        pytest.param("{a.urls: x/list}", {"a.urls": "x/list"}, id="files by name"),
    ],
)
def test_recipes_give_lists_as_paths_or_by_name(written: str, lists: object) -> None:
    judge = parse(RECIPE.replace("LISTS", written), "my.yaml").sources["web"][1]
    assert judge.components[0][1] == UrlBlocklist(lists=lists, domains=("a.example",), max_soft_words=2)  # type: ignore[arg-type]


@pytest.mark.parametrize("piece", ["a.", "/", "%", "%41", "@", ":", "[", "a/", "porn", "ü", "\\", "?&", "é."])
def test_huge_urls_get_a_verdict(piece: str) -> None:
    for url in ("http://" + piece * 500_000, "http://x.example/" + piece * 500_000):
        assert verdict(OWN, "", url=url) in (None, "domain:unmeasured", "domain:high", "words:high")
