"""Elements that hold formulas: what stands in their place, and what stays."""

from curation.extract.formulas.elements import MAX_CONVERTED, with_tex
from tests.support import table

TEX = '<annotation encoding="application/x-tex">x_1</annotation>'
MATH = f"<math><semantics><mi>q</mi>{TEX}</semantics></math>"


@table(
    ("page", "expected"),
    {
        "annotated": (f"a {MATH} b", "a $x_1$ b"),
        "alttext": ('<math alttext="a<b" display=block><mi>q</mi></math>', "$$a&lt; b$$"),
        "MathML alone": ("<math><msup><mi>x</mi><mn>2</mn></msup></math>", "$x^{2}$"),
        "a script": ('<script type="math/tex">a<b</script>', "$a&lt; b$"),
        "CDATA": ('<script type="math/tex; mode=display">% <![CDATA[\na & b %]]></script>', "$$a &amp; b$$"),
        "AsciiMath": ('<script type="math/asciimath">x^2</script>', None),
        "a picture": ('<img class=tex alt="\\pi">', "$\\pi$"),
        "a picture of the same": (f'{MATH}</span> <img class=tex alt="x_1">', "</span> $x_1$"),
        "twice": (f'{MATH} and <img class=tex alt="x_1">', "$x_1$ and $x_1$"),
        "KaTeX": (f'<span class="katex">{MATH}<span class="katex-html"><b>x1</b></span></span>.', "$x_1$."),
        "KaTeX displayed": (f'<span class="katex-display"><span class=katex>{MATH}</span></span>', "$$x_1$$"),
        "KaTeX without MathML": ('<span class="katex">x</span>', None),
        "a container": (f"<mjx-container display=true>{MATH}</mjx-container>", "$$x_1$$"),
        "a saved script": ('<span class="MathJax">q</span><script type="math/tex">x</script>', "$x$"),
        "no script": ('<span class="MathJax">q</span>', None),
        "MediaWiki": (
            f'a<div class="mwe-math-element">{MATH.replace("<math", "<math display=block")}</div>b',
            "a<p>$$x_1$$</p>b",
        ),
        "words beside": (f'so<span class="katex-display"><span class=katex>{MATH}</span></span>and', "so $$x_1$$ and"),
        "alone in a box": (f"<div>{MATH}</div>", "<div><p>$x_1$</p></div>"),
        "unclosed": ("<math><mi>x</mi>", None),
        "empty": ("<math></math>", None),
        "a comment": (f"<!-- {MATH} -->", None),
        "unbalanced": ("</math><math>", None),
        "nothing": ("", None),
    },
)
def test_what_stands_in_the_place_of_an_element(page: str, expected: str | None) -> None:
    markup, formulas = with_tex(page.encode())
    assert markup.decode() == (page if expected is None else expected)
    assert formulas == (0 if expected is None else expected.count("$") // (4 if "$$" in expected else 2))


def test_tex_of_a_megabyte_is_left() -> None:
    for page in (f'<math alttext="{"x" * (1 << 20)}"></math>', f'<script type="math/tex">{"x" * (1 << 20)}</script>',
                 f'<img class="tex" alt="{"x^" * (1 << 20)}">'):  # fmt: skip
        assert with_tex(page.encode()) == (page.encode(), 0)


def test_a_page_pays_for_so_much_mathml() -> None:
    one = b'<math><mi id="' + b"x" * 80_000 + b'">x</mi></math>'
    assert with_tex(one * 20)[1] == MAX_CONVERTED // len(one)


def test_many_unclosed_elements_take_no_longer_than_they_are() -> None:
    for tag in ('<span class="katex">', '<span class="MathJax">', "<math>", "<mjx-container>"):
        page = tag.encode() * 50_000
        assert with_tex(page) == (page, 0)
