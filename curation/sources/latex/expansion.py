"""A stream of tokens in which own macros are expanded, inputs merged and conditions followed, within a budget.

Definitions hold for all that follows them, whatever group they stand in. Those with delimiters between their parameters
are passed over and counted, and the macro then shows its arguments. A condition that only TeX could decide is true.
An input is a file of the same paper or none: what leads elsewhere, and what is not there, is counted.

Source: Knuth 1984, "The TeXbook", chapter 20; Lamport 1994, "LaTeX: A Document Preparation System", C.8.
"""

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from curation.sources.latex.paper_files import PaperFiles
from curation.sources.latex.roles import HEADINGS, KEYS
from curation.sources.latex.stream import ExpansionError, TokenStream
from curation.sources.latex.tokens import tokens

MIN_BUDGET = 1 << 20  # characters that macros and inputs may put into the stream; eight times the paper's, if more
MAX_INPUTS = 2_000
# which keep their meaning, whatever a paper makes of them
_FIXED = HEADINGS | KEYS | {r"\title", r"\abstract", r"\label", r"\footnote", r"\item", r"\par", r"\begin", r"\end"}
_COMMANDS = (r"\newcommand", r"\renewcommand", r"\providecommand", r"\DeclareRobustCommand")
_INPUTS = (r"\input", r"\include", r"\subfile", r"\import", r"\subimport", r"\usepackage")
_NO_CONDITION = (r"\iff", r"\ifthenelse")
_PARAMETERS = re.compile(r"(?:#[1-9])*\s*")
_NAME_END = re.compile(r"[\s=]+")
_FILE_NAME = re.compile(r"[^\s\\{}]+")


class Macro(NamedTuple):
    """`default` is that of the first parameter where it is optional."""

    parameters: int
    default: list[str] | None
    body: list[str]


