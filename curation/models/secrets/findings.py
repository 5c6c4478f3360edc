"""The secrets of one rule in a piece of a text: matches, groups, entropy and allowlists, as gitleaks judges them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from curation.models.secrets.rule import Allowlist, SecretRule, entropy_of
from curation.text.kernels.buffers import Bytes


@dataclass(frozen=True, order=True)
class Finding:
    """A secret: bytes [start, end) of a document's text, the number of its rule, and its entropy (bits a character)."""

    document: int
    start: int
    end: int
    rule: int
    entropy: float


@dataclass(frozen=True)
class RuleSearch:
    """A rule, its number, and the allowlists of the rule and of all rules of its file."""

    number: int
    rule: SecretRule
    allowlists: tuple[Allowlist, ...]


def findings_in(
    sought: RuleSearch, document: int, piece: str, start: int, whole: tuple[Bytes, int, int], urls: pa.Array
) -> Iterator[Finding]:
    """The secrets of one rule in a piece of a document, which begins at byte `start` of the buffer; `whole` is the
    buffer with the bounds of the document."""
    rule = sought.rule
    allowlists = sought.allowlists
    path: str | None = None
    for match in rule.pattern.finditer(piece):
        if path is None:
            path = _path(urls, document)
            if any(one.allows_path(path) for one in allowlists) or not _wanted(rule, path):
                return
        secret, at = _secret(rule, match)
        begin = start + _size(piece[:at])
        end = begin + _size(secret)
        entropy = entropy_of(secret) if secret else 0.0
        if end == begin or (rule.entropy and entropy <= rule.entropy):
            continue
        line = _line(*whole, begin, end) if any(one.target == "line" for one in allowlists) else ""
        if not any(one.allows(secret, match[0].strip("\n"), line, path) for one in allowlists):
            yield Finding(document, begin - whole[1], end - whole[1], sought.number, entropy)


def _secret(rule: SecretRule, match: re.Match[str]) -> tuple[str, int]:
    """The secret in a match, and where it begins. As gitleaks does, groups are those of the match searched anew,
    without the line breaks around it."""
    plain = match[0].strip("\n")
    first = match.start() + len(match[0]) - len(match[0].lstrip("\n"))
    again = rule.pattern.search(plain) if rule.pattern.groups else None
    if again is None:
        return plain, first
    groups = [rule.group] if rule.group else range(1, rule.pattern.groups + 1)
    chosen = next((group for group in groups if again[group]), 0 if not rule.group else None)
    if chosen is None:
        return "", first
    return (again[chosen], first + again.start(chosen)) if chosen else (plain, first)


def _wanted(rule: SecretRule, path: str) -> bool:
    return rule.path is None or rule.path.search(path) is not None


def _path(urls: pa.Array, document: int) -> str:
    """The path of a document's URL, without its first slash; "" if it has none."""
    url = urls[document].as_py() or ""
    try:
        return unquote(urlsplit(url).path).lstrip("/")
    except ValueError:
        return ""


def _line(data: Bytes, first: int, last: int, begin: int, end: int) -> str:
    """The lines of the document data[first:last] that data[begin:end] is on."""
    before = data[first:begin].tobytes().rfind(b"\n")
    after = data[end:last].tobytes().find(b"\n")
    return decoded(data, first + before + 1, last if after < 0 else end + after)


def decoded(data: Bytes, start: int, stop: int) -> str:
    return data[start:stop].tobytes().decode("utf-8", "surrogateescape")


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def lowered(text: str) -> str:
    """The text with ASCII capitals as small letters."""
    return "".join(chr(ord(char) + 32) if "A" <= char <= "Z" else char for char in text)
