"""Reads a formula as it is written, in TeX, own macros expanded."""

from curation.sources.documents.latex.expansion import Expansion
from curation.sources.documents.latex.tokens import PARAGRAPH

MAX_PARTS = 100_000  # tokens; a longer formula has no end
_UNSEEN = (r"\nonumber", r"\notag", r"\ensuremath")


def formula(tokens: Expansion, closing: str) -> tuple[list[str], bool]:
    """The tokens before `closing`, which is dropped, and whether it comes; between dollars, no paragraph may end."""
    tokens.in_formula = True
    parts, closed = _formula(tokens, closing)
    tokens.in_formula = False
    return parts, closed


def _formula(tokens: Expansion, closing: str) -> tuple[list[str], bool]:
    parts: list[str] = []
    depth = 0
    after_word = False
    environment = closing.startswith(r"\end")
    while token := tokens.next():
        kind = token[0]
        if kind == "\\":
            if token in (r"\begin", r"\end"):
                name = tokens.argument()
                if f"{token}{{{''.join(name).strip()}}}" == closing:
                    return parts, True
                parts += token, "{", *name, "}"
                continue
            if token == closing and (depth == 0 or closing == r"\]"):
                return parts, True
            if token in _UNSEEN:
                continue
        elif kind == "{":
            depth += 1
        elif kind == "}":
            depth -= 1
        elif kind == "$" and depth == 0 and closing[0] == "$":
            if closing == "$$" and tokens.peek() == "$":
                tokens.drop(1)
            return parts, True
        if after_word and kind.isalpha():
            parts.append(" ")
        parts.append(token)
        after_word = kind == "\\" and token[-1].isalpha()
        if depth < 0 or len(parts) > MAX_PARTS or (token == PARAGRAPH and not environment):
            break
    return parts, False
