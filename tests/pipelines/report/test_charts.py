"""Charts that are drawn without a browser: where limits lie among bars, and lines with values that are no numbers."""

import re
from math import inf, nan

import pytest

from curation.account.report.flow import FlowStep, SourceFlow
from curation.account.tune.distribution import HistogramBin
from curation.account.tune.spreads import Histogram
from pipelines.report.charts.flow import Totals, flow_chart, together
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


def test_the_flow_of_a_source_narrows_by_what_each_stage_drops() -> None:
    steps = (
        FlowStep("extract", 10, 5, 900, 500, None, {"extract:empty": 5}),
        FlowStep("a-name-of-17-long", 5, 5, 500, 500, 80, {}),
    )
    drawn = flow_chart(SourceFlow("web", 12, True, steps))
    assert 'viewBox="0 0 220 98" width="220" height="98"' in drawn  # two steps of 104 and 12; 8 + 56 + 34
    assert 'aria-label="web: 10 pages read, 5 kept"' in drawn
    bands = [(name, re.split("[A-Z]", path)) for name, path in re.findall(r'class="(\w+)" d="([^"]*)"', drawn)]
    assert bands == [
        ("kept", ["", "0 8", "104", "36.0", f"{104 * 0.45}", "0 64.0", ""]),
        ("lost", ["", "0 64.0", f"{104 * 0.45} 36.0", f"{104 * 0.45 + 14}", "64.0", ""]),
        ("kept", ["", "104 8", "208", "36.0", f"{104 + 104 * 0.45}", "104 36.0", ""]),
    ]
    assert re.findall(r'<text x="(\d+)" y="(\d+)">([^<]*)<', drawn) == [
        *(("4", "77", "extract"), ("4", "91", "5")),
        *(("108", "77", "a-name-of-17-l…"), ("108", "91", "5")),
    ]
    assert "<title>extract: read 10, kept 5; dropped: extract:empty 5</title>" in drawn
    web, other = SourceFlow("web", 12, True, steps), SourceFlow("b", 10, False, steps[:1])
    assert together([web]) == Totals("page", 10, 2, 5, 80)
    assert together([web, other]) == Totals("document", 20, 2, 10, 80)


def test_the_flow_through_many_stages_is_no_wider_than_the_page() -> None:
    steps = tuple(FlowStep(f"stage-number-{n}", 10, 10, 900, 900, None, {}) for n in range(15))
    drawn = flow_chart(SourceFlow("web", 10, True, steps))
    assert 'width="1092"' in drawn  # 15 steps of 72 and 12
    assert ">stage-num…<" in drawn
