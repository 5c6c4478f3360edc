"""A histogram as it is printed: bars on their side of a limit, an axis, and what does not fit on it."""

from dataclasses import replace
from io import StringIO

from rich.console import Console

from curation.account.tune.distribution import HistogramBin
from curation.account.tune.spreads import Histogram
from pipelines.render.histograms import histogram

QUANTILES = {"0.01": 12.0, "0.5": 40.0, "0.99": 70.5}
BINS = (HistogramBin(0, 10, 0), HistogramBin(10, 30, 1), HistogramBin(30, 50, 16), HistogramBin(50, 80, 4))
FIGURE = Histogram(
    "gopher_quality.words", None, 21, 2, 41.25, 10.5, QUANTILES, {"low": 50}, {"low": 30, "high": 1000}, BINS
)
LABELS = Histogram("language.label", None, 10, 0, None, None, {}, {}, {"not_in": ("en",)}, values={"en": 9, "[b]": 1})


def printed(figure: Histogram) -> list[str]:
    file = StringIO()
    histogram(Console(file=file, width=80), figure)
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    assert max(map(len, lines)) <= 80
    return lines


def test_bars_stand_on_their_side_of_the_limit() -> None:
    lines = printed(FIGURE)
    start = lines.index("gopher_quality.words")
    assert lines[start + 1] == ("  21 documents, 2 unmeasured: 1 % 12, median 40, 99 % 70.5, mean 41.25 ± 10.5")
    # square roots of 1, 16 and 4 over that of 16: a quarter, the whole and half of 32 eighths
    assert lines[start + 2 : start + 7] == ["    ┃█", "    ┃█", "    ┃██", "   █┃██", "    30 ≥50"]
    assert lines[start + 7] == "  limit not on the axis: at most 1,000"


def test_bins_of_equal_ratio_say_so() -> None:
    assert "    30 ≥50 (log)" in printed(replace(FIGURE, wide=True))


def test_one_value_is_no_chart() -> None:
    same = dict.fromkeys(QUANTILES, 3.0)
    lines = printed(replace(FIGURE, mean=3.0, deviation=0.0, quantiles=same, bins=(HistogramBin(3, 4, 21),)))
    start = lines.index("  each has 3")
    assert lines[start + 1 : start + 3] == [
        "  limit not on the axis: at least 30",
        "  limit not on the axis: at most 1,000",
    ]


def test_labels_that_a_list_keeps_are_marked() -> None:
    lines = printed(LABELS)
    bars = [line for line in lines if "█" in line]
    assert bars == ["  ┃ en  " + "█" * 40 + " 9", "    [b] " + "█" * 13 + " 1"]


def test_one_language_is_one_line() -> None:
    assert printed(replace(FIGURE, language="de", unmeasured=0, deviation=1.0))[1:] == ["   ▂┃█▄", "    30 ≥50"]
