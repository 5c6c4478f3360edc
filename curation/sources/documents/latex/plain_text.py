"""A paper's text: title, abstract, headings, paragraphs, lists and tables, with formulas as TeX.

Titles, headings, captions, items and rows are lines of their own, the cells of a row " | " apart; code stands between
fences. Formulas stay as they are written, in one line, own macros expanded: `$…$`, and displayed `$$…$$` or their
environment. What cites or refers is its keys between brackets, since numbers are known only to TeX: "[knuth84]". Left
out are what stands before the document, pictures, footnotes, authors, acknowledgements and the bibliography.
Superscripts outside of formulas are as `text/html/superscripts` has them.
"""

import re
from collections import Counter
from collections.abc import Callable

from curation.core.wording import fence
from curation.sources.documents.latex.abbreviations import Abbreviations
from curation.sources.documents.latex.expansion import Expansion
from curation.sources.documents.latex.formulas import formula
from curation.sources.documents.latex.front_matter import without_authors
from curation.sources.documents.latex.paper_files import PaperFiles
from curation.sources.documents.latex.roles import (
    FRONT_MATTER,
    HEADINGS,
    KEYS,
    MATHS,
    OPENING_ARGUMENTS,
    SIZES,
    UNSEEN_ARGUMENTS,
    UNSEEN_ENVIRONMENTS,
)
from curation.sources.documents.latex.symbols import ACCENTS, SYMBOLS, accented, ligatures
from curation.sources.documents.latex.tokens import PARAGRAPH
from curation.text.html.inline_marks import ENDED, RAISED, resolved

RAISED_COST = 64  # characters: what is written for a superscript takes time to see
MAX_PARTS = 20_000  # of a line, which are then put together
_SIZE = re.compile(
    r"[\s=]*(?:to\b)?\s*[-+]?\s*[\d.]*\s*(?:true)?(?:(?:pt|in|cm|mm|em|ex|bp|pc|sp|mu)\b)?(?:\s*(?:plus|minus)\s*[\d.]+\w\w)*"
)
_CODE_OPTIONS = re.compile(r"\A(?:\[[^\]\n]*\]|\{[^}\n]*\})*[ \t]*\n?")
_PLACE = re.compile(r"\([^()\s]{0,20}\)")
_VERB = re.compile(r"\\(?:verb|lstinline)\*?[^a-zA-Z]")
_LINE_ENDS = (r"\\", r"\newline", r"\tabularnewline", r"\cr")
_PARAGRAPH_ENDS = (r"\par", r"\smallskip", r"\medskip", r"\bigskip", r"\newpage", r"\clearpage")
_TITLES = (r"\title", r"\Title", r"\icmltitle", r"\aistatstitle", r"\abstract")
_CLOSING = {"$": "$", "$$": "$$", r"\(": r"\)", r"\[": r"\]"}
_LENGTH = re.compile(r"\A-?[\d.]*(?:pt|in|cm|mm|em|ex|bp|pc|sp|\\[a-z]+)")
_NAMES_LENGTHS = (r"\setlength", r"\addtolength", r"\settowidth", r"\newlength", r"\newsavebox")


def plain_text(files: PaperFiles, counts: Counter[str]) -> str:
    """The text of all main files. `counts` takes what was passed over. Raises ExpansionError."""
    return PARAGRAPH.join(filter(None, (_Reading(files, main, counts).text() for main in files.main)))


