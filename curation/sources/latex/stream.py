"""Tokens that are still to be read, and how commands take their arguments from them."""

import re
from collections.abc import Sequence

from curation.sources.latex.tokens import PARAGRAPH

PUSH = 16  # characters that putting something into the stream costs besides
MAX_OPTION = 300  # tokens between brackets
_BLANK = " \t\n"


class ExpansionError(ValueError):
    """Macros of a paper expand to more than any text."""


class TokenStream:
    """`budget`: characters that may be put into it."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._waiting: list[str] = []  # the next one last

    def push(self, added: Sequence[str]) -> None:
        """Puts tokens before the others. Raises ExpansionError when the budget is used up."""
        self._pay(sum(map(len, added)) + PUSH)
        self._waiting.extend(reversed(added))

    def stop(self) -> None:
        """Leaves out all that is left."""
        self._waiting.clear()

    def peek(self) -> str:
        """The next token as it stands; "" at the end."""
        return self._waiting[-1] if self._waiting else ""

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
        """What TeX skips behind a command: blanks, and not the end of a paragraph."""
        while (token := self.peek()) and token[0] in _BLANK and token != PARAGRAPH:
            self.drop(len(token) - len(token.lstrip(_BLANK)))

    def drop_star(self) -> None:
        """As of \\section*."""
        if self.peek().startswith("*"):
            self.drop(1)

    def argument(self) -> list[str]:
        """What a command is given: a group without its braces, else a character or a command."""
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
        """What stands between brackets, if these are next; None if not, or if they do not end soon, which costs what
        it took to see. Raises ExpansionError."""
        if self.peek() != "[":
            return None
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
        self._pay(4 * size)
        return None

    def drop_options(self) -> None:
        """All that are next."""
        while self.option() is not None:
            pass

    def environment_name(self) -> str:
        """Of the environment that begins or ends here; "" if none is named."""
        named = len(self._waiting) > 2 and self._waiting[-1] == "{" and self._waiting[-3] == "}"
        return self._waiting[-2].strip() if named else ""

    def _pay(self, cost: int) -> None:
        self._budget -= cost
        if self._budget < 0:
            raise ExpansionError

    def _group(self) -> list[str]:
        """What is left of a group; its closing brace is dropped."""
        found: list[str] = []
        depth = 1
        while self._waiting:
            token = self._waiting.pop()
            depth += (token == "{") - (token == "}")
            if depth == 0:
                break
            found.append(token)
        return found
