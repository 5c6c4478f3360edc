"""Rules of gitleaks, from its TOML files: all of their conditions, or an error that names what cannot be kept.

Source: github.com/gitleaks/gitleaks, README (configuration) and detect/detect.go at version 8.28.
Left out, as they are about repositories: allowlists of commits, comments `gitleaks:allow`, decoding of encoded text.
"""

import tomllib
from collections.abc import Mapping
from typing import Any

import re2

from curation.core import storage
from curation.core.errors import InputError
from curation.models.secrets.rule import Allowlist, Pattern, RuleSet, SecretRule, Target

_RULE = {"id", "description", "regex", "secretGroup", "entropy", "path", "keywords", "tags", "allowlist", "allowlists"}
_ALLOWLIST = {"description", "condition", "commits", "paths", "regexTarget", "regexes", "stopwords"}
_FILE = {"title", "description", "minVersion", "rules", "allowlist", "allowlists"}
_TARGETS: dict[str, Target] = {"": "secret", "secret": "secret", "match": "match", "line": "line"}
_SHOWN = 5


def read_rules(file: str) -> RuleSet:
    """The rules of a file. Raises InputError if it is missing or no such file, naming rules that cannot be kept."""
    if storage.size(file) < 0:
        raise InputError(f"no rules at {file}; give the path or URI of a TOML file of gitleaks' rules")
    try:
        config = tomllib.loads(storage.read_bytes(file).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file} is no TOML file: {error}") from error
    if unknown := sorted(config.keys() - _FILE):
        raise InputError(f"{file} has the section {unknown[0]!r}, which winnow does not know; write its rules out")
    rules = []
    wrong = []
    for number, entry in enumerate(config.get("rules", ())):
        try:
            rules.append(_rule(entry))
        except ValueError as error:
            wrong.append(f"{entry.get('id', f'number {number}')} {error}")
    try:
        allowlists = _allowlists(config)
    except ValueError as error:
        wrong.append(f"the allowlist of the file {error}")
    if wrong:
        more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise InputError(f"{file}: mend or remove what cannot be kept: {'; '.join(wrong[:_SHOWN])}{more}")
    if not rules:
        raise InputError(f"{file} has no rules; give a TOML file with [[rules]]")
    of_files = tuple(entry["id"] for entry, rule in zip(config["rules"], rules, strict=True) if rule is None)
    return RuleSet(tuple(rule for rule in rules if rule is not None), allowlists, of_files)


def _rule(entry: Mapping[str, Any]) -> SecretRule | None:
    """The rule; None for one that names files. Raises ValueError, whose message follows the rule's id."""
    _known(entry, _RULE)
    if not isinstance(entry.get("id"), str):
        raise ValueError("has no id")
    if "regex" not in entry:
        if "path" not in entry:
            raise ValueError("has neither a regex nor a path")
        return None
    pattern = _compiled(entry["regex"])
    group = entry.get("secretGroup", 0)
    if group > pattern.groups:
        raise ValueError(f"has no group {group}, its secretGroup")
    return SecretRule(
        kind="".join(char if char.isalnum() else "_" for char in entry["id"].lower()),
        pattern=pattern,
        keywords=tuple(word.lower() for word in entry.get("keywords", ())),
        entropy=float(entry.get("entropy", 0)),
        group=group,
        path=_compiled(entry["path"]) if "path" in entry else None,
        allowlists=_allowlists(entry),
    )


def _allowlists(entry: Mapping[str, Any]) -> tuple[Allowlist, ...]:
    given = [*entry.get("allowlists", ()), *([entry["allowlist"]] if "allowlist" in entry else [])]
    if any("targetRules" in one for one in given):
        raise ValueError("has targetRules, which winnow does not know; put the allowlist into these rules")
    return tuple(map(_allowlist, given))


def _allowlist(entry: Mapping[str, Any]) -> Allowlist:
    _known(entry, _ALLOWLIST)
    target = _TARGETS.get(entry.get("regexTarget", ""))
    condition = entry.get("condition", "OR").upper()
    if target is None:
        raise ValueError(f"has regexTarget {entry['regexTarget']!r}; known: secret, match, line")
    if condition not in ("OR", "||", "AND", "&&"):
        raise ValueError(f"has condition {condition!r}; known: OR, AND")
    every = condition in ("AND", "&&")
    if every and entry.get("commits"):
        raise ValueError("has an allowlist of commits AND other conditions, and texts have no commits; remove it")
    return Allowlist(
        regexes=_patterns(entry.get("regexes", ())),
        paths=_patterns(entry.get("paths", ())),
        stopwords=tuple(word.lower() for word in entry.get("stopwords", ())),
        target=target,
        every=every,
    )


def _patterns(expressions: list[str]) -> tuple[Pattern, ...]:
    return tuple(map(_compiled, expressions))


def _compiled(expression: str) -> Pattern:
    """Raises ValueError for what is no pattern of RE2, which gitleaks' are."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        reason = error.args[0]
        raise ValueError(f"is no pattern: {reason.decode() if isinstance(reason, bytes) else reason}") from error


def _known(entry: Mapping[str, Any], known: set[str]) -> None:
    if unknown := sorted(entry.keys() - known):
        raise ValueError(f"has {unknown[0]!r}, which winnow does not know")
