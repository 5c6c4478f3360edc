"""Names of licences: what pages, files and data sets write, read as SPDX identifiers, and groups of these.

Source: SPDX License List and the annex "SPDX license expressions" of the SPDX specification 2.3.

Read are identifiers in any case, with spaces or underscores for hyphens; the usual names in words ("The MIT License
(MIT)", "GPLv3+", "licensed under a Creative Commons Attribution 4.0 International License"); the addresses of the
Creative Commons, SPDX, GNU, Apache, Mozilla, the Open Source Initiative and Open Data Commons; expressions of these.
Of "A OR B" the freer counts, as one may choose; of "A AND B" the stricter; an exception ("WITH …") only grants more and
is left out, and so is the country of a Creative Commons licence ("-3.0-US"). "GPL-2.0" means that version only, as in
SPDX; the GPL without a version means any, as the GPL says. "CC-BY", "BSD" and "Apache" are names here, too: no version.
"""

import re
from functools import lru_cache

_CC = ("1.0", "2.0", "2.1", "2.5", "3.0", "4.0")


def _either(family: str, *versions: str) -> tuple[str, ...]:
    return tuple(f"{family}-{version}-{which}" for version in versions for which in ("only", "or-later"))


def _commons(kind: str) -> tuple[str, ...]:
    return (kind, *(f"{kind}-{version}" for version in _CC))


# From the freest group to the strictest.
GROUPS: dict[str, tuple[str, ...]] = {
    "public-domain": ("CC0-1.0", "CC-PDM-1.0", "CC-PDDC", "PDDL-1.0", "Unlicense", "0BSD", "MIT-0", "WTFPL"),
    "permissive": (
        *("MIT", "X11", "ISC", "Zlib", "BSL-1.0", "NCSA", "PostgreSQL", "Python-2.0", "PSF-2.0", "curl", "HPND"),
        *("BSD", "BSD-2-Clause", "BSD-2-Clause-Patent", "BSD-3-Clause", "BSD-3-Clause-Clear", "BSD-4-Clause"),
        *("Apache", "Apache-1.0", "Apache-1.1", "Apache-2.0", "AFL-3.0", "ECL-2.0", "UPL-1.0", "MS-PL", "MulanPSL-2.0"),
        *("Artistic-1.0", "Artistic-2.0", "PHP-3.01", "Ruby", "Vim", "W3C", "OpenSSL", "Unicode-3.0", "BlueOak-1.0.0"),
    ),
    "attribution": (*_commons("CC-BY"), "ODC-By-1.0", "OGL-UK-1.0", "OGL-UK-2.0", "OGL-UK-3.0"),
    "share-alike": (*_commons("CC-BY-SA"), "CC-SA-1.0", "ODbL-1.0"),
    "weak-copyleft": (
        *("MPL-1.0", "MPL-1.1", "MPL-2.0", "EPL-1.0", "EPL-2.0", "CDDL-1.0", "CDDL-1.1", "MS-RL", "OFL-1.1"),
        *_either("LGPL", "2.0", "2.1", "3.0"),
    ),
    "copyleft": (
        *_either("GPL", "1.0", "2.0", "3.0"),
        *_either("GFDL", "1.1", "1.2", "1.3"),
        *("EUPL-1.1", "EUPL-1.2", "CECILL-2.1", "OSL-3.0"),
        *_either("AGPL", "1.0", "3.0"),
    ),
    "restricted": (
        *(name for kind in ("NC", "ND", "NC-SA", "NC-ND") for name in _commons(f"CC-BY-{kind}")),
        *("SSPL-1.0", "BUSL-1.1", "Elastic-2.0", "JSON"),
    ),
}
NAMES = tuple(name for names in GROUPS.values() for name in names)
_RANK = {name: rank for rank, names in enumerate(GROUPS.values()) for name in names}

_ADDRESS = re.compile(r"(?:https?:)?//(?:www\.)?([^/\s]+)(?:/(\S*))?", re.IGNORECASE)
_COMMONS_PATH = re.compile(r"(?:licenses|publicdomain)/([a-z+-]+)(?:/(\d\.\d))?", re.IGNORECASE)
_DEDICATIONS = {"zero": "cc0", "mark": "CC-PDM-1.0", "certification": "CC-PDDC", "publicdomain": "CC-PDDC"}
_HOSTS = {  # where addresses of licences end in a name, and what to put before it
    "spdx.org": "",
    "opensource.org": "",
    "choosealicense.com": "",
    "gnu.org": "",
    "mozilla.org": "",
    "unlicense.org": "unlicense",
    "apache.org": "apache ",
    "opendatacommons.org": "odc ",
}
_MOST_BRACKETS = 50  # in an expression
_OPERATOR = r"(?<![\w-])(?:OR(?! (?:ANY )?LATER)|AND)(?![\w-])"
_WORDINGS = tuple(  # from a name in words to that of an identifier, in this order, on small letters without punctuation
    (re.compile(pattern), to)
    for pattern, to in (
        (r"^(?:(?:this|the|all|is|are|text|content|work|page|site) )*(?:licen[cs]ed|available|released) under\b", " "),
        (r"\b(?:an?|the|gnu|licen[cs]es?|version|v|international|unported|generic|universal|software)\b", " "),
        (r"\bv(?=\d)", ""),
        (r"\b([al]?gpl|gfdl|mpl|epl|eupl|apache)v?(?=\d)", r"\1 "),
        (r"\+", " or later "),
        (r"\.(?!\d)", " "),
        (r"\s+", " "),
        (r"\bor any later\b", "or later"),
        (r"\baffero general public\b", "agpl"),
        (r"\b(?:lesser|library) general public\b", "lgpl"),
        (r"\bgeneral public\b", "gpl"),
        (r"\bfree documentation\b", "gfdl"),
        (r"\bmozilla public\b", "mpl"),
        (r"\beclipse public\b", "epl"),
        (r"\beuropean union public\b", "eupl"),
        (r"\bboost\b", "bsl"),
        (r"\bcreative commons\b", "cc"),
        (r"\bcc (?:0|zero)\b.*", "cc0"),
        (r"\battribution\b", "by"),
        (r"\bnon ?commercial\b", "nc"),
        (r"\bshare ?alike\b", "sa"),
        (r"\bno ?deriv(?:ative)?s?\b", "nd"),
        (r"\bor later or later\b", "or later"),
    )
)
_COMMONS = re.compile(r"\bcc((?: (?:by|nc|nd|sa))+)(?: (\d)(\.\d)?)?(?![\w.])")
# What may stand beside it: a country, the port for intergovernmental organisations, a kind of page, an address.
_FILLER = re.compile(
    r"(?!no|nc|nd)[a-z]{2}|igo|deed|legalcode|creative|commons|attribution|\d\.\d|https?|www|deed\.[a-z]{2}"
)
_BARE_VERSION = re.compile(r"(?<= )(\d)(?=$| only$| or later$)")
_USUAL = {
    "cc0": "CC0-1.0",
    "public domain": "CC-PDDC",
    "expat": "MIT",
    "simplified bsd": "BSD-2-Clause",
    "bsd 2 clause simplified": "BSD-2-Clause",
    "new bsd": "BSD-3-Clause",
    "modified bsd": "BSD-3-Clause",
    "bsd 3 clause new or revised": "BSD-3-Clause",
    "gpl": "GPL-1.0-or-later",
    "lgpl": "LGPL-2.0-or-later",
    "agpl": "AGPL-3.0-or-later",
    "odc odbl 1.0": "ODbL-1.0",
    "odc pddl 1.0": "PDDL-1.0",
}


