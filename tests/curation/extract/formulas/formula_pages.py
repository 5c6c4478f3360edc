"""Pages with formulas in every form that the web has: how a page states a formula, and the text that must stand for it.

The formulas stand in sentences, in paragraphs of their own, in lists, tables and plain boxes.
"""

import html
from typing import NamedTuple
from urllib.parse import quote

INLINE = (
    r"x^{2}", r"\alpha_{i}", r"a < b", r"p \neq 0", r"\frac{a}{b+c}", r"f\colon A\to B", r"n!", r"\sqrt[3]{y}", r"i< j",
)  # fmt: skip
DISPLAYED = (
    r"\sum_{k=1}^{n} k = \frac{n(n+1)}{2}", r"\int_0^1 f(x)\,dx < \infty", r"a & b \\ c & d", r"e^{i\pi} + 1 = 0",
)  # fmt: skip
SENTENCES = (
    "The gulls came back to the harbour in the third week of March, and with them %s came the first of the boats.",
    "Nobody in the village had expected that the tide would turn so early, although %s had been known for years.",
    "When the warden measured the sand banks again, he found %s in his notes, and wrote it down a second time.",
    "It follows from what the fishermen told us that %s holds whenever the wind blows from the north all day.",
)
ALONE = (
    "<p>%s</p>",
    "<div class=equation>%s (1)</div>",
    "<center><span>%s</span></center>",
    "<p>We find that<br>%s<br>and so it goes on until the evening.</p>",
    "<p>So %s.</p>",
)


class Page(NamedTuple):
    """A page's body, and the formulas that the text must hold."""

    name: str
    body: str
    formulas: tuple[str, ...]


def page(name: str, inline: dict[str, str], displayed: dict[str, str], head: str = "") -> Page:
    """A page with each formula once: markup -> the text that must stand for it."""
    sentences = [SENTENCES[i % 4] % markup for i, markup in enumerate(inline)]
    paragraphs = [f"<p>{' '.join(sentences[i : i + 2])}</p>" for i in range(0, len(sentences), 2)]
    alone = [ALONE[i % 5] % markup + f"<p>{SENTENCES[i % 4] % 'this'}</p>" for i, markup in enumerate(displayed)]
    body = (
        f"<!DOCTYPE html><html><head><title>Tides of {name}</title>{head}</head><body><nav><a href=/>Home</a></nav>"
        f"<article><h1>Tides of {name}</h1>{''.join(paragraphs)}{''.join(alone)}</article>"
        "<footer>All rights reserved</footer></body></html>"
    )
    return Page(name, body, (*inline.values(), *displayed.values()))


def _annotated(tex: str, display: str = "") -> str:
    """As MediaWiki, Pandoc and LaTeXML write MathML."""
    return (
        f'<math xmlns="http://www.w3.org/1998/Math/MathML"{display}><semantics><mrow><mi>q</mi><mo>=</mo><mn>7</mn></mrow>'
        f'<annotation encoding="application/x-tex">{html.escape(tex)}</annotation></semantics></math>'
    )


def _wikipedia(tex: str, style: str = r"\displaystyle") -> str:
    styled = f"{{{style} {tex}}}"
    picture = f'<img src="https://wikimedia.org/api/rest_v1/media/math/render/svg/1" alt="{html.escape(styled)}">'
    return (
        '<span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y" '
        f'style="display: none;">{_annotated(styled)}</span>{picture}</span>'
    )


def _katex(tex: str, display: str = "") -> str:
    boxes = '<span class="katex-html" aria-hidden="true"><span class="base"><span class="mord">q=7</span></span></span>'
    inner = f'<span class="katex"><span class="katex-mathml">{_annotated(tex, display)}</span>{boxes}</span>'
    return f'<span class="katex-display">{inner}</span>' if display else inner


def _mathjax_saved(tex: str, mode: str = "") -> str:
    """A page with MathJax 2 as a browser saves it: preview, boxes, and the script."""
    return (
        '<span class="MathJax_Preview">q=7</span><span class="MathJax" id="E1"><span class="math">q=7</span></span>'
        f'<script type="math/tex{mode}" id="E-1">{tex}</script>'
    )


def _container(mathml: str, display: str = "") -> str:
    """MathJax 3 as a browser saves it."""
    return (
        f'<mjx-container class="MathJax" jax="CHTML"{display}><mjx-math aria-hidden="true"><mjx-mi class="mjx-i">'
        "<mjx-c></mjx-c></mjx-mi></mjx-math><mjx-assistive-mml unselectable=on>"
        f"<math>{mathml}</math></mjx-assistive-mml></mjx-container>"
    )


def _dollars(markup: dict[str, str]) -> dict[str, str]:
    return {stated: f"${tex}$" for stated, tex in markup.items()}


