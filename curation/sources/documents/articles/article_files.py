"""Finds the articles in a file of XML: one, or several in an envelope, each with its translations, replies and reviews.

Entities that a file declares are not expanded, and nothing is loaded. Characters by the names that HTML and ISO give
them ("&mdash;") are read without the DTD that declares them.
"""

import re
from collections.abc import Iterator
from html.entities import html5

from lxml import etree

from curation.sources.documents.articles.code_blocks import mark_code
from curation.sources.documents.articles.elements import Element
from curation.sources.documents.articles.lists import mark_items

_NAMED = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{0,31});")
_ROOT = re.compile(rb"<[A-Za-z][\w.-]*+(?![:\w.-])")
_NAMESPACES = (  # by their usual prefixes, as the DTD declares them
    (b"xlink", b"http://www.w3.org/1999/xlink"),
    (b"mml", b"http://www.w3.org/1998/Math/MathML"),
    (b"ali", b"http://www.niso.org/schemas/ali/1.0/"),
    (b"xsi", b"http://www.w3.org/2001/XMLSchema-instance"),
)
_GREEK = "agr bgr ggr dgr egr zgr eegr thgr igr kgr lgr mgr ngr xgr ogr pgr rgr sfgr sgr tgr ugr phgr khgr psgr ohgr"
_LETTERS = dict(zip(_GREEK.split(), "αβγδεζηθικλμνξοπρςστυφχψω", strict=True))  # by the names of ISO
_CHARACTERS = {
    **html5,
    **{f"{name};": letter for name, letter in _LETTERS.items()},
    **{f"{name[:-2].upper()}gr;": letter.upper() for name, letter in _LETTERS.items()},
    **{"fdg;": "°.", "farcm;": "′.", "farcs;": "″."},  # of astronomers' journals
}
_WRITTEN = b"<?CDATA "  # by which IOP marks the TeX of formulas
_OTHER_ARTICLES = "elsevier.com"  # whose articles have this name too


class NoArticleError(ValueError):
    """Raised for what is no article; says why, in a word for a count."""


def articles_in(content: bytes) -> Iterator[Element]:
    """The articles and their parts, in order. Raises NoArticleError: "damaged", "entities" or "not_jats"."""
    content = _with_characters(_with_formulas(content))
    try:
        root = _parsed(content)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NoArticleError("damaged") from error
    if _uses_declared(root, content):
        raise NoArticleError("entities")
    articles = [one for one in root.iter("{*}article") if _OTHER_ARTICLES not in one.tag]
    if not articles:
        raise NoArticleError("not_jats")
    for article in articles:
        mark_items(article)
        mark_code(article)
        yield article
        yield from (part for part in article.iter("{*}sub-article", "{*}response") if _owner(part) is article)


def _parsed(content: bytes) -> Element:
    """The root, also of a file that leaves the usual namespaces to its DTD."""
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        return etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        if error.code != etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE:
            raise
    missing = [b' xmlns:%s="%s"' % one for one in _NAMESPACES if b"xmlns:%s=" % one[0] not in content]
    return etree.fromstring(_ROOT.sub(lambda root: root[0] + b"".join(missing), content, count=1), parser)


def _owner(part: Element) -> Element:
    """The article that a part belongs to."""
    return next(one for one in part.iterancestors("{*}article"))


def _uses_declared(root: Element, content: bytes) -> bool:
    """Whether text or a declaration has an entity that the file declares; names of pictures are declared as such."""
    declared = root.getroottree().docinfo.internalDTD
    names = {one.name for one in declared.entities()} if declared is not None else set()
    used = {name.decode() for name in _NAMED.findall(content)} if names else set()
    return bool(names) and any(name in names for name in (*used, *(one.name for one in root.iter(etree.Entity))))


def _with_formulas(content: bytes) -> bytes:
    """XML whose TeX is text where it was an instruction for a program."""
    first, *marked = content.split(_WRITTEN)
    for place, part in enumerate(marked):
        tex, end, behind = part.partition(b"?>")
        marked[place] = b"<![CDATA[%s]]>%s" % (tex, behind) if end and b"]]>" not in tex else _WRITTEN + part
    return first + b"".join(marked)


def _with_characters(content: bytes) -> bytes:
    """XML with characters in the places of their names, except in CDATA."""
    if _NAMED.search(content) is None:
        return content
    parts: list[bytes] = []
    done = 0
    while (start := content.find(b"<![CDATA[", done)) >= 0 and (end := content.find(b"]]>", start)) >= 0:
        parts += [_NAMED.sub(_character, content[done:start]), content[start:end]]
        done = end
    return b"".join([*parts, _NAMED.sub(_character, content[done:])])


def _character(named: re.Match[bytes]) -> bytes:
    meant = _CHARACTERS.get(f"{named[1].decode()};")
    return named[0] if meant is None else "".join(f"&#{ord(one)};" for one in meant).encode()
