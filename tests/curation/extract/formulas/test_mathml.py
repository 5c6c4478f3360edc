"""The TeX of MathML: stated beside it, or made from it."""

import pytest

from curation.extract.formulas.mathml import MAX_BYTES, converted, tex_of

X = "<math><semantics><mi>q</mi>%s</semantics></math>"


@pytest.mark.parametrize(
    "annotation",
    [
        '<annotation encoding="application/x-tex">a &lt; b</annotation>',
        "<annotation encoding='application/x-latex'>a &lt; b</annotation>",
        "<mml:annotation id=1 encoding=TeX>a &lt; b</mml:annotation>",
        '<annotation encoding="LaTeX"><![CDATA[a < b]]></annotation>',
        "<annotation encoding=application/x-mathml>no</annotation><annotation encoding=tex>a &lt; b</annotation>",
    ],
)
def test_annotations(annotation: str) -> None:
    assert tex_of((X % annotation).encode(), b"<math>") == ("a < b", False)


def test_alttext_counts_where_no_annotation_does() -> None:
    tag = b'<math alttext="a &lt; b" display="block">'
    assert tex_of(tag + b"<mi>q</mi></math>", tag) == ("a < b", True)
    assert tex_of(tag + b'<annotation encoding="application/x-tex"> </annotation></math>', tag)[0] == "a < b"
    assert tex_of(b'<math mode="display"><mi>q</mi></math>', b'<math mode="display">') == (None, True)


@pytest.mark.parametrize(
    ("mathml", "tex"),
    [
        pytest.param("<math><mi>x</mi><mo>+</mo><mn>1</mn></math>", "x + 1", id="operators"),
        pytest.param("<m:math><m:msup><m:mi>x</m:mi><m:mn>2</m:mn></m:msup></m:math>", "x^{2}", id="a prefix"),
        pytest.param("<math><mfrac><mi>a</mi><mi>b</mi></math>", r"\frac{a}{b}", id="an element left open"),
        pytest.param("<math><mi>a</mi><mo>&ne;</mo><mi>&beta;</mi></math>", r"a \neq \beta", id="names of HTML"),
        pytest.param("<math><mi mathvariant=bold>v</mi></math>", r"\mathbf{v}", id="no quotes"),
        pytest.param(X % "<annotation-xml><ci>z</ci></annotation-xml>", "q", id="other annotations"),
    ],
)
def test_mathml_as_tex(mathml: str, tex: str) -> None:
    assert converted(mathml.encode()) == tex


@pytest.mark.parametrize(
    "mathml",
    [
        pytest.param("<math><mfrac><mi>a</mi></mfrac></math>", id="a fraction of one"),
        pytest.param("<math></math>", id="empty"),
        pytest.param("<math>" + "<mrow>" * 2_000 + "</math>", id="nested without end"),
        pytest.param("<math>" + "<mi>x</mi>" * (MAX_BYTES // 10) + "</math>", id="too long"),
    ],
)
def test_what_cannot_be_written_is_none(mathml: str) -> None:
    assert converted(mathml.encode()) is None


@pytest.mark.parametrize(
    ("inside", "tex"),
    [
        pytest.param("<![CDATA[>" * 200_000, None, id="sections without an end"),
        pytest.param("<annotation " + "encoding=tex " * 100_000, None, id="a tag without an end"),
        pytest.param("<annotation encoding=tex>" * 100_000, None, id="annotations without text"),
        pytest.param("<![CDATA[>" * 200_000 + "]]><annotation encoding=tex>a</annotation>", "a", id="a late end"),
    ],
)
def test_what_is_repeated_takes_no_time(inside: str, tex: str | None) -> None:
    assert tex_of(f"<math>{inside}</math>".encode(), b"<math>") == (tex, False)


def test_a_reference_of_many_digits_is_a_character_that_does_not_exist() -> None:
    annotation = "<annotation encoding=tex>a &#" + "9" * 5_000 + ";</annotation>"
    assert tex_of(f"<math>{annotation}</math>".encode(), b"<math>") == ("a \ufffd", False)
