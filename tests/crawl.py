"""Small archives of generated pages: prose that passes the rules, repetition, copies, other languages, non-pages."""

import random
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

NOUNS = """river mill harbour council neighbour winter teacher bridge field market house valley garden window letter
road mountain forest station kitchen doctor painter sailor village church school library morning evening story song
bread table lamp horse wagon island tower castle meadow orchard""".split()
ADJECTIVES = """old quiet long young narrow distant bright heavy careful famous empty broken gentle hidden proud
ancient wooden silver crooked patient restless lonely crowded modest""".split()
VERBS = """remembers follows watches keeps builds paints crosses finds leaves visits repairs describes carries sells
shelters welcomes measures forgets opens borrows""".split()
LINKS = "near behind beyond before after without above beside through towards".split()
GERMAN = "Der alte Fluss fließt langsam durch das Tal und die Leute im Dorf erzählen sich davon am Abend."


def prose(rng: random.Random, sentences: int = 30) -> str:
    """Paragraphs of English-like sentences, each draw its own."""
    made = []
    for _ in range(sentences):
        one, two, three = rng.sample(NOUNS, 3)
        some, other = rng.sample(ADJECTIVES, 2)
        verb = rng.choice(VERBS)
        link = rng.choice(LINKS)
        made.append(f"The {some} {one} of {rng.randrange(1000, 2000)} {verb} that {other} {two} {link} the {three}.")
    return "\n".join(f"<p>{' '.join(made[i : i + 4])}</p>" for i in range(0, sentences, 4))


def page(title: str, body: str) -> bytes:
    navigation = "".join(f"<li><a href='/{i}'>Section {i}</a></li>" for i in range(5))
    return (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}</title></head><body>"
        f"<nav><ul>{navigation}</ul></nav><main><article><h1>{title}</h1>{body}</article></main>"
        "<footer>All pages are invented.</footer></body></html>"
    ).encode()


def body_of(rng: random.Random, number: int, earlier: list[str]) -> str:
    """Every tenth page repeats a line, every ninth a copy, every thirteenth German, the rest prose."""
    if number % 10 == 3:
        return "<p>This is the same line of the page that we have seen before.</p>\n" * 20
    if number % 9 == 4 and earlier:
        return rng.choice(earlier)
    if number % 13 == 5:
        return f"<p>{GERMAN * 6}</p>"
    earlier.append(prose(rng))
    return earlier[-1]


def make_archives(
    folder: Path, *, archives: int = 3, pages: int = 40, seed: int = 0, hosts: Sequence[str] = ("town.example",)
) -> list[Path]:
    """`archives` files of `pages` HTML pages each, plus a 404, an image and a request; the same bytes for a seed."""
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    earlier: list[str] = []
    made = []
    for archive in range(archives):
        path = folder / f"crawl-{archive:02d}.warc.gz"
        with path.open("wb") as file:
            writer = WARCWriter(file, gzip=True)
            for number in range(pages):
                name = f"{archive}-{number}"
                content = page("The chronicle", body_of(rng, archive * pages + number, earlier))
                add(writer, f"http://{hosts[number % len(hosts)]}/{name}", content)
            add(writer, f"http://town.example/{archive}-gone", b"<html>gone</html>", status="404 Not Found")
            add(writer, f"http://town.example/{archive}.png", b"\x89PNG", media="image/png")
        made.append(path)
    return made


def add(writer: WARCWriter, url: str, content: bytes, *, status: str = "200 OK", media: str = "text/html") -> None:
    """One response record whose id follows from its url and whose date is fixed."""
    headers = StatusAndHeaders(status, [("Content-Type", media), ("Content-Length", str(len(content)))], "HTTP/1.1")
    record = writer.create_warc_record(
        url,
        "response",
        payload=BytesIO(content),
        http_headers=headers,
        length=len(content),  # without it warcio buffers through a temporary file that it leaves open
        warc_headers_dict={
            "WARC-Record-ID": f"<urn:test:{url}>",
            "WARC-Date": "2026-01-02T03:04:05Z",
        },
    )
    writer.write_record(record)
