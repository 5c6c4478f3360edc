"""A tuning as it is printed: sums, limits before and after, and bars with the limit between two of them."""

from io import StringIO

from rich.console import Console

from curation.account.distribution import Bin
from curation.account.spreads import Histogram
from curation.account.tuning import LimitLine, Lost, Tuning, Won
from pipelines.tune_render import tunings

WON, LOST = Won(3, 2_400_000, 600), Lost(4, 100, 1, 70, {"dedup": 3})
LIMIT = LimitLine("gopher_quality.words:low", "min_words", {"*": 50}, {"*": 30, "de": 20}, 18, 11, 7, WON, LOST)
QUANTILES = {"0.01": 12.0, "0.5": 40.0, "0.99": 70.5}
BINS = (Bin(0, 10, 0), Bin(10, 30, 1), Bin(30, 50, 16), Bin(50, 80, 4))
FIGURE = Histogram(
    "gopher_quality.words", None, 21, 2, 41.25, 10.5, QUANTILES, {"low": 50}, {"low": 30, "high": 1000}, BINS
)
LABELS = Histogram("language.label", None, 10, 0, None, None, {}, {}, {"not_in": ("en",)}, values={"en": 9, "[b]": 1})


def printed(*figures: Histogram, options: bool = True) -> list[str]:
    one = Tuning(
        stage="gopher",
        folder="03-gopher-0",
        rows=200,
        gone=0,
        kept_before=100,
        kept_after=99,
        dropped_before={},
        dropped_after={},
        won=WON,
        lost=LOST,
        limits=(LIMIT,) if options else (),
        languages=(),
        histograms=figures,
        options={"gopher_quality": {"min_words": 30, "names": ("a", "b")}} if options else {},
        bytes_per_token=4.0,
        notes=("take [care]",),
    )
    file = StringIO()
    tunings(Console(file=file, width=100), [one])
    return file.getvalue().splitlines()


def test_sums() -> None:
    lines = printed()
    assert lines[0] == "gopher: 200 documents, 100 kept (50.0 %) → 99 kept (49.5 %)"
    assert lines[1] == "  won   3 documents, about 2.4 MB of text, about 600 tokens"
    assert lines[2] == "  lost  4 documents: 1 kept to the end with 70 tokens, 3 dropped by dedup anyway"
    assert lines[-1] == "note: take [care]"


def test_a_limit_before_and_after() -> None:
    (row,) = [line for line in printed() if "words low" in line]
    assert [cell.strip() for cell in row.strip("│").split("│")] == [
        *("words low", "50 → 30 (+ 1 languages)", "18 → 11", "7", "3", "600", "4", "70")
    ]


def test_the_options_as_a_recipe_has_them() -> None:
    lines = printed()
    assert lines[lines.index("as a recipe:") + 1 : -1] == [
        "  - filter:",
        "      gopher_quality:",
        "        min_words: 30",
        "        names: [a, b]",
    ]


def test_bars_stand_on_their_side_of_the_limit() -> None:
    lines = printed(FIGURE)
    start = next(number for number, line in enumerate(lines) if line.startswith("gopher_quality.words ("))
    assert lines[start] == (
        "gopher_quality.words (21 documents, 2 unmeasured): 1 % 12, median 40, 99 % 70.5, mean 41.25 ± 10.5"
    )
    # square roots of 1, 16 and 4 over that of 16: a quarter, the whole and half of 32 eighths
    assert lines[start + 1 : start + 6] == ["    ┃█ ", "    ┃█ ", "    ┃██", "   █┃██", "    30 ≥50"]
    assert lines[start + 6] == "  limit off the chart: at most 1,000"


def test_labels_that_a_list_keeps_are_marked() -> None:
    lines = printed(LABELS, options=False)
    bars = [line for line in lines if "█" in line]
    assert bars == ["  ┃ en  " + "█" * 40 + " 9", "    [b] " + "█" * 13 + " 1"]