class Expansion(TokenStream):
    """The tokens of a paper from one of its files on. `counts` takes what was passed over."""

    def __init__(self, files: PaperFiles, main: str, counts: Counter[str]) -> None:
        super().__init__(max(MIN_BUDGET, 8 * files.size) // len(files.main))
        self._files = files
        self._main = main
        self._counts = counts
        # a string is the command of TeX that a name stands for
        self._macros: dict[str, Macro | str] = {r"\texorpdfstring": Macro(2, None, ["#1"])}
        self._environments: dict[str, tuple[Macro, list[str]]] = {}
        self._inputs = 0
        self.in_formula = False  # which the reader tells, since macros ask
        self.theorems: dict[str, str] = {}  # environment -> what it is called
        self._acts: dict[str, Callable[[str], None]] = {
            **dict.fromkeys(_COMMANDS, self._command),
            **dict.fromkeys((r"\def", r"\gdef", r"\edef", r"\xdef"), self._def),
            **dict.fromkeys((r"\newenvironment", r"\renewenvironment"), self._environment),
            **dict.fromkeys(_INPUTS, self._input),
            r"\let": self._let,
            r"\DeclareMathOperator": self._operator,
            r"\newtheorem": self._theorem,
            r"\newif": self._switch,
            r"\iffalse": lambda _: self._skip_branch(until_else=True),
            r"\ifmmode": lambda _: None if self.in_formula else self._skip_branch(until_else=True),
            **dict.fromkeys((r"\iftrue", r"\fi"), lambda _: None),
            r"\else": lambda _: self._skip_branch(until_else=False),
        }
        self.push(tokens(files.texts[main]))

    def next(self) -> str:
        """The next token of what is left when all that can be expanded is; "" at the end."""
        while self._waiting:
            token = self._waiting.pop()
            if token[0] != "\\":
                return token
            macro = self._macros.get(token)
            if isinstance(macro, Macro):
                self._expand(macro)
                continue
            token = macro or token
            act = self._acts.get(token)
            if act is not None:
                act(token)
            elif token not in (r"\begin", r"\end") or not self._begin_or_end(token):
                return token
        return ""

    def until_end(self, name: str) -> list[str]:
        """What is left of an environment, expanded; its end is dropped."""
        found: list[str] = []
        depth = 1
        while token := self.next():
            if token in (r"\begin", r"\end") and self.environment_name() == name:
                depth += 1 if token == r"\begin" else -1
                if depth == 0:
                    self.argument()
                    return found
            found.append(token)
        self._counts["lenient.open_environment"] += 1
        return found

    def _expand(self, macro: Macro) -> None:
        arguments: list[list[str]] = []
        if macro.default is not None:
            self.drop_blanks()
            given = self.option()
            arguments.append(macro.default if given is None else given)
        while len(arguments) < macro.parameters:
            arguments.append(self.argument())
        if not macro.parameters:
            self.push(macro.body)
            return
        body: list[str] = []
        for token in macro.body:
            if token[0] != "#" or len(token) < 2:
                body.append(token)
            elif token[1] == "#":
                body.append(token[1:])
            elif int(token[1]) <= macro.parameters:
                body += arguments[int(token[1]) - 1]
                if len(body) > self._budget:
                    raise ExpansionError
        self.push(body)

    def _begin_or_end(self, token: str) -> bool:
        """Whether an own environment begins or ends here, which is then expanded."""
        own = self._environments.get(self.environment_name())
        if own is None:
            return False
        self.argument()
        if token == r"\begin":
            self._expand(own[0])
        else:
            self.push(own[1])
        return True

    def _name(self) -> str:
        """Of the macro that is defined here, with or without braces around it."""
        self.drop_star()
        return self.words()

    def _define(self, name: str, macro: Macro | str) -> None:
        if name not in _FIXED and name not in self._acts:
            self._macros[name] = macro

    def _signature(self) -> tuple[int, list[str] | None]:
        """Number of parameters, and the default of the first."""
        count = "".join(self.option() or ()).strip()
        self.drop_blanks()
        default = self.option()
        return (int(count) if re.fullmatch("[1-9]", count) else 0), default

    def _command(self, _: str) -> None:
        name = self._name()
        self.drop_blanks()
        self._define(name, Macro(*self._signature(), self.argument()))

    def _environment(self, _: str) -> None:
        name = self._name()
        self.drop_blanks()
        self._environments[name] = (Macro(*self._signature(), self.argument()), self.argument())

    def _def(self, _: str) -> None:
        name = self._name()
        stated: list[str] = []
        while (token := self.peek()) and token != "{":
            stated.append(self._waiting.pop())
        body = self.argument()
        parameters = "".join(stated)
        if _PARAMETERS.fullmatch(parameters):
            self._define(name, Macro(parameters.count("#"), None, body))
        else:
            self._counts["lenient.delimited_macro"] += 1

    def _let(self, _: str) -> None:
        name = self._name()
        self.drop_match(_NAME_END)
        if self.peek() not in ("{", "}"):
            meaning = self.words()
            self._define(name, self._macros.get(meaning, meaning))

    def _operator(self, _: str) -> None:
        name = self._name()
        self._define(name, Macro(0, None, [r"\operatorname", "{", *self.argument(), "}"]))

    def _theorem(self, _: str) -> None:
        name = self._name()
        self.option()
        self.theorems[name] = self.words()
        self.option()

    def _switch(self, _: str) -> None:
        """\\newif\\ifdraft makes \\drafttrue and \\draftfalse; until one of these it is false."""
        name = self._name()
        word = name.removeprefix(r"\if")
        self._define(name, r"\iffalse")
        for value in ("true", "false") if name.startswith(r"\if") else ():
            self._define(f"\\{word}{value}", Macro(0, None, [r"\let", name, rf"\if{value}"]))

    def _skip_branch(self, *, until_else: bool) -> None:
        depth = 1
        while self._waiting and depth:
            token = self._waiting.pop()
            if token == r"\else" and depth == 1 and until_else:
                return
            if token == r"\fi":
                depth -= 1
            elif token.startswith(r"\if") and token not in _NO_CONDITION:
                depth += 1

    def _input(self, command: str) -> None:
        package = command == r"\usepackage"
        if package:
            self.option()
        folder = self.words() if "import" in command else ""
        self.drop_blanks()
        if self.peek() == "{":
            names = self.words()
        else:  # \input name, up to a blank
            found = _FILE_NAME.match(self.peek())
            names = found[0] if found else ""
            self.drop_match(_FILE_NAME)
        for name in names.split(",") if package else [names]:
            self._inputs += 1
            if self._inputs > MAX_INPUTS:
                raise ExpansionError
            path = self._files.found(folder + name.strip() + ".sty" * package, self._main)
            if path is not None:
                self._pay(len(self._files.texts[path]))  # of comments too, which take time
                self._waiting.extend(reversed(tokens(self._files.input_text(path))))
            elif not package:
                self._counts["lenient.input_missing"] += 1
