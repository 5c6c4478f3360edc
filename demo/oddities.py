"""Bodies of pages that are odd on purpose and easier to generate than to write: each shows one fault of the web."""

import struct
import zlib

from demo.layout import charset_tag

_SPAM_WORDS = ("cheap watches", "best price watches", "buy watches online", "luxury watches discount", "free shipping")
_TOWNS = ("Abbeyford", "Bramwick", "Coldmere", "Dunhaven", "Eastley", "Fernholt", "Grimsdale", "Harrowby", "Inch")
_LOREM = (
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore "
    "magna aliqua. Ut enim ad minim veniam, quis nostrud exercitation ullamco laboris nisi ut aliquip ex ea commodo."
)
_REFRAIN = (
    "The lighthouse turned its lamp to the sea and counted the ships that came home, and those that did not come home "
    "it counted twice, so that nobody would be forgotten in the morning."
)
_STREAM = (
    *("the river went on and nobody asked it where", "we followed the bank until the path gave out"),
    *("somebody had left a boat and no oars", "it rained a little and then it thought better of it"),
    *("my sister said that the water remembers", "I said that it has to forget in order to be water"),
)


def keyword_stuffing() -> str:
    phrases = ". ".join(f"{_SPAM_WORDS[i % 5]} in {_TOWNS[i % 9]}" for i in range(240))
    return f"<h1>Watches</h1><p>{phrases}.</p>"


def link_list() -> str:
    """Four hundred links and hardly any other text."""
    items = "".join(f'<li><a href="http://away.invalid/{i}">Hotels in {_TOWNS[i % 9]} {i}</a></li>' for i in range(400))
    return f"<h1>Directory</h1><ul>{items}</ul>"


def repeated_paragraph() -> str:
    return "<h1>The lighthouse</h1>" + f"<p>{_REFRAIN}</p>\n" * 20


def lorem_ipsum() -> str:
    """Filler text that a designer left in."""
    return "<h1>Welcome</h1>" + f"<p>{_LOREM}</p>\n" * 6


def very_short() -> str:
    return "<h1>Closed</h1><p>We are closed until further notice.</p>"


def long_line() -> str:
    """Half a megabyte of markup and prose without a single newline or full stop."""
    return "<h1>The river</h1><p>" + " and ".join(_STREAM[i % 6] for i in range(10_000)) + "</p>"


def deep_nesting() -> str:
    """Prose inside three thousand nested <div> elements, too deep for some parsers and most stacks."""
    return "<div>" * 3_000 + f"<p>{_REFRAIN}</p><p>{_LOREM}</p>" + "</div>" * 3_000


def numbers() -> str:
    rows = "".join(f"<tr><td>{i}</td><td>{i * i}</td><td>{i**3}</td><td>{i / 7:.4f}</td></tr>" for i in range(1, 200))
    return f"<h1>Squares and cubes</h1><table>{rows}</table>"


def teasers() -> str:
    """Openings of articles that each end in an ellipsis."""
    starts = (f"In {town} the mayor has announced that the new bridge will have to be…" for town in _TOWNS)
    return "<h1>Latest news</h1>" + "".join(f"<p>{start}</p>" for start in starts)


def broken_markup() -> str:
    """Unclosed, crossed and misspelt tags around text that a browser would still show."""
    return f"<h1>Half a page<p>{_REFRAIN}<b><i>{_STREAM[0]}</b></i><table><td>{_STREAM[1]}<p>{_LOREM}</dvi><a href=x>"


def nothing() -> str:
    """A page with status 200 and an empty body."""
    return ""


def no_text() -> str:
    return '<html><head><title></title></head><body><div><img src="/img/lamp.png"></div></body></html>'


def text_like_html() -> str:
    return "Minutes of the meeting\n\nPresent: four. Absent: one. Decided: to meet again.\n"


def json_data() -> str:
    return '{"lamps": [{"name": "Corvus", "price": 89.0}, {"name": "Pica", "price": 64.5}]}\n'


def png_image() -> bytes:
    """A valid picture of one grey pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\x80")) + chunk(b"IEND", b"")


def wrong_bytes() -> bytes:
    """Declared as UTF-8, but with bytes that are not."""
    text = f"<p>Caf\xe9 na\xefve \xbfqu\xe9? {_REFRAIN}</p>".encode("latin-1")
    return f"<html><head>{charset_tag('utf-8')}<title>Cafe</title></head><body>".encode() + text + b"</body></html>"


def refresh() -> str:
    """A redirect by markup instead of by status."""
    return '<html><head><meta http-equiv="refresh" content="0; url=/bread.html"></head><body>One moment</body></html>'
