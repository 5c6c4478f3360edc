"""A tuning as it is printed: sums, limits before and after, and bars with the limit between two of them."""

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from curation.account.tune.fit_languages import FittedKit, FittedKits
from curation.account.tune.spreads import Histogram
from curation.account.tune.tune_report import LimitLine, LostDocuments, Tuning, WonDocuments
from pipelines.render.tune import fitted_kits, tunings

WON = WonDocuments(3, 2_400_000, 600)
LOST = LostDocuments(4, 100, 1, 70, {"dedup": 3})
LIMIT = LimitLine("gopher_quality.words:low", "min_words", {"*": 50}, {"*": 30, "de": 20}, 18, 11, 7, WON, LOST)


def printed(
    *figures: Histogram,
    options: bool = True,
    limits: tuple[LimitLine, ...] = (LIMIT,),
    dropped: dict[str, int] | None = None,
) -> list[str]:
    one = Tuning(
        stage="gopher",
        folder="03-gopher-0",
        rows=200,
        gone=0,
        kept_before=100,
        kept_after=99,
        dropped_before=dropped or {},
        dropped_after={},
        won=WON,
        lost=LOST,
        limits=limits,
        languages=(),
        histograms=figures,
        options={"gopher_quality": {"min_words": 30, "stop_words": ("a", "b")}} if options else {},
        chain="web",
        item={
            "filter": {"gopher_quality": {"min_words": 30, "max_words": 9_000, "stop_words": ("a", "b")}},
            "name": "gopher",
            "max_errors": 0.5,
            "expect_kept": [0.0, 1.0],
        },
        kept_languages=None,
        bytes_per_token=4.0,
        notes=("take [care]",),
    )
    file = StringIO()
    tunings(Console(file=file, width=80), [one])
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    assert max(map(len, lines)) <= 80
    return lines


def test_sums() -> None:
    lines = printed()
    assert lines[0] == "gopher: 200 documents, 100 kept (50.0 %) → 99 kept (49.5 %)"
    assert lines[1] == "  won  3 documents, about 2.4 MB of text, about 600 tokens"
    assert lines[2:4] == ["  lost 4 documents: 1 kept to the end with 70 tokens, 3 dropped by dedup anyway", ""]
    assert lines[-1] == "note: take [care]"


def test_a_limit_before_and_after() -> None:
    lines = printed()
    start = lines.index(" gopher_quality")
    assert lines[start - 2].split() == ["limit", "beyond", "after", "won", "~tokens", "lost", "tokens"]
    assert lines[start + 1].split() == ["words", "18", "11", "3", "600", "4", "70"]
    assert lines[start + 2 : start + 4] == ["     ≥ 50 → 30", "     de ≥ 50 → 20"]


def test_limits_as_they_are() -> None:
    lines = printed(options=False, limits=(LIMIT, replace(LIMIT, before={"*": 50, "de": 9}, beyond_before=1_234_567)))
    assert [line.split() for line in lines if "words" in line] == [
        ["words", "≥", "50", "18", "7"],
        ["words", "≥", "50", "(not", "in", "1", "language)", "1.23M", "7"],
    ]


def test_the_whole_stage_as_the_recipe_has_it() -> None:
    lines = printed()
    assert "in the recipe, replace stage gopher (under sources: web) with:" in lines
    assert lines[lines.index("  - filter:") : -1] == [
        "  - filter:",
        "      gopher_quality:",
        "        min_words: 30",
        "        max_words: 9000",
        "        stop_words: [a, b]",
        "    name: gopher",
        "    max_errors: 0.5",
    ]


def test_only_histograms_of_limits_that_change() -> None:
    figures = [Histogram(f"gopher_quality.{name}", None, 0, 9, None, None, {}, {}, {}) for name in ("words", "other")]
    assert [line for line in printed(*figures) if line.startswith("gopher_quality.")] == ["gopher_quality.words"]


def test_of_limits_as_they_are_only_histograms_of_those_that_drop() -> None:
    figures = [
        Histogram(f"gopher_quality.{name}", None, 0, 9, None, None, {}, {}, {}) for name in ("words", "other", "third")
    ]
    own = replace(LIMIT, after=LIMIT.before)
    other = replace(own, limit="gopher_quality.other:high")
    third = replace(own, limit="gopher_quality.third:high", beyond_before=0)
    lines = printed(*figures, options=False, limits=(own, other, third), dropped={"gopher_quality.words:low": 18})
    assert [line for line in lines if line.startswith("gopher_quality.")] == ["gopher_quality.words"]
    assert "--json has the histograms of gopher_quality.other" in lines
    assert "no document breaks gopher_quality.third" in lines


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        pytest.param(0, "", id="none"),
        pytest.param(99_999, "99,999", id="exact"),
        pytest.param(100_000, "100k", id="thousands"),
        pytest.param(12_345_678, "12.3M", id="millions"),
        pytest.param(1_234_567_890, "1.23G", id="thousand millions"),
    ],
)
def test_counts_are_short(count: int, shown: str) -> None:
    lines = printed(options=False, limits=(replace(LIMIT, beyond_before=count, alone=0),))
    (row,) = (line for line in lines if "words" in line)
    assert row.split()[3:] == ([shown] if shown else [])


def test_fitted_kits() -> None:
    kit = FittedKit("de", 1200, "kits/de.yaml", {"gopher_quality": {"min_words": 3, "stop_words": ["der"]}})
    file = StringIO()
    fitted_kits(Console(file=file, width=80), FittedKits((kit,), ("a note",)))
    shown = file.getvalue()
    assert "de             1,200        1   kits/de.yaml" in shown
    assert "note: a note" in shown
    empty = StringIO()
    fitted_kits(Console(file=empty, width=80), FittedKits((), ()))
    assert empty.getvalue() == "no language has enough documents for a kit\n"
