"""Patterns in the syntax of RE2, which Go uses, as patterns for Python's `re` that match the same texts.

They differ in what `$` and `\\s` match, in where flags may stand, in named classes and in a few escapes. Compiled with
re.ASCII, as RE2's classes are of ASCII. With (?i), RE2 also takes ſ for s and the Kelvin sign for k; Python's does not.
Source: github.com/google/re2/wiki/Syntax, docs.python.org/3/library/re.html
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

_CLASSES = {
    **{"alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ", "cntrl": r"\x00-\x1f\x7f"},
    **{"digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~"},
    **{"space": r"\t\n\v\f\r ", "upper": "A-Z", "word": r"\w", "xdigit": "0-9A-Fa-f"},
}
# RE2's \s does not match a vertical tab
_SPACES = r"\t\n\f\r "
_NO_SPACES = r"\S\v"
_FLAGS = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_NAMED = re.compile(r"\(\?P?<(\w+)>")
_REPEAT = re.compile(r"\{\d+(,\d*)?\}")
_HEXADECIMAL = re.compile(r"\\x\{([0-9A-Fa-f]+)\}|\\x([0-9A-Fa-f]{2})")


@dataclass
class _Group:
    multiline: bool
    scopes: list[str] = field(default_factory=list)  # "(?i:" and the like, opened by flags in the group's middle


def compile_re2(pattern: str) -> re.Pattern[str]:
    """The compiled pattern. Raises ValueError for what Python's `re` cannot do; the message begins with a verb."""
    try:
        return re.compile(translated(pattern), re.ASCII)
    except (re.error, OverflowError) as error:
        raise ValueError(f"is no pattern: {error}") from error


def translated(pattern: str) -> str:
    """The pattern for Python's `re` with re.ASCII. Raises ValueError."""
    out: list[str] = []
    groups = [_Group(multiline=False)]
    at = 0
    while at < len(pattern):
        piece, at = _READ.get(pattern[at], _literal)(pattern, at, groups)
        out.append(piece)
    return "".join(out) + ")" * len(groups[0].scopes)


def _literal(pattern: str, at: int, groups: list[_Group]) -> tuple[str, int]:
    return pattern[at], at + 1


def _open(pattern: str, at: int, groups: list[_Group]) -> tuple[str, int]:
    multiline = groups[-1].multiline
    if flags := _FLAGS.match(pattern, at):
        on = flags[1]
        off = flags[2] or ""
        end = flags[3]
        if "U" in on + off:
            raise ValueError("has the flag U, which Python's patterns lack")
        multiline = (multiline or "m" in on) and "m" not in off
        scope = f"(?{on}{'-' if off else ''}{off}:" if on or off else "(?:"
        if end == ":":
            groups.append(_Group(multiline))
        else:
            groups[-1].multiline = multiline
            groups[-1].scopes.append(scope)
        return scope, flags.end()
    groups.append(_Group(multiline))
    if named := _NAMED.match(pattern, at):
        return f"(?P<{named[1]}>", named.end()
    if pattern.startswith("(?", at):
        raise ValueError(f"has the group {pattern[at : at + 4]!r}, which RE2 does not know")
    return "(", at + 1


def _close(pattern: str, at: int, groups: list[_Group]) -> tuple[str, int]:
    if len(groups) == 1:
        raise ValueError("is no pattern: unbalanced parenthesis")
    return ")" * len(groups.pop().scopes) + ")", at + 1


def _alternative(pattern: str, at: int, groups: list[_Group]) -> tuple[str, int]:
    """Flags set in the middle of a group hold for its later alternatives too."""
    scopes = groups[-1].scopes
    return f"{')' * len(scopes)}|{''.join(scopes)}", at + 1


def _end(pattern: str, at: int, groups: list[_Group]) -> tuple[str, int]:
    return "$" if groups[-1].multiline else r"\Z", at + 1


def _brace(pattern: str, at: int, groups: list[_Group]) -> tuple[str, int]:
    repeat = _REPEAT.match(pattern, at)
    return (repeat[0], repeat.end()) if repeat else (r"\{", at + 1)


def _escape(pattern: str, at: int, groups: list[_Group]) -> tuple[str, int]:
    sign = pattern[at + 1 : at + 2]
    if sign == "Q":
        end = pattern.find(r"\E", at)
        end = len(pattern) if end < 0 else end
        return re.escape(pattern[at + 2 : end]), end + 2
    whole = {"s": f"[{_SPACES}]", "S": f"[{_NO_SPACES}]", "z": r"\Z"}
    return (whole[sign], at + 2) if sign in whole else _escaped(pattern, at)


def _escaped(pattern: str, at: int) -> tuple[str, int]:
    """An escape that means the same inside and outside of a class."""
    sign = pattern[at + 1 : at + 2]
    if code := _HEXADECIMAL.match(pattern, at):
        return re.escape(chr(int(code[1] or code[2], 16))), code.end()
    if sign in "pPC" or sign.isdecimal():
        raise ValueError(f"has \\{sign}, which Python's patterns lack or read otherwise")
    return f"\\{sign}", at + 2


def _class(pattern: str, at: int, groups: list[_Group]) -> tuple[str, int]:
    out = ["[^" if pattern.startswith("[^", at) else "["]
    at += len(out[0])
    first = at
    while at < len(pattern) and (pattern[at] != "]" or at == first):
        if named := re.match(r"\[:(\^?)(\w+):\]", pattern[at:]):
            if named[1] or named[2] not in _CLASSES:
                raise ValueError(f"has the class {named[0]}, which Python's patterns lack")
            out.append(_CLASSES[named[2]])
            at += named.end()
        elif pattern[at] == "\\":
            inside = {"s": _SPACES, "S": _NO_SPACES}.get(pattern[at + 1 : at + 2])
            piece, at = (inside, at + 2) if inside else _escaped(pattern, at)
            out.append(piece)
        else:
            out.append(f"\\{pattern[at]}" if pattern[at] in "[]&|~" else pattern[at])
            at += 1
    return "".join(out) + "]", at + 1


_READ: dict[str, Callable[[str, int, list[_Group]], tuple[str, int]]] = {
    **{"(": _open, ")": _close, "|": _alternative, "$": _end, "{": _brace, "\\": _escape, "[": _class}
}
