"""Conditions of TeX and of the usual packages: which branch is read, and where a branch that is not read ends.

What the paper itself decides is followed: its switches, its macros by \\ifx and \\ifdefined, numbers. A condition that
only TeX could decide is true. Papers call macros \\if… too: in a branch that is not read, a command is a condition if
TeX has it, if the paper made it by \\newif, or if it only looks like one and no argument follows it. Where no \\fi
follows, the branch is read after all and counted.

Source: Knuth 1984, "The TeXbook", chapter 20; The LaTeX Project, "ifthen"; Lehman and Wright, "etoolbox".
"""

import operator
import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from curation.sources.documents.latex.stream import TokenStream

MAX_SKIPPED = 200_000  # tokens of a branch
DEFINITION = 64  # characters that a definition costs
MAX_OPEN = 10  # branches without an end; after so many all are read
DEFINERS = frozenset(
    f"\\{name}"
    for name in "def gdef edef xdef let newcommand renewcommand providecommand DeclareRobustCommand newif string "
    "noexpand".split()
)
_CONDITIONS = frozenset(
    f"\\if{name}"
    for name in " cat x num dim odd vmode hmode mmode inner void hbox vbox eof true false case defined csname fontchar "
    "incsname pdf xetex luatex PDFTeX XeTeX LuaTeX".split(" ")
)
_NEW_SWITCHES = (r"\newboolean", r"\newbool", r"\newtoggle")
_SET_SWITCHES = (r"\setboolean", r"\setbool", r"\settoggle")
_NUMBER = re.compile(r"\A\s*([-+]?[0-9]{1,9}(?:\.[0-9]{1,9})?)(?:pt|in|cm|mm|em|ex|sp)? ?")
_RELATION = re.compile(r"\A\s*([<=>])")
_RELATIONS: dict[str, Callable[[float, float], bool]] = {"<": operator.lt, "=": operator.eq, ">": operator.gt}


class Macro(NamedTuple):
    """`default` is that of the first parameter where it is optional. `delimiters` stand before the first parameter and
    behind each, none for most macros."""

    parameters: int
    default: list[str] | None
    body: list[str]
    delimiters: tuple[list[str], ...] = ()


