"""Plain text of wikitext: templates that stand for words are shown, other templates leave a gap, which is counted.

Tables are rows with a tab between cells, items of lists begin with "- ", formulas stand as TeX between dollar signs.
Footnotes, pictures, galleries, categories and headings with nothing below them are dropped.

Source: https://www.mediawiki.org/wiki/Help:Formatting, Help:Links, Help:Tables, Help:Magic_words.
"""

import html
import re
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import mwparserfromhell
from mwparserfromhell import nodes
from mwparserfromhell.parser import ParserError

from curation.sources.mediawiki.templates import DISAMBIGUATION, FOOTNOTES, forms_of, shown
from curation.sources.mediawiki.unclosed import MAX_READ_AGAIN, read_again

DROPPED_TAGS = frozenset(
    """ref references gallery timeline score imagemap templatestyles graph mapframe maplink inputbox categorytree hiero
    pagequality pages section indicator includeonly style script charinsert""".split()
)
FORMULAS = frozenset(("math", "chem", "ce"))
VERBATIM = frozenset(("nowiki", "pre", "syntaxhighlight", "source"))
BLOCKS = frozenset("table p div center blockquote poem li dt dd ul ol pre syntaxhighlight source".split())

_GAP_MARK = "\ue000"  # of a dropped template; of private use, so no text has it
_HEADING_MARK = "\ue001"  # before a heading and its level
_ITEM_MARK = "\ue002"
_MARKS = re.compile(f"[{_GAP_MARK}{_HEADING_MARK}{_ITEM_MARK}]")
_EMPTY = re.compile(rf"[ \t\u00a0]?[(\[（][ \t,;]*{_GAP_MARK}[{_GAP_MARK} \t,;]*[)\]）]")
_GAP = re.compile(rf"\w[ \t\u00a0]+{_GAP_MARK}[{_GAP_MARK} \t]*[,.;:)\]]|{_EMPTY.pattern}")
_QUOTES = re.compile(r"'{2,5}")
_SWITCH = re.compile(r"__[^\W\d_a-z]{3,40}__")
_ITEM = re.compile(rf"({_ITEM_MARK}+)[ \t]*")
_TRAILING = re.compile(r"(?m)(?<![ \t])[ \t]+$")  # what stands before keeps it from trying every place of a long run
_HEADING = re.compile(rf"(?m)^{_HEADING_MARK}(\d)")
_BLANK_LINES = re.compile(r"\n{3,}")
_CALL = re.compile(r"\{\{([^{}|]{1,80})(?:\||\}\})")
_OTHER_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*:")


class PlainText(NamedTuple):
    """`gaps` are places where a dropped template left a sentence without a part: "of ,", "( )"."""

    text: str
    gaps: int
    dropped: Counter[str]  # templates by name


def is_disambiguation(wikitext: str) -> bool:
    """Whether a page lists meanings of a word, by its magic word or a template of a known wiki."""
    names = (match[1].replace("_", " ").strip().lower() for match in _CALL.finditer(wikitext))
    return "__DISAMBIG__" in wikitext or any(name in DISAMBIGUATION for name in names)


class PlainWikitext:
    """Makes plain text in a wiki of a language; `hidden` are names, in lower case, of its namespaces of pictures and
    categories."""

    def __init__(self, language: str, hidden: Collection[str]) -> None:
        self._forms = forms_of(language.partition("-")[0])
        self._hidden = frozenset(hidden)
        self._dropped: Counter[str] = Counter()
        self._makers: dict[type, Callable[[Any], str]] = {
            nodes.Text: lambda node: str(node.value),
            nodes.Wikilink: self._link,
            nodes.ExternalLink: lambda node: self._code(node.title if node.brackets else node.url),
            nodes.Heading: lambda node: f"\n\n{_HEADING_MARK}{node.level}{self._code(node.title).strip()}\n\n",
            nodes.HTMLEntity: lambda node: _unescaped(str(node)),
            nodes.Argument: lambda node: self._code(node.default),
            nodes.Template: self._template,
            nodes.Tag: self._tag,
        }

    def plain(self, wikitext: str) -> PlainText | None:
        """None where the parser fails, or would take minutes."""
        if read_again(wikitext) > MAX_READ_AGAIN:
            return None
        self._dropped = Counter()
        try:
            text = self._code(mwparserfromhell.parse(_MARKS.sub("", wikitext), skip_style_tags=True))
        except (ParserError, RecursionError):
            return None
        gaps = len(_GAP.findall(text))
        return PlainText(_tidy(text), gaps, self._dropped)

    def _code(self, code: Any) -> str:
        if code is None:
            return ""
        return "".join(self._makers[type(node)](node) for node in code.nodes if type(node) in self._makers)

    def _link(self, node: Any) -> str:
        target = str(node.title).strip()
        prefix, colon, _ = target.partition(":")
        if colon and prefix.strip().lower() in self._hidden:
            return ""
        if label := self._code(node.text):
            return label
        return "" if _OTHER_LANGUAGE.match(target) else self._code(node.title).strip().removeprefix(":")

    def _template(self, node: Any) -> str:
        called, colon, value = _MARKS.sub("", self._code(node.name)).strip().partition(":")
        if called.lower() == "template":
            called, colon, value = value, "", ""
        name = " ".join(called.replace("_", " ").split()).lower()
        form = "$1" if name.startswith("lang-") else self._forms.get(name)
        if form is None:
            self._dropped[name] += 1
            return "" if name in FOOTNOTES else _GAP_MARK
        arguments = {str(param.name).strip(): self._code(param.value).strip() for param in node.params}
        if colon:  # a parser function
            arguments["1"] = value.strip()
        return shown(form, {key: _QUOTES.sub("", argument) for key, argument in arguments.items()})

    def _tag(self, node: Any) -> str:
        name = str(node.tag).strip().lower()
        markup = node.wiki_markup
        if name == "br":
            return "\n"
        if markup in ("*", "#", ":", ";"):
            return _ITEM_MARK if name == "li" else ""
        if name in DROPPED_TAGS or node.contents is None:
            return ""
        if name in FORMULAS:
            return f"${_unescaped(str(node.contents)).strip()}$"
        content = _unescaped(str(node.contents)) if name in VERBATIM else self._code(node.contents)
        if name in ("td", "th"):
            text = " ".join(content.split())
            is_caption = markup == "|" and text.startswith("+")  # which the parser takes for a cell
            return f"\n{text[1:].strip()}\n" if is_caption else f"{text}\t"
        if name == "tr":
            return f"\n{content.strip(chr(10) + ' ')}"
        return f"\n{content}\n" if name in BLOCKS else content


def _unescaped(text: str) -> str:
    return _MARKS.sub("", html.unescape(text))


def _tidy(text: str) -> str:
    text = _SWITCH.sub("", _QUOTES.sub("", _EMPTY.sub("", text))).replace(_GAP_MARK, "")
    text = _ITEM.sub(lambda item: "  " * (len(item[1]) - 1) + "- ", _TRAILING.sub("", text))
    return _BLANK_LINES.sub("\n\n", _without_empty_sections(text)).strip()


def _without_empty_sections(text: str) -> str:
    """The text without headings that have nothing below them, and without the marks of others."""
    kept: list[str] = []
    below = ""  # level of the heading that is kept below
    head, *sections = _HEADING.split(text)
    for level, section in zip(sections[-2::-2], sections[::-2], strict=True):
        if section.partition("\n")[2].strip() or below > level:
            kept.append(section)
            below = level
    return re.sub(rf"{_HEADING_MARK}\d", "", head + "".join(reversed(kept)))  # of those in cells
