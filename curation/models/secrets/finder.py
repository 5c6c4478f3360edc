"""Finds secrets in many texts, as gitleaks judges them: matches, groups, entropy and allowlists.

One pass of RE2 over a text tells of which rules it holds a keyword or, of rules without keywords, a match. Of these,
only rules that RE2 matches are searched in full. Two findings that overlap become one span: of the kind that says
whose secret it is, then of the longer one, then of the earlier rule. A byte that is not UTF-8 is read as a control
character.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import re2

from curation.models.secrets.rule import Allowlist, RuleSet, SecretRule, entropy_of
from curation.text.edits.redaction import SPANS
from curation.text.kernels.buffers import text_buffers

_MEMORY = 1 << 28  # bytes that RE2 may take for the states of all rules together; usual lists need a tenth
MAX_LINE = 10_000  # characters on either side of a secret that rules about its line look at
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, order=True)
class Finding:
    """A secret: bytes [start, end) of a document's text, the number of its rule, and its entropy (bits a character)."""

    document: int
    start: int
    end: int
    rule: int
    entropy: float


class Finder:
    """Finds the secrets of sets of rules, each with its own allowlists, in texts."""

    def __init__(self, sets: Sequence[RuleSet]) -> None:
        self.sets = sets
        self.rules = [rule for own in sets for rule in own.rules]
        self._allowlists = [(*own.allowlists, *rule.allowlists) for own in sets for rule in own.rules]
        self.kinds = tuple(dict.fromkeys(rule.kind for rule in self.rules))

    def find(self, text: pa.Array, urls: pa.Array) -> pa.Array:
        """SPANS[N] of text[N]; the score is the entropy of the secret in bits per character."""
        rows: list[list[dict[str, object]]] = [[] for _ in range(len(text))]
        for start, end, best in merged(self.found(text, urls), self.rules):
            span = {"kind": self.rules[best.rule].kind, "start": start, "end": end, "score": best.entropy}
            rows[best.document].append(span)
        return pa.array(rows, SPANS)

    def found(self, text: pa.Array, urls: pa.Array) -> list[Finding]:
        """Every finding in text[N], by document, place and rule; `urls` string[N] are for rules on paths."""
        data, offsets = text_buffers(text)
        found: list[Finding] = []
        for document, (start, stop) in enumerate(pairwise(offsets.tolist())):
            content = data[start:stop].tobytes()
            try:
                plain = content.decode()
            except UnicodeDecodeError:
                plain = _NOT_UTF8.sub("\x7f", content.decode("utf-8", "surrogateescape"))
                content = plain.encode()
            for rule in self.promising(content):
                found += self._findings(rule, document, plain, urls)
        return sorted(found)

    def promising(self, content: bytes) -> list[int]:
        """The rules that find something in a text, and perhaps others."""
        return [rule for rule in self._sought.Match(content) or () if self.rules[rule].look.search(content)]

    @cached_property
    def _sought(self) -> Any:
        """Finds what rules seek; the numbers of the rules."""
        options = re2.Options()
        options.max_mem = _MEMORY
        rules = re2.Set.SearchSet(options)
        for rule in self.rules:
            rules.Add(rule.sought)
        rules.Compile()
        return rules

    def _findings(self, number: int, document: int, text: str, urls: pa.Array) -> Iterator[Finding]:
        """The secrets of one rule in the text of a document."""
        rule = self.rules[number]
        allowlists = self._allowlists[number]
        path: str | None = None
        by_line = any(one.target == "line" for one in allowlists)
        start = done = 0  # the same place, in bytes and in characters
        for match in rule.pattern.finditer(text):
            if path is None:
                path = _path(urls[document].as_py())
                if not _wanted(rule, allowlists, path):
                    return
            secret, at = secret_of(rule, match)
            entropy = entropy_of(secret) if secret else 0.0
            if not secret or (rule.entropy and entropy <= rule.entropy):
                continue
            line = _line(text, at, at + len(secret)) if by_line else ""
            if not any(one.allows(secret, match[0].strip("\n"), line, path) for one in allowlists):
                start += len(text[done:at].encode())
                done = at
                yield Finding(document, start, start + len(secret.encode()), number, entropy)


def secret_of(rule: SecretRule, match: Any) -> tuple[str, int]:
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


def _wanted(rule: SecretRule, allowlists: Iterable[Allowlist], path: str) -> bool:
    allowed = any(one.allows_path(path) for one in allowlists)
    return not allowed and (rule.path is None or rule.path.search(path) is not None)


def _path(url: str | None) -> str:
    """The path of a document's URL, without its first slash; "" if it has none."""
    try:
        return unquote(urlsplit(url or "").path).lstrip("/")
    except ValueError:
        return ""


def _line(text: str, start: int, end: int) -> str:
    """The lines that text[start:end] is on, up to MAX_LINE characters of them on either side."""
    first = max(0, start - MAX_LINE)
    last = min(len(text), end + MAX_LINE)
    begin = text.rfind("\n", first, start)
    stop = text.find("\n", end, last)
    return text[first if begin < 0 else begin + 1 : last if stop < 0 else stop]


def merged(found: Iterable[Finding], rules: Sequence[SecretRule]) -> Iterator[tuple[int, int, Finding]]:
    """(start, end, the finding whose kind counts) of findings by document and place, those that overlap together."""
    group: list[Finding] = []
    end = 0
    for finding in found:
        if group and (finding.document != group[0].document or finding.start >= end):
            yield _together(group, rules)
            group = []
        end = max(end, finding.end) if group else finding.end
        group.append(finding)
    if group:
        yield _together(group, rules)


def _together(group: Sequence[Finding], rules: Sequence[SecretRule]) -> tuple[int, int, Finding]:
    best = min(group, key=lambda one: (rules[one.rule].generic, one.start - one.end, one.rule))
    return group[0].start, max(one.end for one in group), best