@lru_cache(maxsize=1 << 14)
def licence_name(stated: str) -> str | None:
    """The identifier of what is stated, one of NAMES; None where it is not known. Reads the first 1,000 characters."""
    text = " ".join(stated[:1000].split())
    if "//" not in text:
        text = re.sub(r"(?<=\w)/(?=[A-Za-z])", " OR ", re.sub(r"\+(?=[A-Za-z])", " AND ", text))
    if not re.search(_OPERATOR, text):
        return _single(text)
    if text.count("(") > _MOST_BRACKETS:
        return None
    parts = [part for part in re.split(rf"({_OPERATOR}|[()])", text) if part.strip()]
    found, rest = _alternatives(parts)
    return found if not rest else None


def _alternatives(parts: list[str]) -> tuple[str | None, list[str]]:
    """The freest of what stands between ORs, and the parts that follow."""
    found: list[str] = []
    while True:
        name, parts = _together(parts)
        found += [] if name is None else [name]
        if not parts or parts[0] != "OR":
            return min(found, key=_RANK.__getitem__, default=None), parts
        parts = parts[1:]


def _together(parts: list[str]) -> tuple[str | None, list[str]]:
    """The strictest of what stands between ANDs, None where one is not known, and the parts that follow."""
    found: list[str | None] = []
    while True:
        if parts and parts[0] == "(":
            name, parts = _alternatives(parts[1:])
            parts = parts[1:]  # ")"
        else:
            name, parts = _single(parts[0]) if parts else None, parts[1:]
        found.append(name)
        if not parts or parts[0] != "AND":
            known = [name for name in found if name is not None]
            return (max(known, key=_RANK.__getitem__) if len(known) == len(found) else None), parts
        parts = parts[1:]


def _single(text: str) -> str | None:
    text = text.partition(" WITH ")[0]
    address = _ADDRESS.search(text)
    folded = _folded(_at_address(address[1].lower(), address[2] or "") if address else text)
    commons = {_commons_name(*match.groups()) for match in _COMMONS.finditer(folded)}
    if commons:
        alone = all(_FILLER.fullmatch(word) for word in _COMMONS.sub(" ", folded).split())
        return commons.pop() if len(commons) == 1 and alone else None
    words = folded.split()
    if words[: len(words) // 2] == words[len(words) // 2 :]:  # "The MIT License (MIT)"
        folded = " ".join(words[: len(words) // 2])
    full = _BARE_VERSION.sub(r"\1.0", folded)
    return next((_KNOWN[one] for one in (folded, full, f"{full} only") if one in _KNOWN), None)


def _at_address(host: str, path: str) -> str:
    """The name that the address of a licence holds, "" for any other address."""
    if host == "creativecommons.org":
        match = _COMMONS_PATH.match(path)
        return "" if match is None else _DEDICATIONS.get(match[1].lower(), f"cc {match[1]} {match[2] or ''}")
    segments = [part for part in re.sub(r"\.(?:html?|txt|php|json)$|[?#].*", "", path).split("/") if part]
    names = segments[-1:] if segments and re.search(r"[A-Za-z]", segments[-1]) else segments[-2:]
    return _HOSTS[host] + re.sub(r"(?<=\d)-(?=\d)", ".", " ".join(names)) if host in _HOSTS else ""


def _commons_name(parts: str, major: str | None, minor: str | None) -> str | None:
    kinds = [kind for kind in ("by", "nc", "nd", "sa") if kind in parts.split()]
    name = "-".join(["CC", *kinds, f"{major}{minor or '.0'}" if major else ""]).upper().rstrip("-")
    return name if name in _RANK else None


def _folded(text: str) -> str:
    text = re.sub(r"[^a-z0-9.+]+", " ", text.casefold())
    for pattern, to in _WORDINGS:
        text = pattern.sub(to, text)
    return " ".join(text.split())


_KNOWN = {**{_folded(name): name for name in NAMES}, **_USUAL}
