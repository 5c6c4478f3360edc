"""A formula of an article as TeX between dollars: `tex-math` as it is, MathML as `mathml-to-latex` writes it.

Where that library fails, the formula is its `alttext` or its words.
"""

import re
from typing import Any, TypeAlias

from lxml import etree

Element: TypeAlias = Any  # of lxml

MATHML = "{http://www.w3.org/1998/Math/MathML}math"
_BLANKS = re.compile(r"\s+")
_TEX_BODY = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)


def best_formula(element: Element) -> Element | None:
    """The TeX among several writings of a formula, otherwise its MathML."""
    tex = next(element.iter("{*}tex-math"), None)
    return next(element.iter(MATHML), None) if tex is None else tex


def formula_of(element: Element) -> str:
    """The TeX of a `tex-math` or of MathML between dollars; "" for none."""
    if element.tag == MATHML:
        tex = _tex_of(element) or element.get("alttext") or "".join(element.itertext())
    else:
        written = "".join(element.itertext())
        body = _TEX_BODY.search(written)
        tex = body[1] if body else written
    tex = _BLANKS.sub(" ", tex).strip().strip("$").strip()
    return f"${tex}$" if tex else ""


def _tex_of(mathml: Element) -> str | None:
    from mathml_to_latex.converter import MathMLToLaTeX  # few articles have no TeX

    plain = etree.fromstring(etree.tostring(mathml, with_tail=False))
    for one in plain.iter():
        if isinstance(one.tag, str):
            one.tag = one.tag.rpartition("}")[2]
    etree.cleanup_namespaces(plain)
    try:
        return str(MathMLToLaTeX.convert(etree.tostring(plain, encoding="unicode"))) or None
    except Exception:  # the library raises whatever its parts do for MathML with parts missing
        return None
