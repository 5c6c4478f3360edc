"""Reads what a page says about itself: its title, its language, its licence and what it prefers about its use.

It searches the markup, not a parsed tree, so that it costs microseconds and is the same for every extractor. Language:
`<html lang>`, otherwise `<meta http-equiv=content-language>`. Licence: `rel=license` on a link, otherwise Dublin Core
or license metadata. A link to a licence without rel=license may be about a picture or another work, and is ignored. A
Creative Commons URL becomes its SPDX identifier; anything else stays as written. A link to terms of use in RSL is a
preference and no licence, like the terms in a script of the page.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from curation.models.preferences.rsl import MAX_BYTES, UNREADABLE, joined, read_terms
from curation.models.preferences.rsl_links import is_rsl
from curation.models.preferences.statements import MAX_VALUE as MAX_STATED
from curation.models.preferences.statements import METAS, RSL, RSL_TERMS, of_metadata
from curation.text.html.unescape import unescaped
from curation.text.kernels.find import find, word_of

HEAD_BYTES = 1 << 16  # searched for metadata
MAX_TAG_BYTES = 2_000
MAX_MENTIONS = 64  # of the word license outside the head
_WORD = word_of(b"icense")  # License too
MAX_VALUE = 300  # characters kept of a title or licence

_HEAD_TAG = re.compile(  # every alternative begins with "<", so the search jumps from one to the next
    rb"<(?:!--.*?(?:-->|\Z)|(html|meta|link|title|body)(?=[\s>/])([^<>]{0,2000})>)", re.IGNORECASE | re.DOTALL
)
_RSL = word_of(b"rsl+xml")
_RSL_SCRIPT = re.compile(rb"<script\s[^<>]{0,2000}?application/rsl\+xml[^<>]{0,2000}>", re.IGNORECASE)
_TELLING = re.compile(rb"licen[cs]e|rights|language|robots|tdm-", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"([^\s=\"'<>/]{1,40})\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{1,8})*", re.IGNORECASE)
_LICENCE_NAMES = (
    "dc.rights",
    "dc.license",
    "dc.rights.license",
    "dcterms.rights",
    "dcterms.license",
    "license",
    "licence",
)
_CREATIVE_COMMONS = re.compile(
    r"(?:https?:)?//(?:www\.)?creativecommons\.org/(licenses|publicdomain)/([a-z+-]+)/(\d\.\d)(?:/([a-z]{2})(?=/|$))?"
)
_PUBLIC_DOMAIN = {"zero": "CC0-1.0", "mark": "CC-PDM-1.0", "certification": "CC-PDDC"}


class Declarations(NamedTuple):
    """None: the page does not say."""

    title: str | None
    language: str | None
    licence: str | None
    preferences: str | None  # as `curation/models/preferences/statements.py` writes them


def declared(page: bytes) -> Declarations:
    """What a page in UTF-8 declares."""
    title = language = fallback = linked = stated = None
    preferences: dict[str, str] = {}
    for name, attributes, end in _head_tags(page):
        if name == b"title" and title is None:
            title = _title(page, end)
        elif name == b"html" and language is None:
            language = _language(attributes.get("lang") or attributes.get("xml:lang"))
        elif name == b"link":
            if terms := _linked_terms(attributes):
                preferences[RSL] = " ".join(filter(None, (preferences.get(RSL), terms)))
            elif linked is None:
                linked = _linked_licence(attributes)
        elif name == b"meta":
            key = (attributes.get("name") or attributes.get("property") or attributes.get("http-equiv", "")).lower()
            if key == "content-language" and fallback is None:
                fallback = _language(attributes.get("content"))
            elif key in _LICENCE_NAMES and stated is None:
                stated = _licence(attributes.get("content"))
            elif key in METAS:
                several = filter(None, (preferences.get(key), attributes.get("content")))
                preferences[key] = ", ".join(several) if key == "robots" else next(several, "")
    licence = linked or stated or _linked_in_body(page)
    preferences[RSL_TERMS] = _own_terms(page)
    return Declarations(title, language or fallback, licence, of_metadata(preferences))


def _head_tags(page: bytes) -> Iterator[tuple[bytes, dict[str, str], int]]:
    """Name, attributes and end of the tags before the body that can declare something."""
    for match in _HEAD_TAG.finditer(page, 0, HEAD_BYTES):
        if match[1] is None:
            continue
        name = match[1].lower()
        if name == b"body":
            return
        if name in (b"html", b"title") or _TELLING.search(match[2]):  # most tags declare nothing: skip their attributes
            yield name, attributes(match[2]), match.end()


def attributes(tag: bytes) -> dict[str, str]:
    """Attributes of a tag by lower-case name, with character references resolved; the first of a name counts."""
    attributes: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(tag):
        value = (double or single or bare).decode("utf-8", "replace")
        attributes.setdefault(name.decode("utf-8", "replace").lower(), unescaped(value).strip())
    return attributes


def _title(page: bytes, start: int) -> str | None:
    end = page.find(b"</", start, start + 4 * MAX_VALUE)
    text = page[start : end if end >= 0 else start + 4 * MAX_VALUE].decode("utf-8", "replace")
    return _one_line(unescaped(text))


def _one_line(text: str) -> str | None:
    """White space folded, without NULs and lone surrogates, cut at MAX_VALUE; None if nothing is left."""
    clean = text.replace("\0", "").encode("utf-8", "ignore").decode()
    return " ".join(clean.split())[:MAX_VALUE].strip() or None


def _language(value: str | None) -> str | None:
    """The first BCP 47 tag of an attribute, with "_" read as "-"; None for anything else."""
    first = (value or "").split(",")[0].strip().replace("_", "-")
    return first if _LANGUAGE.fullmatch(first) else None


def _licence(value: str | None) -> str | None:
    match = _CREATIVE_COMMONS.search(value or "")
    if match is None:
        return _one_line(value or "")
    if match[1] == "publicdomain":
        return _PUBLIC_DOMAIN.get(match[2], match[0])
    return "-".join(part for part in ("CC", match[2].upper(), match[3], (match[4] or "").upper()) if part)


def _linked_licence(attributes: dict[str, str]) -> str | None:
    """None also for a link to terms in RSL, which are no licence."""
    if "license" not in attributes.get("rel", "").lower().split() or _linked_terms(attributes):
        return None
    return _licence(attributes.get("href"))


def _linked_terms(attributes: dict[str, str]) -> str | None:
    """The address of terms in RSL to which a link leads."""
    address = "".join(attributes.get("href", "").split())
    linked = "license" in attributes.get("rel", "").lower().split() and is_rsl(attributes.get("type", ""), address)
    return address if linked else None


def _own_terms(page: bytes) -> str:
    """The terms in the page's first script of RSL, in one line, UNREADABLE if it has none; "" without a script."""
    if find(np.frombuffer(page, np.uint8), _RSL, 0, HEAD_BYTES) < 0:
        return ""
    script = _RSL_SCRIPT.search(page, 0, HEAD_BYTES)
    end = page.find(b"</script", script.end(), script.end() + MAX_BYTES) if script else -1
    terms = read_terms(page[script.end() : end]) if script and end >= 0 else None
    return joined(terms or (), MAX_STATED) or (UNREADABLE if script else "")


def _linked_in_body(page: bytes) -> str | None:
    """The licence of the first <a rel=license>; searches only around the word, which most pages do not have."""
    data = np.frombuffer(page, np.uint8)
    place = find(data, _WORD, 0, len(page))
    for _ in range(MAX_MENTIONS):
        if place < 0:
            break
        start = page.rfind(b"<", max(0, place - MAX_TAG_BYTES), place)
        end = page.find(b">", place, place + MAX_TAG_BYTES)
        if start >= 0 and end >= 0 and page[start : start + 3].lower() in (b"<a ", b"<a\n", b"<a\t"):
            licence = _linked_licence(attributes(page[start + 2 : end]))
            if licence:
                return licence
        place = find(data, _WORD, place + _WORD.size, len(page))
    return None
