"""Tokens that are still to be read, and how commands take their arguments from them."""

import re
from collections.abc import Iterator, Sequence

from curation.sources.documents.latex.tokens import PARAGRAPH, token_lists

PUSH = 16  # characters that putting something into the stream costs besides
MAX_OPTION = 300  # tokens between brackets
MORE = "\\0more"  # stands for what is left of a text that is not cut into tokens yet; no token is like it
MAX_TOKENS = 3_000_000  # of all files, as in 7 MB of formulas
MAX_GROUP = 400_000  # tokens of an argument, which then ends
MAX_BRACKETS = 10_000  # tokens between those of a title over two columns
_BLANK = " \t\n"


class ExpansionError(ValueError):
    """Macros and inputs of a paper give more than any text has."""


class TokenStream:
    """`budget`: characters that may be put into it."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._waiting: list[str] = []  # the next one last
        self._uncut = MAX_TOKENS
        self._texts: list[Iterator[list[str]]] = []  # one for each MORE that waits, in the same order

    def read(self, text: str) -> None:
        """Puts the tokens of a text before the others."""
        self._texts.append(token_lists(text))
        self._waiting.append(MORE)

    def push(self, added: Sequence[str]) -> None:
        """Puts tokens before the others. Raises ExpansionError when the budget is used up."""
        self.pay(sum(map(len, added)) + PUSH)
        self._waiting.extend(reversed(added))

    def pay(self, cost: int) -> None:
        """Takes characters from the budget. Raises ExpansionError when it is used up."""
        self._budget -= cost
        if self._budget < 0:
            raise ExpansionError

    def stop(self) -> None:
        """Leaves out all that is left."""
        self._waiting.clear()
        self._texts.clear()

    def peek(self) -> str:
        """The next token as it stands; "" at the end."""
        while self._waiting:
            if self._waiting[-1] != MORE:
                return self._waiting[-1]
            self.pop()
        return ""

    def pop(self) -> str:
        """Takes the next token as it stands; "" for `MORE`, in whose place tokens of its text then wait."""
        token = self._waiting.pop()
        if token != MORE:
            return token
        self.cut_more()
        return ""

    def cut_more(self) -> None:
        """Puts the next tokens of a text in the place of its `MORE`, which was taken."""
        found = next(self._texts[-1], None)
        if found is None:
            self._texts.pop()
        else:
            self._uncut -= len(found)
            if self._uncut < 0:
                raise ExpansionError
            found.reverse()
            self._waiting.append(MORE)
            self._waiting.extend(found)

    def drop(self, size: int) -> None:
        """Drops as many characters of the next token."""
        left = self._waiting.pop()[size:]
        if left:
            self._waiting.append(left)

    def drop_match(self, pattern: re.Pattern[str]) -> None:
        """Drops what the next token begins with."""
        found = pattern.match(self.peek())
        if found and found.end():
            self.drop(found.end())

    def drop_blanks(self) -> None:
        """Skips what TeX does behind a command: blanks, and not the end of a paragraph."""
        while (token := self.peek()) and token[0] in _BLANK and token != PARAGRAPH:
            self.drop(len(token) - len(token.lstrip(_BLANK)))

    def drop_star(self) -> None:
        """As of \\section*."""
        if self.peek().startswith("*"):
            self.drop(1)

    def argument(self) -> list[str]:
        """The argument of a command: a group without its braces, else a character or a command."""
        self.drop_blanks()
        token = self.peek()
        if not token or token in ("}", PARAGRAPH):
            return []
        if token[0] != "\\" and len(token) > 1:
            self.drop(1)
            return [token[0]]
        self._waiting.pop()
        return self._group() if token == "{" else [token]

    def words(self) -> str:
        """An argument as it is written."""
        return "".join(self.argument()).strip()

    def option(self) -> list[str] | None:
        """The tokens between brackets, if these are next; None if not, or if they do not end soon, which costs what
        it took to see. Raises ExpansionError."""
        if self.peek() != "[":
            return None
        self._look_ahead(MAX_OPTION)
        depth = 0
        size = 0
        for size, token in enumerate(reversed(self._waiting[-MAX_OPTION:])):
            depth += (token == "{") - (token == "}")
            if token == "]" and depth == 0:
                found = self._waiting[-size:-1]
                del self._waiting[-size - 1 :]
                return found[::-1]
            if depth < 0 or token == PARAGRAPH:
                break
        self.pay(4 * size)
        return None

    def drop_options(self) -> None:
        """All that are next."""
        while self.option() is not None:
            pass

    def drop_brackets(self) -> None:
        """Drops the brackets that are next, and not what is between them, as of \\twocolumn[…]."""
        if self.peek() != "[":
            return
        self._waiting.pop()
        self._look_ahead(MAX_BRACKETS)
        depth = size = 0
        for size, token in enumerate(reversed(self._waiting[-MAX_BRACKETS:]), 1):
            depth += (token == "{") - (token == "}")
            if token == "]" and depth == 0:
                del self._waiting[-size]
                break
        self.pay(size)

    def drop_named_url(self) -> None:
        """Drops the arguments of \\urldef\\mail\\path|…|, by which papers name an address."""
        self.argument()
        self.argument()
        around = self.peek()[:1]
        if around == "{":
            self.argument()
        elif around:
            self.drop(1)
            self.up_to([around])

    def up_to(self, delimiter: Sequence[str]) -> list[str]:
        """The tokens before a macro's delimiter, which is dropped with it; none if that is not near."""
        found: list[str] = []
        depth = 0
        first = delimiter[0] if delimiter else ""
        while first and (token := self.peek()) and len(found) < MAX_OPTION:
            ends = depth == 0 and (token == first or token[0] != "\\")
            before, here, _ = token.partition(first) if ends else (token, "", "")
            self.drop(len(before + here))
            found += [before] if before else []
            if here:
                for part in delimiter[1:]:
                    self.drop(len(part) * self.peek().startswith(part))
                return found
            depth += (token == "{") - (token == "}")
            if token == PARAGRAPH or depth < 0:
                break
        self.push(found)
        return []

    def environment_name(self) -> str:
        """The name of the environment that begins or ends here; "" if none is named."""
        self._look_ahead(3)
        named = len(self._waiting) > 2 and self._waiting[-1] == "{" and self._waiting[-3] == "}"
        return self._waiting[-2].strip() if named else ""

    def _look_ahead(self, count: int) -> None:
        """Cuts texts until that many tokens wait, if there are so many."""
        while MORE in (near := self._waiting[-count:]):
            above = near[len(near) - near[::-1].index(MORE) :]
            del self._waiting[-len(above) - 1 :]
            self.cut_more()
            self._waiting.extend(above)

    def _group(self) -> list[str]:
        """The rest of a group; its closing brace is dropped."""
        found: list[str] = []
        depth = 1
        while self._waiting:
            token = self.pop()
            depth += (token == "{") - (token == "}")
            if depth == 0:
                break
            if token:
                found.append(token)
            if len(found) >= MAX_GROUP:
                break
        return found
