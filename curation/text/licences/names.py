"""Names of licences: SPDX identifiers in groups, and the identifier that a name in words or an address means.

Source: SPDX License List, and the categories of ScanCode's licence database, both from the library
`license-expression`.

Understood are identifiers in any case, with spaces or underscores for hyphens; the usual names in words ("The MIT
License", "GPLv3+", "licensed under a Creative Commons Attribution 4.0 International License"); the addresses of
Creative Commons, SPDX, GNU, Apache, Mozilla, the Open Source Initiative and Open Data Commons. The country of a
Creative Commons licence ("-3.0-US") is left out. "GPL-2.0" means that version only, as in SPDX; the GPL without a
version means any, as the GPL says. "CC-BY", "BSD" and "Apache" without a version are names too.

Groups follow ScanCode's categories, except where people who choose data draw the line elsewhere. Licences that limit
the use in any way are "restricted".
"""

import re

from license_expression import get_license_index

_CC = ("1.0", "2.0", "2.1", "2.5", "3.0", "4.0")


def _commons(kind: str) -> tuple[str, ...]:
    return (kind, *(f"{kind}-{version}" for version in _CC))


# From the freest group to the strictest, with the identifiers that do not follow their category.
_OURS: dict[str, tuple[str, ...]] = {
    "public-domain": ("0BSD", "MIT-0"),
    "permissive": ("BSD", "Apache", "Artistic-1.0", "Artistic-2.0", "Ruby", "Vim"),
    "attribution": (*_commons("CC-BY"), "ODC-By-1.0", "OGL-UK-1.0", "OGL-UK-2.0", "OGL-UK-3.0"),
    "share-alike": (*_commons("CC-BY-SA"), "CC-SA-1.0", "ODbL-1.0"),
    "weak-copyleft": (),
    "copyleft": ("EUPL-1.1", "EUPL-1.2", "CECILL-2.1"),
    "restricted": (*(name for kind in ("NC", "ND", "NC-SA", "NC-ND") for name in _commons(f"CC-BY-{kind}")), "JSON"),
}
_OURS_TOO = {"GFDL": "copyleft"}  # by how a name begins
_CATEGORIES = {
    "Public Domain": "public-domain",
    "Permissive": "permissive",
    "Copyleft Limited": "weak-copyleft",
    "Copyleft": "copyleft",
}
_OF_A_COUNTRY = re.compile(r"CC-.*\d-[A-Z]{2,3}")


def _listed() -> dict[str, tuple[str, tuple[str, ...]]]:
    """SPDX identifier -> its group, and its former identifiers; without exceptions and LicenseRefs."""
    group = {name: group for group, names in _OURS.items() for name in names}
    listed = {}
    for entry in get_license_index():
        name = entry.get("spdx_license_key") or "LicenseRef-"
        if not (entry["is_exception"] or name.startswith("LicenseRef-") or _OF_A_COUNTRY.fullmatch(name)):
            by_category = _CATEGORIES.get(entry["category"], "restricted")
            ours = group.get(name) or _OURS_TOO.get(name.partition("-")[0])
            listed[name] = ours or by_category, tuple(entry["other_spdx_license_keys"])
    return listed


def _key(text: str) -> str:
    return re.sub(r"[\s_]+", "-", text.strip()).lower()


_LISTED = _listed()
SPDX = frozenset(_LISTED)
GROUPS: dict[str, tuple[str, ...]] = {
    group: (*ours, *sorted(name for name, (of, _) in _LISTED.items() if of == group and name not in ours))
    for group, ours in _OURS.items()
}
NAMES = tuple(name for names in GROUPS.values() for name in names)
RANK = {name: rank for rank, names in enumerate(GROUPS.values()) for name in names}  # 0 for the freest group
_EXACT = {
    **{_key(old): name for name, (_, older) in _LISTED.items() for old in older if not old.startswith("LicenseRef-")},
    **{_key(name): name for name in NAMES},
}

