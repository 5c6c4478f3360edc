"""The demonstration web: every address with its answer, for documentation and hand-written pages alike."""

import html
import zlib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from demo import layout
from demo.library import STANDARD_LIBRARY, Article
from demo.pages import BLOG, DISALLOWED, DOCS, MIRROR, PAGES, SHOP, WORLD, Page
from demo.server import Resource

DOMAIN = "demo.invalid"
PACKAGES_HOST = f"packages.{DOMAIN}"
SEEDS = (f"http://{BLOG}/", f"http://{DOCS}/", f"http://{PACKAGES_HOST}/")
WRITTEN = Path(__file__).parent / "written"
_CODINGS = ("identity", "gzip", "deflate", "br")
_NEIGHBOURS = 8  # links to either side in a side bar
_ROBOTS = {
    BLOG: "User-agent: *\nDisallow: /private/\n\nUser-agent: greedy-bot\nDisallow: /\n",
    DOCS: "User-agent: *\nDisallow: /search\n",
    WORLD: "User-agent: *\nDisallow:\n",
}


def build_site(articles: Sequence[Article]) -> dict[str, Resource]:
    """Answers by address. The server answers any other address with 404."""
    plain = "text/plain; charset=utf-8"
    site = {
        f"http://{host}/robots.txt": Resource(body=rules.encode(), content_type=plain)
        for host, rules in _ROBOTS.items()
    }
    site.update(_documentation(articles))
    site.update((page.url, _written(page)) for page in (*PAGES, DISALLOWED) if page.status != 404)
    site[f"http://{BLOG}/"] = _front_page()
    return site


def address(article: Article) -> str:
    if article.package == STANDARD_LIBRARY:
        return f"http://{DOCS}/library/{quote(article.name)}.html"
    return f"http://{PACKAGES_HOST}/{article.package}/{quote(article.name or 'index')}.html"


def _documentation(articles: Sequence[Article]) -> dict[str, Resource]:
    """A page per article, an index per package and an index of the packages."""
    packages: dict[str, list[Article]] = {}
    for article in articles:
        packages.setdefault(article.package, []).append(article)
    roots = {name: _root(name) for name in packages}
    site: dict[str, Resource] = {}
    for name, members in packages.items():
        targets = [(address(article), article.title) for article in members]
        trail = [(f"http://{PACKAGES_HOST}/", "Packages"), (roots[name], name)]
        site[roots[name]] = _index(roots[name], f"Contents of {name}", targets, trail)
        for at, article in enumerate(members):
            beside = targets[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS + 1]
            site[targets[at][0]] = _framed(targets[at][0], article.title, article.body, [*trail, targets[at]], beside)
    lists = [(root, name) for name, root in roots.items() if name != STANDARD_LIBRARY]
    home = f"http://{PACKAGES_HOST}/"
    site[home] = _index(home, "Installed packages", lists, [])
    return site


def _root(package: str) -> str:
    return f"http://{DOCS}/" if package == STANDARD_LIBRARY else f"http://{PACKAGES_HOST}/{package}/"


def _index(url: str, title: str, targets: list[layout.Link], trail: list[layout.Link]) -> Resource:
    body = f'<p>{len(targets)} pages.</p><ul class="contents">{layout.links(targets)}</ul>'
    return _framed(url, title, body, trail, [])


def _framed(url: str, title: str, body: str, trail: Sequence[layout.Link], beside: Sequence[layout.Link]) -> Resource:
    """A documentation page. A hash of its address decides coding, charset and chunking, so that all of them occur."""
    draw = zlib.crc32(url.encode())
    says_charset_in_header = draw % 3 == 0
    head = f'<link rel="canonical" href="{html.escape(url)}">'
    if not says_charset_in_header:
        head = f'<meta charset="utf-8">{head}'
    page = layout.documentation(title=title, article=body, head=head, trail=trail, beside=beside)
    return Resource(
        body=page.encode(errors="replace"),
        content_type="text/html; charset=utf-8" if says_charset_in_header else "text/html",
        coding=_CODINGS[draw // 3 % 4],
        chunked=draw // 12 % 4 == 0,
    )


def _written(page: Page) -> Resource:
    media_type = f"{page.media_type}; charset={page.charset}" if page.declared == "header" else page.media_type
    return Resource(
        body=b"" if page.location else _body(page),
        content_type=media_type,
        status=page.status,
        coding=page.coding,
        claims=page.claims,
        chunked=page.chunked,
        location=page.location,
    )


def _body(page: Page) -> bytes:
    if page.generate:
        body = page.generate()
        return body if isinstance(body, bytes) else body.encode()
    article = (WRITTEN / f"{page.text}.html").read_text("utf-8")
    for old, new in page.edits:
        assert old in article, f"{page.path}: no {old!r} in {page.text}"
        article = article.replace(old, new)
    head = layout.charset_tag(page.charset) if page.declared == "meta" else ""
    frame = layout.mirror if page.frame == "mirror" else layout.magazine
    text = frame(title=page.title, article=article, language=page.language, related=_related(page), head=head)
    return text.encode(page.charset, errors="xmlcharrefreplace")


def _related(page: Page) -> list[layout.Link]:
    """The next four pages on the same host; after the last comes the first."""
    shelf = [other for other in PAGES if other.host == page.host and other.title and other.status == 200]
    at = next((i for i, other in enumerate(shelf) if other is page), 0)
    return [(other.path, other.title) for other in (shelf[at + 1 :] + shelf[:at])[:4]]


def _front_page() -> Resource:
    """Links to every hand-written page, even to missing and forbidden ones."""
    article = []
    for host in (BLOG, WORLD, MIRROR, SHOP, DOCS):
        pages = [(page.url, page.title or page.purpose) for page in (*PAGES, DISALLOWED) if page.host == host]
        article.append(f"<h2>{host}</h2><ul>{layout.links(pages)}</ul>")
    related = [(f"http://{DOCS}/", "Standard library"), (f"http://{PACKAGES_HOST}/", "Packages")]
    head = layout.charset_tag("utf-8")
    page = layout.magazine(title="All pages", article="\n".join(article), language="en", related=related, head=head)
    return Resource(body=page.encode())
