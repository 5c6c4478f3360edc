"""Reads the terms of use in RSL, as far as they say whether language models may be trained on a page.

Terms stand in an XML file, to which pages, headers and robots.txt link, or in a page's own script. A `<content>` names
addresses, and each `<license>` in it is an offer: it permits uses or prohibits them, perhaps for a payment. Of several
offers the best counts; of several contents, the one whose address is the longest that matches.

Training is `ai-train`, and part of `ai-all` and `all` (before version 1.0 also `train-ai` and `train-genai`). An offer
that lists permitted uses permits no others; what it prohibits goes before what it permits. A payment of the type `free`
or `attribution` asks for no money. Limits on users and countries are not read: nobody knows who will train.

Source: RSL Collective 2025, "Really Simple Licensing (RSL) 1.0" (rslstandard.org/rsl).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit
from xml.parsers import expat

from curation.models.preferences.robots_txt import PathRules

PERMITTED = "permitted"
PAID = "paid"  # permitted for a payment
REFUSED = "refused"
VERDICTS = (PERMITTED, PAID, REFUSED)
UNREADABLE = "unreadable"  # stands for terms that are there and cannot be read
MAX_BYTES = 256 << 10  # of a file that is read
MAX_TERMS = 1000  # of a file

_TRAINING = {"all", "ai-all", "ai-train", "train-ai", "train-genai"}
_UNPAID = {"free", "attribution"}
_USE = re.compile(r"[\w-]+")


class Term(NamedTuple):
    """Terms for the addresses that match `pattern`, as robots.txt has it, perhaps with a host before it."""

    pattern: str
    verdict: str  # one of VERDICTS


def read_terms(content: bytes) -> list[Term] | None:
    """The terms of a file; None if it is none in RSL, or longer than MAX_BYTES."""
    if len(content) > MAX_BYTES:
        return None
    reader = _Reader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text.append
    parser.EntityDeclHandler = reader.refuse  # an entity may stand for gigabytes
    try:
        parser.Parse(content.strip(), True)
    except (expat.ExpatError, LookupError, ValueError):
        return None
    return reader.terms


def joined(terms: Iterable[Term], most: int) -> str:
    """The terms in one line of up to `most` characters, the strictest first; those that do not fit are left out."""
    line = ""
    for term in sorted(terms, key=lambda term: -VERDICTS.index(term.verdict)):
        more = f"{'; ' if line else ''}{term.verdict} {term.pattern}"
        if len(line) + len(more) <= most:
            line += more
    return line


def split(line: str) -> list[Term]:
    """The terms of a line made by `joined`."""
    pairs = (pair.partition(" ") for pair in line.split("; "))
    return [Term(pattern, verdict) for verdict, _, pattern in pairs if verdict in VERDICTS and pattern]


def on_training(terms: Sequence[Term], host: str, path: str) -> str | None:
    """The terms' verdict on a page, by its host and its path ("/a?b"); None if no term is about it."""
    near: list[tuple[int, int]] = []  # length of the path, and verdict
    for term in terms:
        wanted, pattern = _parts(term.pattern)
        same = not wanted or wanted == host or (wanted.startswith("*.") and host.endswith(wanted[1:]))
        if same and PathRules([f"disallow: {pattern}"]).matches(path):
            near.append((len(pattern), VERDICTS.index(term.verdict)))
    return VERDICTS[max(near)[1]] if near else None  # of two as long, the stricter


def host_of(pattern: str) -> str:
    """The host of a pattern in lower case; "" if it names none."""
    return _parts(pattern)[0]


def _parts(pattern: str) -> tuple[str, str]:
    """Host and path of a pattern; "" for any host."""
    if "//" not in pattern:
        return "", pattern if pattern.startswith("/") else f"/{pattern}"
    try:
        parts = urlsplit(pattern)
    except ValueError:  # brackets that are no address
        return "", pattern
    query = f"?{parts.query}" if parts.query else ""
    return _ascii(parts.netloc.rpartition("@")[2].partition(":")[0].lower()), f"{parts.path or '/'}{query}"


def _ascii(host: str) -> str:
    """The host as addresses have it in canonical form (xn--…)."""
    try:
        return host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        return host


class _Reader:
    """Collects terms while a file is parsed."""

    def __init__(self) -> None:
        self.terms: list[Term] | None = None
        self.text: list[str] = []
        self._pattern = "/"
        self._offers: list[str] = []
        self._permitted: set[str] | None = None
        self._prohibited: set[str] = set()
        self._paid = False
        self._uses = False  # whether the element lists uses

    def refuse(self, *_: object) -> None:
        """Raises ValueError."""
        raise ValueError("it declares an entity")

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Raises ValueError for a file in another language."""
        name = name.rpartition(" ")[2].lower()
        kind = attributes.get("type", "").strip().lower()
        if self.terms is None:
            if name != "rsl":
                raise ValueError("it is no RSL")
            self.terms = []
        elif name == "content":
            self._pattern = "".join(attributes.get("url", "").split()) or "/"
            self._offers = []
        elif name == "license":
            self._permitted = None
            self._prohibited = set()
            self._paid = False
        elif name == "payment":
            self._paid = kind not in _UNPAID
        elif name in ("permits", "prohibits"):
            self._uses = kind in ("", "usage")
            self.text.clear()

    def end(self, name: str) -> None:
        """Adds what the element says."""
        name = name.rpartition(" ")[2].lower()
        uses = set(_USE.findall("".join(self.text).lower()))
        if name == "permits" and self._uses:
            self._permitted = (self._permitted or set()) | uses
        elif name == "prohibits" and self._uses:
            self._prohibited |= uses
        elif name == "license":
            self._offers.append(self._verdict())
        elif name == "content" and self._offers and self.terms is not None and len(self.terms) < MAX_TERMS:
            self.terms.append(Term(self._pattern, min(self._offers, key=VERDICTS.index)))

    def _verdict(self) -> str:
        permitted = self._permitted is None or bool(_TRAINING & self._permitted)
        if _TRAINING & self._prohibited or not permitted:
            return REFUSED
        return PAID if self._paid else PERMITTED
