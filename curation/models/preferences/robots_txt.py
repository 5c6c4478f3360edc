"""What a robots.txt says to crawlers of given names: the paths that are refused, and preferences about training.

Sources: RFC 9309, "Robots Exclusion Protocol": a crawler obeys the groups that have its name, joined, or those for *;
the longest rule decides, and Allow where two are equal. IETF draft aipref-attach: `Content-Usage: [path] train-ai=n`
stands in a group, the longest path decides, and the refusal where two are equal. Cloudflare 2025, "Content Signals
Policy": `Content-Signal: ai-train=no`. Where such a line stands before any group, it is read as one for all. RSL 1.0:
`License: address` names terms of use, for the whole site wherever it stands.

Paths are matched by `protego`. The groups are read here: protego knows neither preference, takes "Claude" for a name of
ClaudeBot, and makes a rule of its own for each pair of a name and a rule, 3·10⁸ of them for some files of 500 KiB.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from protego import Protego

from curation.models.preferences.statements import training_permitted

MAX_BYTES = 500 << 10  # that are read: what RFC 9309 asks of every crawler
SIGNAL = "content-signal"
USAGE = "content-usage"
LICENCE = "license"  # as the standard spells it
MAX_STATED = 1000  # characters of preferences that are kept as written

_AGENT = "user-agent"
_SPELLINGS = {"useragent": _AGENT, "user agent": _AGENT}
_DISALLOW = re.compile(r"di[as]+l+[ao]w")  # misspelt too
_RULES = ("allow", "disallow")
_OTHER = "other"  # a line of another kind, which ends a list of names; crawlers' delays and the like
_SITE = ("sitemap", "sitemaps", "site-map", "host")  # of the whole site: no part of a group
MAX_LICENCES = 10  # lines of a file that are kept
_NAME = re.compile(r"\*(?=\s|$)|[\w-]+")
_SCOPED = re.compile(r"(/\S*)\s+(.*)")
_PLAIN = re.compile(r"/[\w/.-]*", re.ASCII)


def essential(content: bytes) -> str:
    """The lines of a file that decide something, "field:value", of its first MAX_BYTES; "" if there is none."""
    if len(content) > MAX_BYTES:
        content = content[: content.rfind(b"\n", 0, MAX_BYTES) + 1]  # half a rule would be another rule
    lines: list[str] = []
    licences: list[str] = []
    for line in content.decode("utf-8-sig", "replace").splitlines():
        name, colon, value = line.partition("#")[0].partition(":")
        name = " ".join(name.lower().split())
        name = "disallow" if _DISALLOW.fullmatch(name) else _SPELLINGS.get(name, name)
        if not colon or name in _SITE:
            continue
        if name == LICENCE:
            licences += "".join(value.split())[:MAX_STATED].split()
            continue
        known = name in (_AGENT, SIGNAL, USAGE, *_RULES)
        kept = f"{name}:{value.strip()}" if known else f"{_OTHER}:"
        if known or lines[-1:] != [kept]:
            lines.append(kept)
    lines = lines if any(not line.startswith(_OTHER) for line in lines) else []
    return "\n".join([*(f"{LICENCE}:{one}" for one in dict.fromkeys(licences[:MAX_LICENCES])), *lines])


class RobotsTxt:
    """The `essential` lines of a file, as crawlers of these names have to read them."""

    def __init__(self, lines: str, agents: tuple[str, ...]) -> None:
        wanted = {"*", *(agent.lower() for agent in agents)}
        begin = f"{LICENCE}:"
        self.licences = tuple(line[len(begin) :] for line in lines.split("\n", MAX_LICENCES) if line.startswith(begin))
        groups, stated = _groups(lines, wanted)
        named: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for agent in agents:
            rules = groups.get(agent.lower(), groups.get("*", []))
            named.setdefault(tuple(rules), []).append(agent)
        self._refusals = [(names, _refusals(rules)) for rules, names in named.items()]
        self.stated = {field: "; ".join(dict.fromkeys(values))[:MAX_STATED] or None for field, values in stated.items()}

    def disallowed(self, path: str) -> list[str]:
        """The crawlers that may not fetch a path ("/a?b")."""
        return self._refused("disallow", path)

    def refuses_training(self, field: str, path: str) -> bool:
        """Whether SIGNAL or USAGE refuses training on a path to one of the crawlers."""
        return bool(self._refused(field, path))

    def _refused(self, kind: str, path: str) -> list[str]:
        refusing = (names for names, refusals in self._refusals if kind in refusals and refusals[kind].matches(path))
        return [name for names in refusing for name in names]


class PathRules:
    """Rules by which paths are refused; `lines` are those of a robots.txt without its groups."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._rules = [(_beginning(line), line) for line in lines]

    def matches(self, path: str) -> bool:
        """Whether a path, as `curation/text/urls/parse.py` writes it, is refused."""
        near = tuple(line for beginning, line in self._rules if path.startswith(beginning))
        if not any(line.startswith("disallow") for line in near):
            return False  # most pages end here, 20 times as fast as parsed rules
        return not _parsed(near).can_fetch(f"http://host{path}", "*")


def _beginning(line: str) -> str:
    """Characters that each path of the rule begins with. "/index.html" permits "/" too."""
    found = _PLAIN.match(line.partition(": ")[2].removesuffix("index.html"))
    return found[0] if found else ""


@lru_cache(maxsize=1 << 5)  # one of 500 KiB takes 20 MB
def _parsed(lines: tuple[str, ...]) -> Protego:
    return Protego.parse("\n".join(("user-agent: *", *lines)))


def _groups(lines: str, wanted: set[str]) -> tuple[dict[str, list[tuple[str, str]]], dict[str, list[str]]]:
    """The rules by name in lower case, of the names that are wanted; and all preferences by field, as written."""
    groups: dict[str, list[tuple[str, str]]] = {}
    stated: dict[str, list[str]] = {SIGNAL: [], USAGE: []}
    current = {"*"}
    listing = False  # whether a list of names goes on
    rules_seen = False
    for line in lines.split("\n"):
        field, _, value = line.partition(":")
        if field == _AGENT:
            name = _NAME.match(value)
            current = (current if listing else set()) | ({name[0].lower()} & wanted if name else set())
            listing = rules_seen = True
            for one in current:
                groups.setdefault(one, [])
            continue
        if field == LICENCE:
            continue
        listing = False
        if field in stated:
            stated[field].append(value)
        if field in stated or (rules_seen and field in _RULES):
            for one in current:
                groups.setdefault(one, []).append((field, value))
    return groups, stated


def _refusals(rules: Sequence[tuple[str, str]]) -> dict[str, PathRules]:
    """By kind, only where anything may be refused."""
    paths = [f"{field}: {value}" for field, value in rules if field in _RULES and value]
    refusals = {"disallow": PathRules(paths)} if any(line.startswith("disallow") for line in paths) else {}
    for field in (SIGNAL, USAGE):
        permitted: dict[str, bool] = {}
        for value in (value for name, value in rules if name == field):
            scoped = _SCOPED.fullmatch(value)
            says = training_permitted(scoped[2] if scoped else value)
            path = scoped[1] if scoped else "/"
            if says is not None:
                permitted[path] = says and permitted.get(path, True)
        if not all(permitted.values()):
            lines = [f"{'allow' if says else 'disallow'}: {path}" for path, says in permitted.items()]
            refusals[field] = PathRules(lines)
    return refusals
