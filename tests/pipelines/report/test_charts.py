"""Charts that are drawn without a browser: where limits lie among bars, and lines with values that are no numbers."""

import re
from math import inf, nan

import pytest

from curation.account.tune.distribution import HistogramBin
from curation.account.tune.spreads import Histogram
from pipelines.report.charts.histogram import WIDTH, histogram_chart
from pipelines.report.charts.lines import line_chart

HALVES = (HistogramBin(0.0, 0.5, 4), HistogramBin(0.5, 1.0, 1))
COUNTS = (HistogramBin(1.0, 2.0, 4), HistogramBin(2.0, 3.0, 1))


@pytest.mark.parametrize(
    ("bins", "limits", "lines", "beyond"),
    [
        pytest.param(HALVES, {"low": 0.5}, [0.5], 1, id="between two bars"),
        pytest.param(HALVES, {"high": 0.75}, [0.75], 0, id="far out, in the last bar, which has values on both sides"),
        pytest.param(HALVES, {"low": 0.25}, [0.25], 0, id="in the first bar"),
        pytest.param(HALVES, {"low": -1.0, "high": 2.0}, [], 0, id="beyond all values"),
        pytest.param(COUNTS, {"high": 1}, [0.5], 1, id="at most one, of whole numbers"),
        pytest.param(COUNTS, {"low": 2}, [0.5], 1, id="at least two, of whole numbers"),
    ],
)
def test_limits(bins: tuple[HistogramBin, ...], limits: dict[str, float], lines: list[float], beyond: int) -> None:
    drawn = histogram_chart(Histogram("a.b", None, 5, 0, None, None, {}, limits, limits, bins=bins))
    assert [float(x) for x in re.findall(r'class="limit" d="M([\d.]+)', drawn)] == [WIDTH * line for line in lines]
    (lost,) = re.findall(r'class="lost" d="([^"]*)"', drawn)
    assert lost.count("M") == beyond


def test_lines_pass_over_what_is_no_number() -> None:
    drawn = line_chart("loss", [("a", (1, 2, 3, 4), (3.0, nan, inf, 1.0)), ("b", (), ())])
    assert [points.count(",") for points in re.findall('points="([^"]*)"', drawn)] == [2, 0]
    assert not re.search("nan|inf", drawn)
    assert line_chart("loss", [("a", (1,), (nan,))]) == ""
