"""Writes the site: `python -m docs.builder.site FOLDER`.

Pages as files: links between them, an anchor at every heading, the navigation and the index of the search.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from lxml import html
from lxml.html.builder import A

from docs.builder.markdown import colours, render
from docs.builder.reference import reference, templates

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = ("", "Guides", "Reference", "Project")
HEADING = re.compile(r"h[1-6]")


@dataclass(frozen=True)
class Heading:
    """A heading of a page, and the texts below it up to the next one."""

    level: int
    anchor: str
    title: str
    texts: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class SitePage:
    """A file of the site: `section` is its part of the navigation, `source` what it was made from."""

    file: str
    section: str
    source: str
    body: str
    headings: Sequence[Heading]


def build(folder: Path) -> list[str]:
    """Writes the site and returns its pages. Raises ValueError for a link to a file that is no page."""
    pages = sorted(_pages(), key=lambda page: SECTIONS.index(page.section))
    sections = [(name, list(group)) for name, group in groupby(pages, lambda page: page.section)]
    template = templates().get_template("page.html.jinja")
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages:
        (folder / page.file).write_text(template.render(page=page, sections=sections), encoding="utf-8")
    for name in ("style.css", "search.js"):
        shutil.copyfile(Path(__file__).with_name(name), folder / name)
    (folder / "code.css").write_text(colours())
    (folder / "search-index.js").write_text(f"const INDEX = {json.dumps(list(_index(pages)))};\n")
    return [page.file for page in pages]


def _pages() -> Iterator[SitePage]:
    sources = _sources()
    links = {source: _file_of(source) for source in sources}
    for source, section in sources.items():
        body = html.fragment_fromstring(render(source.read_text(encoding="utf-8")), create_parent="article")
        relink(body, source, links)
        yield _page(links[source], section, str(source.relative_to(ROOT)), body)
    for name, content in reference():
        body = html.fragment_fromstring(content, create_parent="article")
        yield _page(f"reference-{name}.html", "Reference", "what the code declares", body)


def _sources() -> dict[Path, str]:
    """The files of Markdown with their sections. Guides come in the order in which the README names them."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    guides = sorted((ROOT / "docs").glob("*.md"), key=lambda path: (readme.find(f"](docs/{path.name})"), path.name))
    project = ("CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")
    return {ROOT / "README.md": "", **dict.fromkeys(guides, "Guides"), **{ROOT / name: "Project" for name in project}}


def _file_of(source: Path) -> str:
    if source.name == "README.md":
        return "index.html" if source.parent == ROOT else f"{source.parent.name}.html"
    return f"{source.stem.lower()}.html"


def relink(body: Any, source: Path, links: Mapping[Path, str]) -> None:
    """Turns links between files of Markdown into links between pages. Raises ValueError for a link to another file."""
    for link in body.iter("a"):
        target, mark, anchor = link.get("href").partition("#")
        if target and ":" not in target:
            linked = (source.parent / target).resolve()
            if linked not in links:
                raise ValueError(f"{source} links to {target}, which is no page of the site")
            link.set("href", f"{links[linked]}{mark}{anchor}")


def _page(file: str, section: str, source: str, body: Any) -> SitePage:
    """Gives each heading an anchor, as GitHub does where it has none, and a link to itself."""
    headings: list[Heading] = []
    anchors: dict[str, int] = {}
    for element in body:
        title = element.text_content()
        if not HEADING.fullmatch(element.tag):
            headings[-1].texts.append(title)
            continue
        anchor = element.get("id") or re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")
        anchors[anchor] = count = anchors.get(anchor, -1) + 1
        headings.append(Heading(int(element.tag[1]), f"{anchor}-{count}" if count else anchor, title))
        element.set("id", headings[-1].anchor)
        here = {"href": f"#{headings[-1].anchor}", "class": "here", "aria-label": f"Link to: {title}"}
        element.append(A("#", here))
    return SitePage(file, section, source, html.tostring(body, encoding="unicode"), headings)


def _index(pages: Sequence[SitePage]) -> Iterator[tuple[str, str, str, str]]:
    """For each heading: address, title of the page, its own, and the text below it."""
    for page in pages:
        for heading in page.headings:
            text = " ".join(" ".join(heading.texts).split())
            yield f"{page.file}#{heading.anchor}", page.headings[0].title, heading.title, text


if __name__ == "__main__":
    print(f"{len(build(Path(sys.argv[1])))} pages; open {sys.argv[1]}/index.html")
