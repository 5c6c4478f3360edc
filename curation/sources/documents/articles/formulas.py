"""A formula of an article as TeX between dollars: `tex-math` as it is, MathML as `mathml-to-latex` writes it.

That library puts each bracket between `\\left` and `\\right` of its own and takes `mfenced` without separators for one
with commas, so brackets are given to it as characters that it leaves alone, and names of functions as commands. Where
it fails, the formula is its annotation in TeX, its `alttext` or its words.
"""

import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from curation.sources.documents.articles.elements import Element, name_of

_BLANKS = re.compile(r"\s+")
_INVISIBLE = re.compile("[\u200b\u2061-\u2064\ufeff]+")
_FENCES = str.maketrans({sign: chr(0xE000 + place) for place, sign in enumerate("()[]{}|‖")})  # private use
_UNFENCED = {
    **{0xE000 + place: sign for place, sign in enumerate(("(", ")", "[", "]", r"\{", r"\}", "|", r"\|"))},
    0xE010: r"\begin{aligned}",
    0xE011: r"\end{aligned}",
    0xE012: r"\begin{matrix}",
    0xE013: r"\end{matrix}",
}
_OPENED = re.compile("(?<=[\ue000\ue002\ue004]) ")
_CLOSING = re.compile(" (?=[\ue001\ue003\ue005])")
_APPLIED = re.compile("(?<=[\\w}\ue001]) (?=\ue000)")
_SIGNS = {
    "∼": r"\sim",
    "\u0302": "^",
    "\u0303": "˜",
    "\u0304": "¯",
    "\u0307": "˙",
    "\u20d7": "→",
}  # that it does not know
_COMMA = re.compile(r" (?=[,;](?: |\Z))")
_SIGN = re.compile(r"\{([-+]) (?=[\w\\])")
_STRAY = re.compile(r"[_^]\{\}")
_FUNCTIONS = frozenset(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min"
    " sec sin sinh sup tan tanh".split()
)
_OPENING = frozenset("([{|‖")  # of the base of a script
_CLOSED = frozenset(")]}|‖")
_ENDS = (("open", "("), ("close", ")"))  # of `mfenced`
_STATED = ("notation", "bevelled", "linethickness", "actiontype")  # what the library heeds of other elements
_SCRIPTS = frozenset("msub msup msubsup".split())
_ROWS = frozenset("mrow mstyle mpadded".split())
_LEAVES = frozenset("mi mo mn mtext ms".split())
_NOT_SHOWN = frozenset("annotation annotation-xml mphantom maligngroup malignmark".split())
_PICTURES = ("{*}graphic", "{*}inline-graphic", "{*}media")
_TEX = re.compile(r"(?:application/x-)?(?:la)?tex", re.IGNORECASE)
MATHEMATICS = frozenset(("math", "tex-math"))  # names of elements that are formulas
MAX_ELEMENTS = 20_000  # of MathML that is written as TeX
MAX_DEPTH = 100


def best_formula(element: Element) -> Element | None:
    """The TeX among several writings of a formula, otherwise its MathML; the TeX is empty where a picture shows it."""
    tex = next(element.iter("{*}tex-math"), None)
    if tex is not None and "".join(tex.itertext()).strip():
        return tex
    return next(element.iter("{*}math"), tex)


def is_picture(element: Element) -> bool:
    """Whether a formula is a picture alone, so that no text says it."""
    return not "".join(element.itertext()).strip() and next(element.iter(*_PICTURES), None) is not None


def formula_of(element: Element) -> str:
    """The TeX of a `tex-math` or of MathML between dollars; "" for none."""
    if name_of(element) == "math":
        tex = _annotated(element) or _tex_of(element) or element.get("alttext") or "".join(element.itertext())
    else:
        written = "".join(element.itertext())
        body, ended, _ = written.partition(r"\begin{document}")[2].partition(r"\end{document}")
        tex = body if ended else written
    tex = _BLANKS.sub(" ", tex).strip().strip("$").strip()
    return f"${tex}$" if tex else ""


