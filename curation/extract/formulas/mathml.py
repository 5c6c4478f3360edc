"""The TeX of a `<math>` element: its annotation, its `alttext`, or its MathML written as TeX.

Source: W3C, "Mathematical Markup Language (MathML) Version 3.0", 5.1, for annotations. MathML is written as TeX by
`mathml-to-latex` (A. Nunes, MIT, pure Python, 140 kB), about 0.5 ms a formula.
"""

import re
from html.parser import HTMLParser
from xml.sax.saxutils import escape, quoteattr

from curation.extract.declared import attributes
from curation.extract.formulas.tex import MAX_CHARACTERS
from curation.text.html.unescape import unescaped

MAX_BYTES = 100_000  # of MathML without TeX that is written as TeX, at most

_ANNOTATION = re.compile(rb"<(?:mml:|m:)?annotation\b([^<>]*)>([^<]*)(?=<)", re.IGNORECASE)
_IN_TEX = re.compile(rb"\bencoding\s*=\s*[\"']?(?:application/x-(?:la)?tex|(?:la)?tex)\b", re.IGNORECASE)
_DROPPED = ("annotation", "annotation-xml")


def tex_of(element: bytes, tag: bytes) -> tuple[str | None, bool]:
    """The TeX of a `<math>` element and its start tag, None if it has none; and whether it is displayed."""
    stated = attributes(tag) if len(tag) < MAX_CHARACTERS else {}
    display = stated.get("display") == "block" or stated.get("mode") == "display"
    element = _without_sections(element)
    tex = next((one[2] for one in _ANNOTATION.finditer(element) if _IN_TEX.search(one[1])), b"")
    if tex.strip():
        return unescaped(tex.decode("utf-8", "replace")), display
    return stated.get("alttext") or None, display


def _without_sections(element: bytes) -> bytes:
    """Markup with the text of its CDATA sections in their place; one without an end stays."""
    parts: list[bytes] = []
    done = 0
    while (start := element.find(b"<![CDATA[", done)) >= 0 and (end := element.find(b"]]>", start + 9)) >= 0:
        parts += (element[done:start], escape(element[start + 9 : end].decode("utf-8", "replace")).encode())
        done = end + 3
    return b"".join([*parts, element[done:]])


def converted(element: bytes) -> str | None:
    """The TeX that says what an element's MathML says; None if it is no such MathML, or too long."""
    if len(element) > MAX_BYTES:
        return None
    from mathml_to_latex.converter import MathMLToLaTeX

    reading = _WellFormed()
    try:
        reading.feed(element.decode("utf-8", "replace"))
        reading.close()
        tex = str(MathMLToLaTeX.convert(reading.text()))
    except Exception:  # the library raises whatever its parts do for MathML with parts missing
        return None
    return tex if tex.strip() else None


class _WellFormed(HTMLParser):
    """Writes HTML's MathML as XML: no prefixes, every element closed, every attribute quoted, no annotations."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._open: list[str] = []
        self._skipped = 0

    def text(self) -> str:
        return "".join(self._parts) + "".join(f"</{name}>" for name in reversed(self._open))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        name = tag.rpartition(":")[2]
        if name in _DROPPED or self._skipped:
            self._skipped += name in _DROPPED
            return
        stated = {key.rpartition(":")[2]: value or "" for key, value in attrs if key.isidentifier()}
        self._parts.append(f"<{name}{''.join(f' {key}={quoteattr(value)}' for key, value in stated.items())}>")
        self._open.append(name)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        name = tag.rpartition(":")[2]
        if self._skipped:
            self._skipped -= name in _DROPPED
        elif name in self._open:
            while (inner := self._open.pop()) != name:
                self._parts.append(f"</{inner}>")
            self._parts.append(f"</{name}>")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self._parts.append(escape(data))
