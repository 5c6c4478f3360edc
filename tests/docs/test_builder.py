"""The site: nothing in it is fetched from elsewhere, every link leads somewhere, and it names what the code has."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import typer
from lxml import html

from curation.core import catalog, errors
from curation.core.verbs import VERBS
from docs.builder.markdown import render
from docs.builder.site import ROOT, build, relink
from pipelines import api
from pipelines.cli import app
from pipelines.component_docs import describe
from training.config.components import DEFAULTS
from training.config.run import TrainConfig

LOADING = {"src", "srcset", "data", "poster", "action", "formaction", "background", "style", "ping", "manifest"}
ELSEWHERE = re.compile(r"(?:[a-z]+:)?//|url\(|@import", re.IGNORECASE)
CALLS = re.compile(r"https?:|\bfetch\b|XMLHttpRequest|WebSocket|EventSource|sendBeacon|\bimport\b")

Site = dict[str, Any]  # file -> its page


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("site")
    build(made)
    return made


@pytest.fixture(scope="module")
def site(folder: Path) -> Site:
    return {path.name: html.fromstring(path.read_bytes()) for path in sorted(folder.glob("*.html"))}


def fetched(page: Any) -> list[str]:
    """What a browser would load for the page from another host; an ordinary link waits for a reader."""
    values = [
        value
        for element in page.iter("*")
        for name, value in element.items()
        if name in LOADING or (name == "href" and element.tag != "a")
    ]
    return [value for value in values + [one.text or "" for one in page.iter("style")] if ELSEWHERE.search(value)]


def dead(site: Site) -> list[str]:
    """Links to pages, and to places on pages, that are not there."""
    places = {(name, one.get("id")) for name, page in site.items() for one in page.iter("*") if one.get("id")}
    places |= {(name, "") for name in site}
    found = []
    for name, page in site.items():
        for link in page.iter("a"):
            target, _, anchor = unquote(link.get("href")).partition("#")
            if ":" not in target and (target or name, anchor) not in places:
                found.append(f"{name}: {link.get('href')}")
    return found


def headings(page: Any, level: int) -> list[str]:
    return [one.text_content().removesuffix("#") for one in page.iter(f"h{level}")]


def codes(page: Any) -> set[str]:
    return {one.text_content() for one in page.iter("code")}


def test_nothing_is_fetched_from_another_host(site: Site, folder: Path) -> None:
    assert {name: found for name, page in site.items() if (found := fetched(page))} == {}
    assert not [path.name for path in folder.glob("*.css") if ELSEWHERE.search(path.read_text())]
    assert not CALLS.search((folder / "search.js").read_text())


def test_every_link_leads_somewhere(site: Site) -> None:
    assert dead(site) == []


@pytest.mark.parametrize(
    "tag",
    [
        '<img src="https://host/a.png">',
        '<img srcset="//host/a.png 2x">',
        '<link rel="stylesheet" href="//fonts.host/css">',
        '<p style="background: url(a.png)">a</p>',
        '<style>@import "a.css"</style>',
    ],
)
def test_what_would_be_fetched_is_noticed(tag: str) -> None:
    assert len(fetched(html.fromstring(f"<main><a href='https://host/'>a</a>{tag}</main>"))) == 1


def test_a_dead_link_is_noticed() -> None:
    page = html.fromstring('<main id="a"><a href="#a"></a><a href="#b"></a><a href="b.html"></a></main>')
    assert dead({"a.html": page}) == ["a.html: #b", "a.html: b.html"]


def test_a_link_to_a_file_that_is_no_page_ends_the_build(tmp_path: Path) -> None:
    body = html.fromstring('<p><a href="b.md#c">b</a></p>')
    relink(body, tmp_path / "a.md", {(tmp_path / "b.md").resolve(): "b.html"})
    assert body[0].get("href") == "b.html#c"
    with pytest.raises(ValueError, match=r"a\.md links to .*gone\.md, which is no page of the site"):
        relink(html.fromstring('<p><a href="gone.md">b</a></p>'), tmp_path / "a.md", {})


def test_every_file_of_markdown_is_a_page(site: Site) -> None:
    for guide in sorted((ROOT / "docs").glob("*.md")):
        titles = re.findall(r"^# (.+)$", re.sub(r"^```.*?^```$", "", guide.read_text(), flags=re.M | re.S), re.M)
        assert headings(site[f"{guide.stem}.html"], 1) == titles
    assert {"index.html", "contributing.html", "changelog.html", "benchmarks.html"} <= site.keys()


@pytest.mark.parametrize("verb", [*VERBS.values(), *DEFAULTS], ids=str)
def test_a_verb_s_page_has_its_components_with_all_options(site: Site, verb: Any) -> None:
    page = site[f"reference-{verb}.html"]
    keys = [verb.name] if verb.only else list(catalog.known(verb))
    assert headings(page, 2) == keys
    described = [one for key in keys for one in describe(key) if one.component.verb is verb]
    assert {option.name for one in described for option in (*one.options, *one.beside)} <= codes(page)
    assert {limit.partition(": ")[0] for one in described for limit in one.limits} <= codes(page)


def test_keys_commands_and_functions_are_those_of_the_code(site: Site) -> None:
    names: list[str] = []
    waiting = [("winnow", typer.main.get_command(app))]
    for name, command in waiting:
        inner = getattr(command, "commands", {})
        waiting += [(f"{name} {word}", one) for word, one in inner.items()]
        names += [] if inner else [name]
    assert set(headings(site["reference-commands.html"], 2)) == {"make", *names}
    assert {*TrainConfig.__dataclass_fields__, "sources", "expect_kept"} <= codes(site["reference-keys.html"])
    told = set(headings(site["reference-python.html"], 3))
    functions = {name for name, one in vars(api).items() if getattr(one, "__module__", "") == api.__name__}
    documented = {name for name in functions if not name.startswith("_") and getattr(api, name).__doc__}
    assert documented | {"Run", "SealedStage", "Inline"} <= told
    assert {name for name in vars(errors) if name.endswith("Error")} <= told


def test_the_search_knows_every_heading(site: Site, folder: Path) -> None:
    index = json.loads((folder / "search-index.js").read_text().removeprefix("const INDEX = ").rstrip(";\n"))
    places = {f"{name}#{one.get('id')}" for name, page in site.items() for one in page.xpath("//article//*[@id]")}
    assert {address for address, *_ in index} == places
    assert any("minhash" in text for address, _, _, text in index if address.startswith("dedup.html"))


def test_markup_in_texts_stays_text() -> None:
    made = render("<script>alert(1)</script> [a](javascript:alert(1)) arXiv:2112.11446 `<b>`")
    assert "<script" not in made
    assert '<pre tabindex="0" data-file="&lt;a.sh"><code>ls' in render("```sh file=<a.sh needs=files\nls\n```")
    assert 'href="javascript' not in made
    assert '<a href="https://arxiv.org/abs/2112.11446">arXiv:2112.11446</a>' in made
