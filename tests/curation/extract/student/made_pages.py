"""Pages of many made sites, each with an article among links, and the article's text."""

import random
from pathlib import Path

from warcio.warcwriter import WARCWriter

from tests.crawl import add

_WORDS = "the fog lay over a bay and no boat left its harbour before noon while gulls sat along some quiet quay".split()
_SHELLS = (
    "<div class=top><ul>{links}</ul></div><main><h1>{title}</h1>{body}</main><footer>{links}</footer>",
    "<table><tr><td>{links}</td><td><h2>{title}</h2>{body}</td></tr></table><p>{links}</p>",
    "<header>{links}</header><div><div class=c>{title_line}{body}</div><div class=s>{links}</div></div>",
    "<nav><ul>{links}</ul></nav><main><article><h1>{title}</h1>{body}</article></main><footer><p>{note}</p></footer>",
)


def made_page(number: int) -> tuple[bytes, str, str]:
    """The page, its article's text and its host, by number."""
    choose = random.Random(number)

    def sentence(words: int) -> str:
        return " ".join(choose.choice(_WORDS) for _ in range(words)).capitalize()

    links = "".join(f"<li><a href=/{at}>{sentence(2)}</a>" for at in range(choose.randint(2, 12)))
    title = sentence(5)
    paragraphs = [f"{sentence(choose.randint(18, 50))}, {sentence(12)}." for _ in range(choose.randint(3, 8))]
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    shell = _SHELLS[number % len(_SHELLS)]
    page = shell.format(links=links, title=title, title_line=f"<h1>{title}</h1>", body=body, note=sentence(5))
    html = f"<html><head><title>{title}</title></head><body>{page}</body></html>"
    return html.encode(), "\n\n".join([title, *paragraphs]), f"site{number % 11}.example"


def write_crawl(folder: Path, *, hosts: int = 11) -> None:
    """Three archives of 30 pages each."""
    for archive in range(3):
        with (folder / f"{archive}.warc.gz").open("wb") as file:
            writer = WARCWriter(file, gzip=True)
            for number in range(archive * 30, archive * 30 + 30):
                page, _, _ = made_page(number)
                add(writer, f"http://site{number % hosts}.example/{number}", page)