class _Reading:
    """Of one main file."""

    def __init__(self, files: PaperFiles, main: str, counts: Counter[str]) -> None:
        self._from = Expansion(files, main, counts)
        self._counts = counts
        self._begun = not files.has_document(main)
        self._front: list[str] = []  # what stands before the document and is read with it
        self._blocks: list[str] = []  # each with what parts it from the one before
        self._line: list[str] = []
        self._before = PARAGRAPH  # what parts the line from the block before
        self._before_item = "\n"
        self._front_left = False
        self._groups: list[bool] = []  # of each open group whether it is a block by itself
        self._in_blocks = 0  # how many are
        self._commands: dict[str, Callable[[str], None]] = {
            **Abbreviations(self._from).commands,
            **dict.fromkeys(UNSEEN_ARGUMENTS, self._unseen),
            **dict.fromkeys(HEADINGS, self._heading),
            **dict.fromkeys(KEYS, self._keys),
            **dict.fromkeys(SYMBOLS, self._symbol),
            **dict.fromkeys(ACCENTS, self._accent),
            **dict.fromkeys(SIZES, lambda _: self._from.drop_match(_SIZE)),
            **dict.fromkeys((*_LINE_ENDS, *_PARAGRAPH_ENDS), self._break),
            **dict.fromkeys(_TITLES, self._title),
            **dict.fromkeys((r"\(", r"\["), self._formula),
            **dict.fromkeys((r"\url", r"\path"), lambda _: self._line.append(self._from.words())),
            r"\begin": self._begin,
            r"\end": self._end,
            r"\bye": lambda _: self._from.stop(),
            r"\item": self._item,
            r"\ensuremath": lambda _: self._from.push(["$", *self._from.argument(), "$"]),
            r"\textsuperscript": self._raised,
            r"\twocolumn": lambda _: self._from.drop_brackets(),
            r"\urldef": lambda _: self._from.drop_named_url(),
            r"\xspace": lambda _: self._line.append(" " * self._from.peek()[:1].isalpha()),
        }

    def text(self) -> str:
        """All of it."""
        while token := self._from.next():
            kind = token[0]
            if kind == "\\":
                self._command(token)
            elif kind == "{":
                self._groups.append(False)
            elif kind == "}":
                if self._groups and self._groups.pop():
                    self._in_blocks -= 1
                    self._flush()
            elif kind == "$":
                self._formula(token)
            elif kind == "&":
                self._line.append(" | ")
            elif token == PARAGRAPH:
                self._flush()
            else:
                self._line.append(ligatures(token))
                if len(self._line) > MAX_PARTS:
                    self._line = ["".join(self._line)]
        self._flush()
        return "".join(self._blocks[1:])

    def _flush(self, before: str = PARAGRAPH) -> None:
        """Ends the line; `before` is what will part the next one from it."""
        if self._line:
            self._block(resolved(" ".join("".join(self._line).split())))
            self._line.clear()
        self._before = before

    def _block(self, text: str) -> None:
        if text != "-" and text.strip(" |"):
            self._blocks += self._before, text
        self._before = PARAGRAPH

    def _leave_front(self) -> None:
        """Drops the authors that stand in the lines so far, where the abstract or the first section begins."""
        if self._front_left or not self._begun or not self._blocks:
            return
        self._front_left = True
        stays = without_authors(self._blocks[1::2])
        self._blocks = [part for place, part in enumerate(self._blocks) if stays[place // 2]]

    def _command(self, token: str) -> None:
        act = self._commands.get(token)
        if act is not None:
            act(token)
        elif token.startswith(r"\begin{"):
            self._code(token)
        elif verb := _VERB.match(token):
            self._line.append(token[verb.end() : -1])
        else:
            self._from.option()

    def _unseen(self, command: str) -> None:
        self._from.drop_star()
        self._from.drop_options()
        self._from.drop_match(_PLACE)
        for _ in range(UNSEEN_ARGUMENTS[command]):
            self._from.drop_blanks()
            named = command.startswith(r"\@") or (command in _NAMES_LENGTHS and self._from.peek().startswith("\\"))
            if named or self._from.peek() == "{":
                self._from.argument()
            elif command in FRONT_MATTER:  # as AMS-TeX has it
                self._from.up_to([rf"\end{command[1:]}"])

    def _raised(self, _: str) -> None:
        self._from.pay(RAISED_COST)
        self._from.push([RAISED, *self._from.argument(), ENDED])

    def _heading(self, command: str) -> None:
        self._flush()
        if command in (r"\chapter", r"\section"):
            self._leave_front()
        self._from.drop_star()
        self._from.drop_blanks()
        self._from.option()
        self._from.drop_blanks()
        if self._from.peek() == "{":
            self._from.drop(1)
            self._groups.append(True)
            self._in_blocks += 1

    def _title(self, command: str) -> None:
        self._from.drop_blanks()
        self._from.option()
        self._from.drop_blanks()
        found: list[str] = []
        while self._from.peek() == "{" and (not found or command == r"\abstract"):
            found += PARAGRAPH, *self._from.argument()
            self._from.drop_blanks()
        if command == r"\abstract":
            self._flush()
            self._leave_front()
        shown = [PARAGRAPH, *found, PARAGRAPH] if command == r"\abstract" else [r"\section", "{", *found[1:], "}"]
        if self._begun:
            self._from.push(shown)
        else:
            self._front += shown

    def _keys(self, _: str) -> None:
        self._from.drop_star()
        self._from.drop_options()
        keys = ", ".join(" ".join(key.split()) for key in self._from.words().split(","))
        self._line.append(f"[{keys}]" if keys else "")

    def _symbol(self, command: str) -> None:
        self._line.append(SYMBOLS[command])
        if command[-1].isalpha():
            self._from.drop_blanks()

    def _accent(self, command: str) -> None:
        base = "".join(SYMBOLS.get(token, "" if token[0] in "\\{}" else token) for token in self._from.argument())
        if base.strip():
            self._line.append(accented(base, ACCENTS[command]))

    def _break(self, command: str) -> None:
        self._from.drop_star()
        if command in _LINE_ENDS:
            self._from.drop_blanks()
            option = self._from.option()
            if option and not _LENGTH.fullmatch("".join("".join(option).split())):
                self._from.push(["[", *option, "]"])
        if self._in_blocks:
            self._line.append(" ")
        else:
            self._flush("\n" if command in _LINE_ENDS else PARAGRAPH)

    def _item(self, _: str) -> None:
        self._flush(self._before_item)
        self._before_item = "\n"
        self._line.append("- ")
        if label := self._from.option():
            self._from.push([*label, " "])

    def _begin(self, _: str) -> None:
        name = self._from.words()
        if name == "document":
            self._begin_text()
        elif name in MATHS:
            self._formula(f"\\begin{{{name}}}")
        elif name in UNSEEN_ENVIRONMENTS:
            self._flush()
            self._from.until_end(name)
        elif name == "abstract" and not self._begun:
            self._front += PARAGRAPH, *self._from.until_end(name), PARAGRAPH
        elif f"\\{name}" in HEADINGS:  # the environment is the section
            self._heading(f"\\{name}")
        else:
            self._flush()
            self._open(name)

    def _begin_text(self) -> None:
        """Leaves out what came before, but for what is read with the text."""
        if not self._begun:
            self._begun = True
            for held in (self._blocks, self._line, self._groups):
                held.clear()
            self._in_blocks = 0
            self._from.push(self._front)

    def _open(self, name: str) -> None:
        if name == "abstract":
            self._leave_front()
        if name in ("itemize", "enumerate", "description"):
            self._before_item = PARAGRAPH
        title = self._from.theorems.get(name, "Proof" if name == "proof" else "")
        note = self._from.option()
        if title and name != "proof" and note:
            self._from.push([title, " (", *note, "). "])
        elif title:
            self._from.push([*(note or [title]), ". "])
        for _ in range(OPENING_ARGUMENTS.get(name, 0)):
            self._from.argument()

    def _end(self, _: str) -> None:
        name = self._from.words()
        if name in ("document", ""):
            self._from.stop()
        self._flush()

    def _code(self, token: str) -> None:
        self._flush()
        code = _CODE_OPTIONS.sub("", token[token.index("}") + 1 : token.rindex("\\end{")], 1).strip("\n").rstrip()
        around = fence(code)
        self._block(f"{around}\n{code}\n{around}" if code else "")

    def _formula(self, opening: str) -> None:
        if opening == "$" and self._from.peek() == "$":
            self._from.drop(1)
            opening = "$$"
        closing = _CLOSING.get(opening) or opening.replace("begin", "end", 1)
        parts, closed = formula(self._from, closing)
        tex = " ".join("".join(parts).split())
        if not closed:
            self._counts["lenient.open_formula"] += 1
            self._line.append("$" * opening.startswith("$"))
            self._from.push(parts)
        elif closing in ("$", r"\)", r"\end{math}"):
            self._line.append(tex and f"${tex}$")
            if len(self._line) > MAX_PARTS:
                self._line = ["".join(self._line)]
        elif tex:
            self._flush()
            bare = closing in ("$$", r"\]", r"\end{displaymath}")
            self._block(f"$${tex}$$" if bare else f"{opening} {tex} {closing}")
