"""Shapes by hand, and of all of Presidio's patterns."""

import pytest

from curation.models.pii.recognizer_list import known
from curation.models.pii.recognizers import make
from curation.text.patterns.shape import DIGITS, UNBOUNDED, Shape, shape_of

pytest.importorskip("presidio_analyzer")


def shape(anchor: str = DIGITS, *, longest: int = UNBOUNDED, **lengths: int) -> Shape:
    given = {name: lengths.get(name, 0) for name in ("anchors", "gap", "lead", "trail", "shortest")}
    return Shape(
        anchor=anchor, **given, longest=longest, before=lengths.get("before", 1), after=lengths.get("after", 1)
    )


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        pytest.param(r"\b\d{3}-\d{4}\b", shape(anchors=7, gap=1, longest=8), id="digits and a hyphen"),
        pytest.param(
            r"\b[A-Z]{2}\d{4}[A-Z]?\b", shape(anchors=4, lead=2, trail=1, shortest=6, longest=7), id="letters"
        ),
        pytest.param(r"\d{2}[A-Z0-9]{3}", shape(anchors=2, trail=3, shortest=5), id="letters or digits"),
        pytest.param(r"HR\s*\d", shape(anchors=1, lead=2), id="whitespace has no length"),
        pytest.param(r"(?<!abc)\d(?!\w)", shape(anchors=1, shortest=1, before=4, after=2), id="assertions"),
        pytest.param(r"(?:ab|c)\d|\d{2}d", shape(anchors=1, lead=2, trail=1, shortest=2), id="alternatives"),
        pytest.param(r"(?:x\d?){3}\d", shape(anchors=1, gap=3, lead=3, shortest=4), id="a repetition without anchors"),
        pytest.param(r"\w+@\w+", shape("@", anchors=1, lead=UNBOUNDED, trail=UNBOUNDED), id="any length"),
        pytest.param(r"([ab]:)\1x", shape(":", anchors=2, gap=1, lead=1, trail=1), id="a group again"),
        pytest.param(r"[a-z]+", None, id="no anchor"),
        pytest.param(r".*\d", None, id="no bound"),
        pytest.param(r"\w+ \d", None, id="any length and whitespace"),
    ],
)
def test_shape(pattern: str, expected: Shape | None) -> None:
    assert shape_of(pattern) == expected


def test_only_two_of_presidios_recognizers_must_read_whole_texts() -> None:
    unbounded = set()
    for one in known():
        recognizer = make(one, one.language or "en")
        patterns = getattr(recognizer, "patterns", [])
        unbounded |= {one.kind for pattern in patterns if shape_of(pattern.regex) is None}
    assert unbounded == {"it_fiscal_code", "us_health_insurance_member_id"}