_COMMONS_PATH = re.compile(r"(?:licen[sc]es|publicdomain)/([a-z+-]+)(?:/(\d\.\d))?", re.IGNORECASE)
_DEDICATIONS = {"zero": "cc0", "mark": "CC-PDM-1.0", "certification": "CC-PDDC", "publicdomain": "CC-PDDC"}
_HOSTS = {  # hosts whose addresses of licences end in a name, and what to put before the name
    "spdx.org": "",
    "opensource.org": "",
    "choosealicense.com": "",
    "gnu.org": "",
    "mozilla.org": "",
    "unlicense.org": "unlicense",
    "apache.org": "apache ",
    "opendatacommons.org": "odc ",
}
_WORDINGS = tuple(  # from a name in words to an identifier: applied in this order to lower case without punctuation
    (re.compile(pattern), to)
    for pattern, to in (
        (r"^(?:licen[cs]e )?osi approved\b", " "),  # as the Python Package Index classifies
        (r"^(?:(?:this|the|all|is|are|text|content|work|page|site) )*(?:licen[cs]ed|available|released) under\b", " "),
        (r"\b(?:an?|the|gnu|licen[cs]es?|version|v|international|unported|generic|universal|software)\b", " "),
        (r"\bv(?=\d)", ""),
        (r"\b([al]?gpl|gfdl|mpl|epl|eupl|apache)v?(?=\d)", r"\1 "),
        (r"\+", " or later "),
        (r"\.(?!\d)", " "),
        (r"\s+", " "),
        (r"\bor (?:any later|newer|above|greater|higher)\b", "or later"),
        (r"\baffero general public\b", "agpl"),
        (r"\b(?:lesser|library) general public\b", "lgpl"),
        (r"\bgeneral public\b", "gpl"),
        (r"\bfree documentation\b", "gfdl"),
        (r"\bmozilla public\b", "mpl"),
        (r"\beclipse public\b", "epl"),
        (r"\beuropean union public\b", "eupl"),
        (r"\bboost\b", "bsl"),
        (r"\bcreative commons\b", "cc"),
        (r"\bcc ?(?:0|zero)(?: 1\.0)?(?: public domain)?(?: dedication)?(?![\w.])", "cc0"),
        (r"\battribution\b", "by"),
        (r"\bnon ?commercial\b", "nc"),
        (r"\bshare ?alike\b", "sa"),
        (r"\bno ?deriv(?:ative)?s?\b", "nd"),
        (r"\bor later or later\b", "or later"),
    )
)
_COMMONS = re.compile(r"\bcc((?: (?:by|nc|nd|sa))+)(?: (\d)(\.\d)?)?(?![\w.])")
# What may come beside it: a country, the IGO port, a kind of page, its own name again.
_FILLER = re.compile(r"(?!no|nc|nd|sa)[a-z]{2}|igo|deed|legalcode|creative|commons|attribution|deed\.[a-z]{2}")
_BARE_VERSION = re.compile(r"(?<= )(\d)(?=$| only$| or later$)")
_USUAL = {
    "cc0": "CC0-1.0",
    "public domain": "CC-PDDC",
    "public domain text": "CC-PDDC",
    "public domain mark 1.0": "CC-PDM-1.0",
    "cc public domain mark 1.0": "CC-PDM-1.0",
    "expat": "MIT",
    "simplified bsd": "BSD-2-Clause",
    "bsd 2 clause simplified": "BSD-2-Clause",
    "new bsd": "BSD-3-Clause",
    "modified bsd": "BSD-3-Clause",
    "bsd 3 clause new or revised": "BSD-3-Clause",
    "gpl": "GPL-1.0-or-later",
    "lgpl": "LGPL-2.0-or-later",
    "agpl": "AGPL-3.0-or-later",
    "gfdl": "GFDL-1.1-or-later",
    "odc odbl 1.0": "ODbL-1.0",
    "odc pddl 1.0": "PDDL-1.0",
}


def in_words(text: str) -> str | None:
    """The identifier, one of NAMES, that a name means; None for an unknown name."""
    exact = _EXACT.get(_key(text))
    return exact if exact is not None else _folded_name(_folded(text))


def at_address(host: str, path: str) -> str | None:
    """The identifier in the address of a licence; None for any other address."""
    host = host.lower().removeprefix("www.")
    if host == "creativecommons.org":
        match = _COMMONS_PATH.match(path)
        return match and in_words(_DEDICATIONS.get(match[1].lower(), f"cc {match[1]} {match[2] or ''}"))
    segments = [name for name in re.sub(r"\.(?:html?|txt|php|json)$|[?#].*", "", path).split("/") if name]
    names = segments[-1:] if segments and re.search(r"[A-Za-z]", segments[-1]) else segments[-2:]
    return in_words(_HOSTS[host] + re.sub(r"(?<=\d)-(?=\d)", ".", " ".join(names))) if host in _HOSTS else None


def _folded_name(folded: str) -> str | None:
    names = {_commons_name(*match.groups()) for match in _COMMONS.finditer(folded)}
    if names:
        name = names.pop()
        repeated = (name or "").lower().split("-")
        alone = all(word in repeated or _FILLER.fullmatch(word) for word in _COMMONS.sub(" ", folded).split())
        return name if not names and alone else None
    words = folded.split()
    if words[: len(words) // 2] == words[len(words) // 2 :]:  # "The MIT License (MIT)"
        folded = " ".join(words[: len(words) // 2])
    full = _BARE_VERSION.sub(r"\1.0", folded)
    return next((_KNOWN[name] for name in (folded, full, f"{full} only") if name in _KNOWN), None)


def _commons_name(terms: str, major: str | None, minor: str | None) -> str | None:
    kinds = [kind for kind in ("by", "nc", "nd", "sa") if kind in terms.split()]
    name = "-".join(["CC", *kinds, f"{major}{minor or '.0'}" if major else ""]).upper().rstrip("-")
    return name if name in RANK else None


def _folded(text: str) -> str:
    text = re.sub(r"(?:[^\w.+©]|_)+", " ", text.casefold())  # words in any script stay, since they may be a condition
    for pattern, to in _WORDINGS:
        text = pattern.sub(to, text)
    return " ".join(text.split())


_KNOWN = {**{_folded(name): name for name in reversed(NAMES)}, **_USUAL}
