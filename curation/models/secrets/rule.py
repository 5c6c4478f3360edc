"""What a rule for secrets says: the pattern, what its matches must have, and what is no secret after all."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import log2
from typing import Any, Literal, TypeAlias

import re2

Pattern: TypeAlias = Any  # of `re` or of `re2`, which have the same methods
Target: TypeAlias = Literal["secret", "match", "line"]


@dataclass(frozen=True)
class Allowlist:
    """What is no secret: one of its conditions is met, or `every` one that it has."""

    regexes: tuple[Pattern, ...] = ()
    paths: tuple[Pattern, ...] = ()
    stopwords: tuple[str, ...] = ()  # in lower case, anywhere in the secret
    target: Target = "secret"  # what `regexes` look at
    every: bool = False

    def allows_path(self, path: str) -> bool:
        """Whether nothing in the document is a secret."""
        alone = not self.every or not (self.regexes or self.stopwords)
        return bool(path) and alone and _any(self.paths, path)

    def allows(self, secret: str, match: str, line: str, path: str) -> bool:
        target = {"secret": secret, "match": match, "line": line}[self.target]
        by_regex = _any(self.regexes, target)
        by_word = any(word in secret.lower() for word in self.stopwords)
        if not self.every:
            return by_regex or by_word
        conditions = ((self.regexes, by_regex), (self.stopwords, by_word), (self.paths, _any(self.paths, path)))
        return all(met for given, met in conditions if given)


@dataclass(frozen=True)
class SecretRule:
    """One kind of secret.

    A document is searched only if it holds one of the keywords (none: always), in any case, and its path matches. Of a
    match the secret is the group `group`, or if that is 0, the first group that is not empty, or if there is none, all.
    """

    kind: str  # a word of a-z, 0-9 and _
    pattern: Pattern
    wider: str = ""  # in RE2's syntax: matches wherever the pattern does, and perhaps elsewhere; none: the pattern
    keywords: tuple[str, ...] = ()  # in lower case
    entropy: float = 0.0  # bits per character that a secret must exceed; 0: any
    group: int = 0
    path: Pattern | None = None
    allowlists: tuple[Allowlist, ...] = ()

    @property
    def generic(self) -> bool:
        """Whether a rule that names whose secret it is goes before this one."""
        return "generic" in self.kind

    @property
    def sought(self) -> str:
        """In RE2's syntax: what a document holds in which the pattern must be searched."""
        if self.keywords:
            return f"(?i:{'|'.join(map(re2.escape, self.keywords))})"
        return str(self.look.pattern)

    @cached_property
    def look(self) -> Pattern:
        """RE2's pattern that matches wherever the rule's does, and perhaps elsewhere."""
        return re2.compile(self.wider or self.pattern.pattern)


@dataclass(frozen=True)
class RuleSet:
    """Rules with what is no secret for any of them, and the ids of rules that name files instead of texts."""

    rules: tuple[SecretRule, ...]
    allowlists: tuple[Allowlist, ...] = ()
    of_files: tuple[str, ...] = ()


def entropy_of(secret: str) -> float:
    """Shannon's entropy in bits per character, counted as gitleaks does: by characters, over the number of bytes."""
    size = len(secret.encode("utf-8", "surrogateescape"))
    return -sum(count / size * log2(count / size) for count in Counter(secret).values())


def _any(patterns: tuple[Pattern, ...], text: str) -> bool:
    return any(pattern.search(text) for pattern in patterns)
