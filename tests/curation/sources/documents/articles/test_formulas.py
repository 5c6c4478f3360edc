"""MathML and TeX of articles as TeX."""

import pytest
from lxml import etree

from curation.sources.documents.articles.formulas import formula_of

F = "<mi>f</mi><mo>(</mo><mi>t</mi><mo>,</mo><mi>x</mi><mo>)</mo>"
ROW = "<mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr>"


@pytest.mark.parametrize(
    ("mathml", "expected"),
    [
        pytest.param(F, "f(t, x)", id="brackets"),
        pytest.param("<mo>[</mo><mn>0</mn><mo>,</mo><mn>1</mn><mo>)</mo>", "[0, 1)", id="brackets of two kinds"),
        pytest.param("<mo>{</mo><mi>x</mi><mo>|</mo><mi>y</mi><mo>}</mo>", r"\{x | y\}", id="a set"),
        pytest.param("<mfenced><mi>x</mi><mi>y</mi></mfenced>", "(x, y)", id="fenced"),
        pytest.param(
            '<mfenced open="|" close="|" separators=""><mi>x</mi><mo>-</mo><mn>1</mn></mfenced>',
            "| x - 1 |",
            id="fenced without separators",
        ),
        pytest.param(
            "<msup><mrow><mo>(</mo><mi>a</mi><mo>+</mo><mi>b</mi><mo>)</mo></mrow><mn>2</mn></msup>",
            "(a + b)^{2}",
            id="a power of brackets",
        ),
        pytest.param("<msub><mover><mi>k</mi><mo>^</mo></mover><mi>i</mi></msub>", r"\hat{k}_{i}", id="an accent"),
        pytest.param("<mover><mi>k</mi><mo>\u0302</mo></mover>", r"\hat{k}", id="a combining accent"),
        pytest.param("<mi>log</mi><mo>\u2061</mo><mi>x</mi>", r"\log x", id="a function"),
        pytest.param("<mfrac><mn>1</mn><mn>2</mn></mfrac>", r"\frac{1}{2}", id="a fraction"),
        pytest.param("<mroot><mi>x</mi><mn>3</mn></mroot>", r"\sqrt[3]{x}", id="a root"),
        pytest.param("<mi>a</mi><mo>∼</mo><mi>b</mi>", r"a \sim b", id="a sign"),
        pytest.param(
            f"<mo>[</mo><mtable>{ROW}{ROW}</mtable><mo>]</mo>",
            r"[\begin{matrix} a & b \\ a & b \end{matrix}]",
            id="a matrix",
        ),
        pytest.param(
            f"<mtable>{ROW}</mtable>", r"\begin{aligned} a & b \end{aligned}", id="equations below one another"
        ),
        pytest.param(
            "<semantics><mi>x</mi><annotation encoding='application/x-tex'>x_1</annotation></semantics>",
            "x_1",
            id="TeX beside it",
        ),
        pytest.param("<msup><mi>x</mi></msup>", "x", id="a part is missing"),
    ],
)
def test_mathml(mathml: str, expected: str) -> None:
    element = etree.fromstring(f'<math xmlns="http://www.w3.org/1998/Math/MathML">{mathml}</math>')
    assert formula_of(element) == f"${expected}$"


def test_mathml_within_mathml_without_end() -> None:
    element = etree.fromstring(f"<math>{'<mrow>' * 240}<mi>x</mi>{'</mrow>' * 240}<mi>y</mi></math>")
    assert formula_of(element) == "$y$"
