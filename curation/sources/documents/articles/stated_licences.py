"""Finds the licence that an article states: an address that is known, else the name that its words say plainly.

Words say a name plainly if they name one licence of Creative Commons, and do not limit its use in other words too. What
says nothing known stays as it is, an address before words.
"""

import re
from collections.abc import Iterator

from curation.sources.documents.articles.elements import Element, first, words_of
from curation.text.licences.expressions import licence_name

HREF = "{http://www.w3.org/1999/xlink}href"
_ADDRESS = re.compile(r"(?:https?://)?(?:www\.)?creativecommons\.org/[\w./-]*[\w/]", re.IGNORECASE)
_COMMONS = re.compile(
    r"(?:creative\s{1,4}commons[\s,:(–-]{1,4}(?=attribution|public|cc|zero|by\b)"
    r"(?:public\s{1,4}domain(?:\s{1,4}dedication)?|zero|cc\s?-?\s?(?:0|by)|attribution|by)|\bcc[ -]?(?:0|by)\b)"
    r"(?:[\s,/()–-]{0,4}(?:non-?\s?commercial|no-?\s?deriv\w*|share-?\s?alike|nc|nd|sa)\b)*"
    r"(?:[\s,()-]{0,4}(?:licen[cs]e|international|unported|version|v\.?|universal)){0,3}(?:[\s,(-]{0,4}([1-4]\.[05]))?",
    re.IGNORECASE,
)
_KINDS = {
    "NC": re.compile(r"non-?\s?commercial|\bnc\b"),
    "ND": re.compile(r"no-?\s?deriv|\bnd\b"),
    "SA": re.compile(r"share-?\s?alike|\bsa\b"),
}
_LIMITS = re.compile(
    r"non-?\s?commercial|not for profit|no-?\s?deriv|educational|personal use|not altered", re.IGNORECASE
)


def stated_licence(meta: Element | None) -> str | None:
    """An address or a name; None where the article states none."""
    if meta is None:
        return None
    licences = list(meta.iterfind("{*}permissions/{*}license"))
    addresses = [address for licence in licences for address in _addresses(licence) if address]
    words = [text for licence in licences if (text := words_of(licence))]
    known = next((address for address in addresses if licence_name(address)), None)
    if known is not None:
        return known
    for text in words or [words_of(one) for one in _notices(meta)]:
        if name := _plain_name(text):
            return name
    return next(iter([*addresses, *words]), None)


def _addresses(licence: Element) -> Iterator[str | None]:
    yield licence.get(HREF)
    for reference in licence.iter("{*}license_ref"):
        yield words_of(reference)
    for link in licence.iter("{*}ext-link", "{*}uri"):
        yield link.get(HREF)


def _notices(meta: Element) -> Iterator[Element]:
    """Where the words of a licence are in articles without an element for it."""
    for path in ("permissions/copyright-statement", "copyright-statement", "permissions"):
        if (found := first(meta, path)) is not None:
            yield found


def _plain_name(text: str) -> str | None:
    """The SPDX identifier, without a version if the words have none; or an address in the words."""
    address = _ADDRESS.search(text)
    if address is not None and licence_name(address[0]):
        return address[0]
    names = {_name(match) for match in _COMMONS.finditer(text)}
    if len(names) > 1:
        names = {name for name in names if not any(name != other and other.startswith(name) for other in names)}
    name = names.pop() if len(names) == 1 else None
    return name if name and (_LIMITS.search(text) is None or "-N" in name) else None


def _name(match: re.Match[str]) -> str:
    said = match[0].lower()
    if re.search(r"public|zero|cc\s?-?\s?0", said):
        return "CC0-1.0"
    kinds = [kind for kind, pattern in _KINDS.items() if pattern.search(said)]
    return "-".join(["CC-BY", *kinds, *([match[1]] if match[1] else [])])
