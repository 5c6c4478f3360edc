"""Plain text of wikitext: templates that stand for words are shown, other templates leave a gap, which is counted.

Tables are rows with a tab between cells, items of lists begin with "- " or their number, formulas stand as TeX between
dollar signs, code stands as it is in lines of its own, also that of a cell, and superscripts are as
`text/html/superscripts` has them. Footnotes, pictures, galleries, categories, ruby readings and headings with nothing
below them are dropped.

Source: https://www.mediawiki.org/wiki/Help:Formatting, Help:Links, Help:Lists, Help:Tables, Help:Magic_words.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import mwparserfromhell
from mwparserfromhell import nodes
from mwparserfromhell.parser import ParserError

from curation.sources.documents.mediawiki.bold_italics import without_quotes
from curation.sources.documents.mediawiki.closing import closed
from curation.sources.documents.mediawiki.leftovers import (
    UNCLOSED_CALL,
    without_attributes,
    without_marks_of_wikitext,
    without_rests,
)
from curation.sources.documents.mediawiki.links import is_left_out
from curation.sources.documents.mediawiki.list_items import LIST_MARKS, ListItems
from curation.sources.documents.mediawiki.local_names import file_names
from curation.sources.documents.mediawiki.templates import FOOTNOTES, PAGE_NAMES, forms_of, of_family, shown
from curation.sources.documents.mediawiki.unclosed import MAX_READ_AGAIN, has_too_many_marks, read_again
from curation.sources.documents.mediawiki.wiktionary import form_of
from curation.text.html.inline_marks import LOWERED, raised, resolved, without_marks
from curation.text.html.numbering import markers
from curation.text.html.unescape import unescaped

DROPPED_TAGS = frozenset(
    """ref references gallery timeline score imagemap templatestyles graph mapframe maplink inputbox categorytree hiero
    pagequality pages section indicator includeonly style script charinsert rt rp rtc""".split()
)
FORMULAS = frozenset(("math", "chem", "ce"))
VERBATIM = frozenset(("nowiki", "pre", "syntaxhighlight", "source"))
CODE = frozenset(("pre", "syntaxhighlight", "source"))
BLOCKS = frozenset("table p div center blockquote poem li dt dd".split())

_GAP_MARK = "\ue000"  # of a dropped template; of private use, so no text has it
_HEADINGS = "\ue001-\ue009"  # before a heading, by its level
_CODE_MARK = "\ue00a"  # around the number of a block of code, which is put in last
_NOTE_MARK = "\ue00c"  # of a dropped footnote, icon or demand
_MARKS = re.compile(f"[{_GAP_MARK}{_NOTE_MARK}{_HEADINGS}{_CODE_MARK}{UNCLOSED_CALL}]")
_NOTHING = f"{_GAP_MARK}{_NOTE_MARK}"
_GAP = re.compile(
    rf"\w[ \t\u00a0]+{_GAP_MARK}[{_NOTHING} \t]*[,.;:)\]]|[(\[（][ \t,;]*{_GAP_MARK}[{_NOTHING} \t,;]*[)\]）]"
)
_EMPTY = re.compile(rf"[ \t\u00a0]?[(\[（][ \t,;]*[{_NOTHING}][{_NOTHING} \t,;]*[)\]）]")
_BEGINS = re.compile(rf"([(（])[ \t]*[{_NOTHING}][{_NOTHING} \t\u00a0]*[,;:、，；]?[ \t]*")
_ENDS = re.compile(rf"(?<![ \t\u00a0])[ \t\u00a0]*[,;:、，；][ \t\u00a0]*[{_NOTHING}][{_NOTHING} \t]*(?=[)）])")
_NO_ITEM = re.compile(rf"(?m)^(?:  )*(?:-|\d{{1,6}}\.)[ \t\u00a0,;:./()+–—\-{_NOTHING}]*(?:\n|\Z)")
_VARIANTS = re.compile(r"-\{(?!\{)([^{}\n]{0,2000})\}-")
_VARIANT = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,10})*")
_SWITCH = re.compile(r"__[^\W\d_a-z]{3,40}__")
_TRAILING = re.compile(r"(?m)(?<![ \t])[ \t]+$")  # what stands before keeps it from trying every place of a long run
_HEADING = re.compile(rf"(?m)^([{_HEADINGS}])")
_BLANK_LINES = re.compile(r"\n{3,}")
_INDENTED_TABLE = re.compile(r"(?m)(?:^[ \t*#:;]+|(-->)[ \t*#:;]*)(?=\{\|)")  # where the parser knows none
_OTHER_LANGUAGE = re.compile(r"(?:simple|[a-z]{2,3}(?:-[a-z]+)*):")


class ArticleText(NamedTuple):
    """`gaps` are places where a dropped template left a sentence without a part: "of ,", "( )"."""

    text: str
    gaps: int
    dropped: Counter[str]  # templates by name


class PlainWikitext:
    """Makes plain text in a wiki of a language; `hidden` are further names of its namespaces of pictures and
    categories, in lower case; the English Wiktionary has templates of its own."""

    def __init__(self, language: str, hidden: Collection[str] = (), *, wiktionary: bool = False) -> None:
        self._forms = forms_of(language.partition("-")[0])
        self._of_wiktionary = form_of if wiktionary and language == "en" else lambda name: None
        self._hidden = file_names(language).union(hidden) - {""}
        self._dropped: Counter[str] = Counter()
        self._code_blocks: list[str] = []
        self._title = ""
        self._makers: dict[type, Callable[[Any], str]] = {
            nodes.Text: lambda node: without_marks_of_wikitext(str(node.value)),
            nodes.Wikilink: self._link,
            nodes.ExternalLink: lambda node: self._code(node.title if node.brackets else node.url),
            nodes.Heading: lambda node: f"\n\n{_heading_mark(node.level)}{self._code(node.title).strip()}\n\n",
            nodes.HTMLEntity: lambda node: _unescaped(str(node)),
            nodes.Argument: lambda node: self._code(node.default),
            nodes.Template: self._template,
            nodes.Tag: self._tag,
        }

    def plain(self, wikitext: str, title: str = "") -> ArticleText | None:
        """None where the parser fails, or would take minutes. The title stands for `{{PAGENAME}}`."""
        if has_too_many_marks(wikitext):
            return None
        wikitext = _INDENTED_TABLE.sub(r"\1\n", wikitext) if "{|" in wikitext else wikitext
        if read_again(wikitext):
            wikitext = closed(wikitext)
            if read_again(wikitext) > MAX_READ_AGAIN:
                return None
        self._dropped = Counter()
        self._code_blocks = []
        self._title = title
        unmarked = without_marks(_MARKS.sub("", wikitext))
        unmarked = _VARIANTS.sub(_variant, unmarked) if "-{" in unmarked else unmarked
        try:
            text = without_quotes(self._code(mwparserfromhell.parse(unmarked, skip_style_tags=True)))
        except (ParserError, RecursionError):
            return None
        gaps = len(_GAP.findall(text))
        return ArticleText(self._with_code(_tidy(text)), gaps, self._dropped)

    def _with_code(self, text: str) -> str:
        """Text with the blocks of code in their places, each in lines of its own."""
        before, *places = text.split(_CODE_MARK)
        parts = [before]
        for number, after in zip(places[::2], places[1::2], strict=True):
            parts[-1] = parts[-1].rstrip(" \t")
            parts.append("" if not parts[-1] or parts[-1].endswith("\n") else "\n")
            after = after.lstrip(" \t")
            parts += self._code_blocks[int(number)], "" if after.startswith("\n") else "\n", after
        return "".join(parts).strip("\n")

    def _code(self, code: Any) -> str:
        if code is None:
            return ""
        parts: list[str] = []
        lists = ListItems()
        marks = ""  # of the list that a line begins with
        begins_line = True
        for node in code.nodes:
            kind = type(node)
            if kind is nodes.Tag and node.wiki_markup in LIST_MARKS:
                marks += node.wiki_markup if begins_line else ""
                continue
            if kind not in self._makers:
                continue
            item = kind is nodes.Tag and marks and node.tag == "li"
            text = self._code(node.contents) if item else self._makers[kind](node)
            source = text if kind is nodes.Text else ""
            if marks:
                if not item and not text.strip(" \t"):  # pictures and such, which are left out
                    continue
                parts.append(lists.begin(marks, _attribute(node, "value") if item else None))
                text = text.lstrip(" \t")
                marks = ""
            elif begins_line and not source.startswith("\n"):
                lists.close()
            if kind is nodes.Template and text.startswith("[") and parts and parts[-1].endswith("["):
                text = text[1:].removesuffix("]")  # of a pronunciation, whose brackets the page has
            parts.append(text)
            begins_line = source.endswith("\n")
            if source.count("\n") > begins_line:
                lists.close()
        parts.append(lists.begin(marks) if marks else "")
        return "".join(parts)

    def _link(self, node: Any) -> str:
        target = str(node.title).strip()
        if is_left_out(target, str(node.text or ""), self._hidden):
            return ""
        if label := self._code(node.text):
            return label
        return "" if _OTHER_LANGUAGE.match(target) else self._code(node.title).strip().removeprefix(":")

    def _template(self, node: Any) -> str:
        called, colon, value = _MARKS.sub("", self._code(node.name)).strip().partition(":")
        if called.lower() == "template":
            called, colon, value = value, "", ""
        name = " ".join(called.replace("_", " ").split()).lower()
        if name in PAGE_NAMES:
            return self._title
        form = self._of_wiktionary(name) or self._forms.get(name) or of_family(name)
        if form is None:
            self._dropped[name] += 1
            return _NOTE_MARK if name in FOOTNOTES else _GAP_MARK
        arguments = {str(param.name).strip(): self._code(param.value).strip() for param in node.params}
        if colon:  # a parser function
            arguments["1"] = value.strip()
        return shown(form, {key: without_quotes(argument) for key, argument in arguments.items()}) or _GAP_MARK

    def _tag(self, node: Any) -> str:
        name = str(node.tag).strip().lower()
        markup = node.wiki_markup
        if name == "br":
            return "\n"
        if name in DROPPED_TAGS or node.contents is None:
            return ""
        if name in FORMULAS:
            return f"${_unescaped(str(node.contents)).strip()}$"
        if name in CODE and not node.has("inline"):
            return self._code_block(_unescaped(str(node.contents)))
        if name in ("ol", "ul"):
            return self._list(node, name)
        content = _unescaped(str(node.contents)) if name in VERBATIM else self._code(node.contents)
        if name == "sup":
            return raised(content, linked=any(str(link.title).startswith("#") for link in _links(node.contents)))
        if name == "sub":
            return LOWERED + content
        if name in ("td", "th"):
            text = without_attributes(" ".join(_NO_ITEM.sub("", content).split()))
            is_caption = markup == "|" and text.startswith("+")  # which the parser takes for a cell
            return f"\n{text[1:].strip()}\n" if is_caption else f"{text}\t"
        if name == "tr":
            return f"\n{content.strip(chr(10) + ' ')}"
        return f"\n{content}\n" if name in BLOCKS else content

    def _code_block(self, code: str) -> str:
        """The mark of a block of code, which is kept as it is."""
        if not code.strip():
            return ""
        self._code_blocks.append(code.strip("\n").rstrip())
        return f"{_CODE_MARK}{len(self._code_blocks) - 1}{_CODE_MARK}"

    def _list(self, node: Any, name: str) -> str:
        """The items of a list in HTML, numbered as a browser does; what is in one stands further in."""
        items: list[Any] = []
        texts: list[list[str]] = [[]]  # what stands before the first item, and each item with what follows it
        for child in node.contents.nodes:
            if type(child) is nodes.Tag and child.tag == "li":
                items.append(child)
                texts.append([self._code(child.contents)])
            elif type(child) in self._makers:
                texts[-1].append(self._makers[type(child)](child))
        before, *written = ("".join(parts).strip() for parts in texts)
        shown = markers(
            [_attribute(item, "value") for item in items],
            start=_attribute(node, "start"),
            backwards=_attribute(node, "reversed") is not None,
            kind=_attribute(node, "type"),
            kinds=[_attribute(item, "type") for item in items],
        )
        begins = [f"{marker}. " if marker and name == "ol" else "- " for marker in shown]
        lines = (begin + text.replace("\n", "\n  ") for begin, text in zip(begins, written, strict=True))
        return "\n".join(["", before, *lines, ""]) if before else "\n".join(["", *lines, ""])


def _variant(written: re.Match[str]) -> str:
    """The first of the wordings that a page has for several scripts or countries (`-{zh-hans:a; zh-hant:b}-`)."""
    flags, bar, wordings = written[1].rpartition("|")
    if bar and flags.strip() in ("H", "T"):  # only for other places
        return ""
    first, _, _ = wordings.partition(";")
    language, colon, wording = first.partition(":")
    return wording.strip() if colon and _VARIANT.fullmatch(language.strip()) else wordings


def _attribute(node: Any, name: str) -> str | None:
    """The value of a tag's attribute, "" if it has none; None without the attribute."""
    return str(node.get(name).value or "").strip() if node.has(name) else None


def _links(code: Any) -> list[Any]:
    return [node for node in code.nodes if type(node) is nodes.Wikilink]


def _heading_mark(level: int) -> str:
    return chr(ord(_HEADINGS[0]) - 1 + level)


def _unescaped(text: str) -> str:
    return without_marks(_MARKS.sub("", unescaped(text)))


def _tidy(text: str) -> str:
    text = _ENDS.sub("", _BEGINS.sub(r"\1", _EMPTY.sub("", text))).replace(_GAP_MARK, "").replace(_NOTE_MARK, "")
    text = _TRAILING.sub("", without_rests(resolved(_SWITCH.sub("", text))))
    text = _NO_ITEM.sub("", text)
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
    return re.sub(f"[{_HEADINGS}]", "", head + "".join(reversed(kept)))  # of those in cells