def _annotated(mathml: Element) -> str | None:
    for annotation in mathml.iter("{*}annotation"):
        if _TEX.fullmatch(annotation.get("encoding", "")):
            return "".join(annotation.itertext()).strip() or None
    return None


def _tex_of(mathml: Element) -> str | None:
    from mathml_to_latex.converter import MathMLToLaTeX  # few articles have no TeX

    if sum(1 for _ in mathml.iter()) > MAX_ELEMENTS:
        return None
    written = f"<math>{''.join(_children(mathml, 0))}</math>"
    try:
        return _tidied(str(MathMLToLaTeX.convert(written))) or None
    except Exception:  # the library raises whatever its parts do for MathML with parts missing
        return None


def _children(source: Iterable[Element], depth: int) -> Iterator[str]:
    """The children of an element without namespaces, each in the form that the library writes well."""
    for child in source if depth < MAX_DEPTH else ():
        name = name_of(child)
        if name and name not in _NOT_SHOWN:
            yield _element(child, name, depth)


def _element(element: Element, name: str, depth: int) -> str:
    if name in _LEAVES:
        return _leaf(element, name)
    if name == "mfenced":
        return _fenced(element, depth)
    if name == "mtable":
        return _table(element, depth)
    children = _children(element, depth + 1)
    if name in _SCRIPTS:
        return f"<{name}>{_base(element, next(children, ''))}{''.join(children)}</{name}>"
    if name == "semantics":
        return "".join(children)
    stated = "".join(f" {key}={quoteattr(element.get(key))}" for key in _STATED if element.get(key) is not None)
    return f"<{name}{stated}>{''.join(children)}</{name}>"


def _leaf(element: Element, name: str) -> str:
    text = _INVISIBLE.sub("", "".join(element.itertext()).strip())
    text = f"\\{text}" if name in ("mi", "mo") and text in _FUNCTIONS else _SIGNS.get(text, text)
    variant = element.get("mathvariant")
    stated = f" mathvariant={quoteattr(variant)}" if variant else ""
    return f"<{name}{stated}>{escape(text.translate(_FENCES) if name == 'mo' else text)}</{name}>"


def _table(element: Element, depth: int) -> str:
    """A table between the marks of its beginning and end; that of a whole formula is a list of equations."""
    around = sum(1 for _ in element.iterancestors("{*}math", "{*}mrow", "{*}mstyle"))
    begin, end = "\ue010\ue011" if around == depth + 1 and len(element.getparent()) == 1 else "\ue012\ue013"
    rows = "".join(_children(element, depth + 1))
    return f"<mrow><mo>{begin}</mo><mtable>{rows}</mtable><mo>{end}</mo></mrow>"


def _fenced(element: Element, depth: int) -> str:
    """The brackets of an `mfenced`, and its separators between its parts, as operators."""
    separators = [f"<mo>{escape(one)}</mo>" for one in element.get("separators", ",").split()] or [""]
    parts = list(_children(element, depth + 1))
    between = [separators[min(place, len(separators) - 1)] for place in range(len(parts) - 1)]
    inner = "".join(part + separator for part, separator in zip(parts, [*between, ""], strict=False))
    opening, closing = (escape(element.get(end, sign).translate(_FENCES)) for end, sign in _ENDS)
    return f"<mrow><mo>{opening}</mo>{inner}<mo>{closing}</mo></mrow>"


def _base(scripts: Element, base: str) -> str:
    """The base of a script in a row of its own, so that the library writes no brackets but around several terms."""
    row = scripts[0]
    bare = name_of(row) in _ROWS and len(row) > 1
    if bare and (row[0].text not in _OPENING or row[-1].text not in _CLOSED):
        return base
    return f"<mrow>{base}</mrow>"


def _tidied(tex: str) -> str:
    tex = _BLANKS.sub(" ", tex)
    for pattern in (_OPENED, _CLOSING, _APPLIED, _STRAY, _COMMA):
        tex = pattern.sub("", tex)
    return _SIGN.sub(r"{\1", tex).replace(r"\_{", "{}_{").replace(" }", "}").translate(_UNFENCED).strip()
