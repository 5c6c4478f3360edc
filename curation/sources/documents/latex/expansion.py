"""A stream of tokens in which own macros are expanded, inputs merged and conditions followed, within a budget.

Definitions hold for all that follows them, whatever group they stand in. Those with delimiters between their parameters
are passed over and counted, and the macro then shows its arguments. A macro that comes back to itself, which ends only
where TeX runs it, stays as it is written, and each use of it is counted. An input is a file of the same paper or none:
what leads elsewhere, and what is not there, is counted.

Source: Knuth 1984, "The TeXbook", chapter 20; Lamport 1994, "LaTeX: A Document Preparation System", C.8.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from curation.sources.documents.latex.conditions import DEFINERS, DEFINITION, Conditions, Macro
from curation.sources.documents.latex.paper_files import PaperFiles
from curation.sources.documents.latex.roles import HEADINGS, KEYS, MATHS, UNSEEN_ENVIRONMENTS
from curation.sources.documents.latex.stream import MORE, ExpansionError

MIN_BUDGET = 1 << 20  # characters that macros and inputs may put into the stream; eight times the paper's, if more,
MAX_BUDGET = 8 << 20  # and no more than that
MAX_STATED = 50  # tokens of a macro's parameters
MAX_LOOKED = 2_000  # commands that are looked at to see whether a macro comes back to itself
MAX_INPUTS = 2_000
# which keep their meaning, whatever a paper makes of them
_FIXED = (
    HEADINGS
    | KEYS
    | {rf"\{name}" for name in "title abstract label footnote item par begin end maketitle @maketitle".split()}
    | {
        rf"\{name}"
        for name in "author thanks address email affil affiliation altaffiltext altaffilmark institute".split()
    }
)
_COMMANDS = (r"\newcommand", r"\renewcommand", r"\providecommand", r"\DeclareRobustCommand")
_DOCUMENT_COMMANDS = tuple(rf"\{word}DocumentCommand" for word in ("New", "Renew", "Provide", "Declare"))
_ARGUMENTS = re.compile(r"\A(?:([oO])(?:\{([^{}]*)\})?)?((?:\+?m)*)")
_INPUTS = (r"\input", r"\include", r"\subfile", r"\import", r"\subimport", r"\usepackage")
_FIXED_ENVIRONMENTS = MATHS | UNSEEN_ENVIRONMENTS | {"document", "abstract", "itemize", "enumerate", "description"}
MESSAGES = (r"\typeout", r"\message", r"\errmessage", r"\wlog", r"\show")
BOXES = frozenset((r"\setbox", r"\futurelet", r"\mathaccent"))  # in what TeX draws, as a wide accent
_NAME_END = re.compile(r"[\s=]+")
_FILE_NAME = re.compile(r"[^\s\\{}]+")


class Expansion(Conditions):
    """The tokens of a paper from one of its files on. `counts` takes what was passed over."""

    def __init__(self, files: PaperFiles, main: str, counts: Counter[str]) -> None:
        super().__init__(max(MIN_BUDGET, min(8 * files.size, MAX_BUDGET)) // len(files.main), counts)
        self._files = files
        self._main = main
        self._macros[r"\texorpdfstring"] = Macro(2, None, ["#1"])
        self._environments: dict[str, tuple[Macro, list[str]]] = {}
        self._named: dict[str, tuple[str, ...]] = {}  # macro -> the commands that it runs
        self._inputs = 0
        self.theorems: dict[str, str] = {}  # environment -> what it is called
        self._acts: dict[str, Callable[[str], None]] = {
            MORE: lambda _: self.cut_more(),
            **self.decisions,
            **dict.fromkeys(_COMMANDS, self._command),
            **dict.fromkeys((r"\def", r"\gdef", r"\edef", r"\xdef"), self._def),
            **dict.fromkeys((r"\newenvironment", r"\renewenvironment"), self._environment),
            **dict.fromkeys(_INPUTS, self._input),
            **dict.fromkeys(_DOCUMENT_COMMANDS, self._document_command),
            r"\let": self._let,
            r"\csname": lambda _: self.push([self.csname()]),
            **dict.fromkeys((r"\string", r"\noexpand"), self._drop_token),
            r"\@ifnextchar": self._next_character,
            r"\@ifstar": lambda _: self._look("*", star=True),
            r"\DeclareMathOperator": self._operator,
            r"\newtheorem": self._theorem,
        }
        self.read(files.texts[main])

    def next(self) -> str:
        """The next token of what is left when all that can be expanded is; "" at the end."""
        while self._waiting:
            token = self._waiting.pop()
            if token[0] != "\\":
                return token
            macro = self._macros.get(token)
            if macro is not None:
                if isinstance(macro, Macro):
                    self._expand(macro)
                    continue
                if macro == token:
                    self._counts["lenient.endless_macro"] += 1
                token = macro
            act = self._acts.get(token)
            if act is not None:
                act(token)
            elif token not in (r"\begin", r"\end") or not self._begin_or_end(token):
                return token
        return ""

    def until_end(self, name: str) -> list[str]:
        """The rest of an environment, expanded; its end is dropped."""
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
        if macro.delimiters:
            self.drop_blanks()
        for place, delimiter in enumerate(macro.delimiters):
            found = self.up_to(delimiter) if delimiter else self.argument() if place else []
            arguments += [found] if place else []
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
        name = self.environment_name()
        own = self._environments.get(name)
        begins = self._macros.get(f"\\{name}")
        if own is None and isinstance(begins, Macro) and f"\\end{name}" in self._macros:
            own = begins, [f"\\end{name}"]
        if own is None:
            return False
        self.argument()
        if token == r"\begin":
            self._expand(own[0])
        else:
            self.push(own[1])
        return True

    def _define(self, name: str, macro: Macro | str) -> None:
        if name in _FIXED or (name in self._acts and name not in self._switches):
            return
        if isinstance(macro, Macro) and macro.parameters and not BOXES.isdisjoint(macro.body):
            macro = macro._replace(body=["{", "#1", "}"]) if "@" in name else name
        self.pay(DEFINITION)
        self._macros[name] = macro
        self._named[name] = tuple(dict.fromkeys(_named(macro.body))) if isinstance(macro, Macro) else ()
        if self._comes_back(name):
            self._macros[name] = name

    def _comes_back(self, name: str) -> bool:
        """Whether a macro would expand to itself, by what is defined so far."""
        waiting = [name]
        seen: set[str] = set()
        looked = 0
        while waiting and looked < MAX_LOOKED:
            named = self._named.get(waiting.pop(), ())
            looked += len(named)
            if name in named:
                return True
            waiting += [one for one in named if one not in seen and isinstance(self._macros.get(one), Macro)]
            seen.update(named)
        self.pay(looked)
        return False

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

    def _document_command(self, _: str) -> None:
        name = self._name()
        spec = _ARGUMENTS.fullmatch("".join(self.words().split()))
        body = self.argument()
        if spec:
            default = [*filter(None, [spec[2]])] if spec[1] else None
            self._define(name, Macro(spec[3].count("m") + bool(spec[1]), default, body))

    def _environment(self, _: str) -> None:
        name = self._name()
        self.drop_blanks()
        own = (Macro(*self._signature(), self.argument()), self.argument())
        if name not in _FIXED_ENVIRONMENTS:
            self._environments[name] = own

    def _def(self, _: str) -> None:
        name = self._name()
        stated: list[str] = []
        while (token := self.peek()) and token != "{" and len(stated) < MAX_STATED:
            stated.append(self.pop())
        body = self.argument()
        parts = _delimiters(stated)
        if parts is None:
            self._counts["lenient.delimited_macro"] += 1
        else:
            self._define(name, Macro(len(parts) - 1, None, body, tuple(parts) if any(parts) else ()))

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
                self.pay(len(self._files.texts[path]))  # of comments too, which take time
                self.read(self._files.input_text(path))
            elif not package and not self._files.has_picture(folder + name.strip(), self._main):
                self._counts["lenient.input_missing"] += 1

    def _drop_token(self, _: str) -> None:
        self.pop_token()

    def _next_character(self, _: str) -> None:
        """\\@ifnextchar: one of two arguments, by the character behind them."""
        wanted = self.argument()
        self._look("{" if wanted == [r"\bgroup"] else "".join(wanted))

    def _look(self, wanted: str, *, star: bool = False) -> None:
        branches = self.argument(), self.argument()
        self.drop_blanks()
        found = bool(wanted) and self.peek().startswith(wanted)
        if found and star:
            self.drop(1)
        self.push(branches[0 if found else 1])


def _delimiters(stated: list[str]) -> list[list[str]] | None:
    """The delimiters before the first parameter and behind each; None if these are not #1, #2 and so on."""
    parts: list[list[str]] = [[]]
    for token in stated:
        if token[0] != "#":
            parts[-1] += [token] if token.strip() else []
        elif token == f"#{len(parts)}":
            parts.append([])
        else:
            return None
    return parts


def _named(body: list[str]) -> Iterator[str]:
    """The commands that a body of a macro runs: not those that it defines, nor those in a message."""
    before = ""
    message = 0  # open braces since one began
    for token in body:
        if message or before in MESSAGES:
            message += (token == "{") - (token == "}")
        elif token[0] == "\\" and before not in DEFINERS:
            yield token
        if token not in ("{", "*") and not token.isspace():
            before = token
