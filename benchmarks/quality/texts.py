"""How whole an extracted text is: its title, its characters and its formulas, beside the page and people's main text.

The title is that of the page's first <h1>, if it shares words with <title>; it is there if the text has it, apart from
case and whitespace. Characters lost are those of the truth (not whitespace; as a bag) that the text has not, on pages
whose text has WHOLE of the truth's words: symbols, single letters and endings that an extractor deletes inside lines.
A formula is TeX that the page states: an annotation or `alttext` of MathML, a script of the type `math/tex`, or the
`alt` of an image that begins like TeX; it is kept if the text has it, apart from whitespace.
"""

import html
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from resiliparse.parse.html import HTMLTree

from benchmarks.extraction.extractors import WORD, score
from benchmarks.quality.pages import Page

WHOLE = 0.95  # recall of words
_TEX = (
    re.compile(
        r"<annotation[^>]*encoding=[\"']?(?:application/x-tex|TeX|LaTeX)[\"']?[^>]*>(.*?)</annotation>", re.S | re.I
    ),
    re.compile(r"<script[^>]*type=[\"']math/tex[^>]*>(.*?)</script>", re.S | re.I),
    re.compile(r"<math[^>]*\balttext=\"([^\"]+)\"(?:(?!</math>|<annotation).)*</math>", re.S | re.I),
    re.compile(r"<img[^>]*\balt=\"(?=[^\"]*(?:\\[a-zA-Z]+|[_^]\{))([^\"]+)\"", re.I),
)
_WRAPPED = re.compile(r"^\{\\(?:displaystyle|textstyle)(.*)\}$", re.S)


class Stated(NamedTuple):
    """What a page's markup states: its `title`, "" for none, and `formulas`."""

    title: str
    formulas: list[str]


@dataclass
class Wholeness:
    """Sums over pages."""

    f1: list[float] = field(default_factory=list)
    titles: int = 0  # pages with a title
    titles_found: int = 0
    characters: int = 0  # of the truths of pages with WHOLE of the words
    characters_lost: int = 0
    formulas: int = 0
    formulas_kept: int = 0

    def add(self, page: Page, stated: Stated, text: str) -> None:
        f1 = page.f1(text)
        bare = _bare(text)
        self.formulas += len(stated.formulas)
        self.formulas_kept += sum(formula in bare for formula in stated.formulas)
        if f1 is None:
            return
        self.f1.append(f1)
        self.titles += bool(stated.title)
        self.titles_found += bool(stated.title) and stated.title in _plain(text)
        truth = page.truth.get("text") or ""
        if truth and score(text, truth).recall >= WHOLE:
            wanted = Counter(_bare(truth))
            self.characters += wanted.total()
            self.characters_lost += (wanted - Counter(bare)).total()


def stated(markup: str) -> Stated:
    return Stated(_title(markup), _formulas(markup))


def _title(markup: str) -> str:
    """The page's first heading, if it shares words with its title, in lower case; else ""."""
    document = HTMLTree.parse(markup).document
    nodes = (document and document.query_selector(selector) for selector in ("h1", "title"))
    heading, named = ((node and node.text) or "" for node in nodes)
    words, others = (set(WORD.findall(text.lower())) for text in (heading, named))
    return _plain(heading) if words and len(words & others) >= len(words) / 2 else ""


def _formulas(markup: str) -> list[str]:
    """TeX without whitespace and its wrapping, each as often as the page states it."""
    found = (match for pattern in _TEX for match in pattern.findall(markup))
    bare = (_bare(html.unescape(match)) for match in found)
    return [_WRAPPED.sub(r"\1", formula) for formula in bare if formula]


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _bare(text: str) -> str:
    return "".join(text.split())
