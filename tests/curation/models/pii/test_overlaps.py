"""Which spans stay, by hand."""

import pytest

from curation.models.pii.overlaps import PiiSpan, SpanSet, apart, without_contained

LONG = PiiSpan("a", 0, 9, 0.5)
INNER = PiiSpan("a", 2, 5, 0.5)
OTHER = PiiSpan("b", 2, 5, 0.5)


@pytest.mark.parametrize(
    ("spans", "kept"),
    [
        pytest.param([LONG, INNER], [LONG], id="contained"),
        pytest.param([LONG, LONG], [LONG], id="twice"),
        pytest.param([LONG, INNER._replace(score=0.6)], [LONG, INNER._replace(score=0.6)], id="contained, surer"),
        pytest.param([LONG, OTHER], [LONG, OTHER], id="of another kind"),
        pytest.param([LONG, PiiSpan("a", 5, 12, 0.1)], [LONG, PiiSpan("a", 5, 12, 0.1)], id="overlapping"),
        pytest.param([], [], id="none"),
    ],
)
def test_contained(spans: list[PiiSpan], kept: list[PiiSpan]) -> None:
    assert without_contained(spans) == kept


@pytest.mark.parametrize(
    ("spans", "kept"),
    [
        pytest.param([OTHER, LONG], [LONG], id="the longest"),
        pytest.param([LONG, OTHER._replace(score=1.0)], [OTHER._replace(score=1.0)], id="the surest"),
        pytest.param([OTHER, INNER], [INNER], id="the first by kind"),
        pytest.param(
            [PiiSpan("b", 9, 10, 0.1), LONG], [LONG, PiiSpan("b", 9, 10, 0.1)], id="one ends where one begins"
        ),
    ],
)
def test_apart(spans: list[PiiSpan], kept: list[PiiSpan]) -> None:
    assert apart(spans) == kept


def test_touched() -> None:
    touched = SpanSet([PiiSpan("ip", 5, 9, 1.0), PiiSpan("iban", 2, 6, 1.0), PiiSpan("ip", 20, 22, 1.0)])
    assert [touched.has(*place) for place in ((0, 2), (0, 3), (8, 12), (9, 20), (21, 22))] == [
        False,
        True,
        True,
        False,
        True,
    ]
    touched.add(12, 14)
    assert touched.has(13, 15)
    assert not touched.has(14, 20)