def _double(markup: dict[str, str]) -> dict[str, str]:
    return {stated: f"$${tex}$$" for stated, tex in markup.items()}


MATHML = {  # without any TeX in the page
    "<mi>x</mi><mo>+</mo><mn>1</mn>": "x + 1",
    "<msup><mi>x</mi><mn>2</mn></msup>": "x^{2}",
    "<mfrac><mi>a</mi><mi>b</mi></mfrac>": r"\frac{a}{b}",
    "<msub><mi>v</mi><mn>0</mn></msub>": "v_{0}",
    "<msqrt><mi>y</mi></msqrt>": r"\sqrt{y}",
    "<mi>a</mi><mo>&#x2260;</mo><mi>b</mi>": r"a \neq b",
    "<mi>&alpha;</mi><mo>&lt;</mo><mn>3</mn>": r"\alpha < 3",
}
LOADER = '<script async src="https://cdn.example/mathjax@3/es5/tex-mml-chtml.js"></script>'
SINGLE = LOADER + '<script>MathJax = {tex: {inlineMath: [["$", "$"], ["\\\\(", "\\\\)"]]}};</script>'
WORDPRESS = "https://s0.wp.com/latex.php?latex=%s&bg=ffffff"
CODECOGS = "https://latex.codecogs.com/png.latex?%s"


def _picture(tex: str, source: str = "/img/1.png", kind: str = "", alt: bool = True) -> str:
    stated = f' alt="{html.escape(tex)}"' if alt else ""
    return f'<img src="{source}"{stated}{kind}>'


def _delimited(opening: str, closing: str, texts: tuple[str, ...]) -> dict[str, str]:
    return {f"{opening}{html.escape(tex)}{closing}": f"{opening}{tex}{closing}" for tex in texts}


PAGES = (
    page("annotations", _dollars({_annotated(t): t for t in INLINE}),
         _double({_annotated(t, ' display="block"'): t for t in DISPLAYED})),
    page("alttext", _dollars({f'<math alttext="{html.escape(t)}"><mi>q</mi></math>': t for t in INLINE}),
         _double({f'<math alttext="{html.escape(t)}" display="block"><mi>q</mi></math>': t for t in DISPLAYED})),
    page("an encyclopedia", _dollars({_wikipedia(t): t for t in INLINE + DISPLAYED}), {}),
    page("scripts", _dollars({f'<script type="math/tex">{t}</script>': t for t in INLINE}),
         _double({f'<script type="math/tex; mode=display">{t}</script>': t for t in DISPLAYED})),
    page("saved scripts", _dollars({_mathjax_saved(t): t for t in INLINE}),
         _double({_mathjax_saved(t, "; mode=display"): t for t in DISPLAYED})),
    page("katex", _dollars({_katex(t): t for t in INLINE}),
         _double({_katex(t, ' display="block"'): t for t in DISPLAYED})),
    page("containers", _dollars({_container(m): t for m, t in MATHML.items()}),
         _double({_container(m, ' display="true"'): t for m, t in list(MATHML.items())[:2]})),
    page("bare mathml", _dollars({f"<math>{m}</math>": t for m, t in MATHML.items()}),
         _double({f'<math display="block">{m}</math>': t for m, t in MATHML.items()})),
    page("prefixed mathml", _dollars({f"<mml:math>{m.replace('<m', '<mml:m').replace('</m', '</mml:m')}</mml:math>": t
                                      for m, t in MATHML.items()}), {}),
    page("blog pictures", _dollars({_picture(t, WORDPRESS % quote(t), ' class="latex"'): t for t in INLINE}), {}),
    page("rendered pictures", _dollars({_picture(t, CODECOGS % quote(t), alt=False): t for t in DISPLAYED}), {}),
    page("classed pictures", _dollars({_picture(t, kind=' class="img tex"'): t for t in INLINE}),
         _double({_picture(f"$${t}$$", kind=" class='math-tex'"): t for t in DISPLAYED}) , '<link href="latex.css">'),
    page("round delimiters", _delimited(r"\(", r"\)", INLINE), _delimited(r"\[", r"\]", DISPLAYED), LOADER),
    page("dollars", _delimited("$", "$", INLINE), _delimited("$$", "$$", DISPLAYED), SINGLE),
    page("broken delimiters", {
        "\\(x\n+\n  y\\)": r"\(x + y\)", r"\(a<b\)": r"\(a< b\)", "$v<em>1 + w</em>2$": "$v_1 + w_2$",
        r"\(s & t\)": r"\(s & t\)",
    }, {
        "\\[\nu = v \\\\ % the same\n w\n\\]": r"\[u = v \\ w\]", "$$ m<br>n $$": "$$ m n $$",
        "\\begin{align}\na &= b \\\\\nc &< d\n\\end{align}": r"\begin{align} a &= b \\ c &< d \end{align}",
    }, SINGLE),
)  # fmt: skip