class Conditions(TokenStream):
    """`counts` takes branches without an end."""

    def __init__(self, budget: int, counts: Counter[str]) -> None:
        super().__init__(budget)
        self._counts = counts
        # a string is the command of TeX that a name stands for
        self._macros: dict[str, Macro | str] = {}
        self._switches: set[str] = set()  # as "\\ifdraft"
        self._open = 0
        self.in_formula = False  # which the reader tells, since macros ask
        self.decisions: dict[str, Callable[[str], None]] = {
            r"\iffalse": lambda _: self.skip_branch(until_else=True),
            r"\else": lambda _: self.skip_branch(until_else=False),
            **dict.fromkeys((r"\iftrue", r"\fi"), lambda _: None),
            r"\ifmmode": lambda _: self._follow(self.in_formula),
            r"\ifdefined": lambda _: self._follow(self.pop_token() in self._macros),
            r"\ifcsname": lambda _: self._follow(self.csname() in self._macros),
            r"\ifx": lambda _: self._follow(self._same()),
            **dict.fromkeys((r"\if", r"\ifcat"), lambda _: self._follow(self._character() == self._character())),
            **dict.fromkeys((r"\ifnum", r"\ifdim"), lambda _: self._follow(self._compared())),
            r"\ifodd": lambda _: self._follow(self._number() != 0),
            r"\ifcase": lambda _: self._follow(self._number() in (None, 0)),
            r"\newif": lambda _: self._switch(self._name()),
            **dict.fromkeys(_NEW_SWITCHES, lambda _: self._switch(rf"\if{self.words()}")),
            **dict.fromkeys(_SET_SWITCHES, lambda _: self._set(self.words(), self.words())),
            **dict.fromkeys((r"\booltrue", r"\toggletrue"), lambda _: self._set(self.words(), "true")),
            **dict.fromkeys((r"\boolfalse", r"\togglefalse"), lambda _: self._set(self.words(), "false")),
            r"\@ifundefined": lambda _: self._choose(rf"\{self.words()}" not in self._macros),
            r"\IfValueTF": lambda _: self._choose(bool(self.words())),
            r"\IfNoValueTF": lambda _: self._choose(not self.words()),
            r"\ifthenelse": lambda _: self._choose(self._holds(self.argument())),
            **dict.fromkeys((r"\ifbool", r"\iftoggle"), lambda _: self._choose(self._is_on(self.words()))),
        }

    def skip_branch(self, *, until_else: bool) -> None:
        """Leaves out what follows up to its \\fi, or its \\else."""
        if self._open >= MAX_OPEN:
            return
        skipped: list[str] = []
        depth = 1
        while self._waiting and len(skipped) < MAX_SKIPPED:
            token = self.pop()
            if not token:
                continue
            if token == r"\else" and depth == 1 and until_else:
                return
            if token == r"\fi":
                depth -= 1
                if depth == 0:
                    return
            elif token.startswith(r"\if"):
                depth += self._begins_condition(token, skipped)
            skipped.append(token)
        self._counts["lenient.open_condition"] += 1
        self._open += 1
        self._waiting.extend(reversed(skipped))

    def pop_token(self) -> str:
        """Takes the next token that is no blank; "" at the end."""
        self.drop_blanks()
        return self.pop() if self.peek() else ""

    def csname(self) -> str:
        """Takes what is left of \\csname…\\endcsname: the command that it names."""
        parts: list[str] = []
        while (token := self.peek()) and len(parts) < 50:
            self._waiting.pop()
            if token == r"\endcsname":
                break
            meaning = self._macros.get(token)
            parts += meaning.body if isinstance(meaning, Macro) else [token]
        return "\\" + "".join(parts).strip()

    def _begins_condition(self, token: str, before: list[str]) -> bool:
        """Whether a command in a branch that is not read needs a \\fi."""
        near = next((one for one in reversed(before[-3:]) if one not in ("{", "*") and not one.isspace()), "")
        if near in DEFINERS:
            return False
        if token in self._switches or token in _CONDITIONS:
            return True
        return token not in self._macros and token not in self.decisions and token != r"\iff" and self.peek() != "{"

    def _name(self) -> str:
        """The name of the macro that is defined here, with or without braces around it."""
        self.drop_star()
        return self.words()

    def _follow(self, holds: bool) -> None:
        if not holds:
            self.skip_branch(until_else=True)

    def _choose(self, holds: bool) -> None:
        """Goes on with the first or the second of two arguments."""
        branches = self.argument(), self.argument()
        self.push(branches[0 if holds else 1])

    def _same(self) -> bool:
        one = self._meaning()
        other = self._meaning()
        return one == other or (isinstance(one, str) and isinstance(other, str) and one[:1] == other[:1] == "\\")

    def _character(self) -> str:
        """The next one, which may be what a macro stands for."""
        self.drop_blanks()
        token = self.peek()
        if token.startswith("\\"):
            self.pop()
            self.drop_blanks()
            return self._stated(token)
        self.drop(1)
        return token[:1]

    def _meaning(self) -> Macro | str:
        """The macro that the next token names, else the token. Commands that the paper does not have are alike."""
        self.drop_blanks()
        token = self.peek()
        if token and token[0] != "\\":
            self.drop(1)
            return token[0]
        token = self.pop_token()
        if token in (r"\empty", r"\@empty"):
            return Macro(0, None, [])
        return self._macros.get(token, token)

    def _compared(self) -> bool:
        one = self._number()
        found = _RELATION.match(self.peek())
        self.drop_match(_RELATION)
        other = self._number()
        return one is None or other is None or not found or _RELATIONS[found[1]](one, other)

    def _number(self) -> float | None:
        """Takes a number or a length; None for one that only TeX knows."""
        token = self.peek()
        if token.startswith("\\"):
            self.pop()
            if token == r"\value":
                self.argument()
            found = _NUMBER.fullmatch(self._stated(token))
        else:
            found = _NUMBER.match(token)
            self.drop_match(_NUMBER)
        return float(found[1]) if found else None

    def _switch(self, name: str) -> None:
        """\\newif\\ifdraft makes \\drafttrue and \\draftfalse; until one of these it is false."""
        self.pay(4 * DEFINITION)
        self._switches.add(name)
        self._macros[name] = r"\iffalse"
        for value in ("true", "false") if name.startswith(r"\if") else ():
            word = name.removeprefix(r"\if")
            self._macros[f"\\{word}{value}"] = Macro(0, None, [r"\let", name, rf"\if{value}"])

    def _set(self, name: str, value: str) -> None:
        self._macros[rf"\if{name}"] = r"\iftrue" if value == "true" else r"\iffalse"

    def _is_on(self, name: str) -> bool:
        return self._macros.get(rf"\if{name}") != r"\iffalse"

    def _holds(self, test: list[str]) -> bool:
        """A test of \\ifthenelse: a switch, or whether two texts are alike; others are true."""
        stated = "".join(test)
        denied = r"\NOT" in test or r"\not" in test
        switch = re.search(r"\\boolean\s*\{([^{}]*)\}", stated)
        texts = re.search(r"\\equal\s*\{([^{}]*)\}\s*\{([^{}]*)\}", stated)
        if switch:
            return self._is_on(switch[1].strip()) != denied
        if texts:
            one, other = (self._stated(text) for text in texts.groups())
            return (one == other) != denied
        return True

    def _stated(self, text: str) -> str:
        """A text, or that for which a macro stands."""
        meaning = self._macros.get(text.strip())
        return "".join(meaning.body) if isinstance(meaning, Macro) else text.strip()
