"""Comparisons: equal runs are equal, a text in the style of what is held out wins, and mistakes are told."""

from pathlib import Path
from typing import Any

import pytest

from curation.account.compare.compare import Comparison, JudgedModel, OnProgress, Options, compare
from curation.account.compare.heldout import ALL
from curation.account.compare.judge import NgramJudge
from curation.core.errors import UserError
from tests.curation.account.compare.texts import noise, style, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "style.jsonl", style(1, 40))
    write(tmp_path / "noise.jsonl", noise(2, 40))
    write(tmp_path / "clean.jsonl", style(3, 20))
    write(tmp_path / "other.jsonl", noise(4, 20))
    return tmp_path


def compared(
    folder: Path,
    *runs: str,
    heldout: tuple[str, ...] = ("clean.jsonl",),
    on_progress: OnProgress = lambda now: None,
    **options: Any,
) -> Comparison:
    chosen = Options(**{"vocabulary": 300, "seeds": 3, "points": 2, **options})
    names = [f"{run.partition('.')[0]}={folder / run}" if "=" not in run else run for run in runs]
    files = [str(folder / name) for name in heldout]
    return compare(names, files, NgramJudge, model="ngram", options=chosen, on_progress=on_progress)


def test_the_style_of_what_is_held_out_beats_noise(folder: Path) -> None:
    found = compared(folder, "noise.jsonl", "style.jsonl", heldout=("clean.jsonl", "other.jsonl"))
    apart = found.difference("style", "noise", "clean")
    assert apart.bits_per_byte < -0.5
    assert apart.high < 0
    assert not apart.within_noise
    assert found.difference("style", "noise", "other").bits_per_byte > 0
    for run in ("style", "noise"):
        mean = sum(found.result(run, kind).bits_per_byte for kind in ("clean", "other")) / 2
        assert found.result(run, ALL).bits_per_byte == pytest.approx(mean)
    back = found.difference("noise", "style", "clean")
    assert (back.bits_per_byte, back.low, back.high) == (-apart.bits_per_byte, -apart.high, -apart.low)


def test_a_run_against_itself_differs_by_nothing(folder: Path) -> None:
    path = folder / "style.jsonl"
    found = compared(folder, f"a={path}", f"b={path}")
    apart = found.difference("a", "b", ALL)
    assert (apart.bits_per_byte, apart.low, apart.high, apart.within_noise) == (0, 0, 0, True)
    assert found.result("a", ALL).low < found.result("a", ALL).bits_per_byte < found.result("a", ALL).high


def test_tokens_are_equal_and_more_of_them_teach_more(folder: Path) -> None:
    write(folder / "long.jsonl", [*style(5, 80), *style(3, 20)[:8]])
    found = compared(folder, "style.jsonl", "long.jsonl", points=3)
    assert found == compared(folder, "style.jsonl", "long.jsonl", points=3)
    sizes = sorted({one.tokens for one in found.results})
    assert sizes == [found.tokens // 4, found.tokens // 2, found.tokens]
    assert found.tokens == min(run.tokens for run in found.runs) // 2
    values = [found.result("style", "clean", tokens).bits_per_byte for tokens in sizes]
    assert values == sorted(values, reverse=True)
    assert all(len(one.seeds) == 3 for one in found.results)
    assert (found.kinds[0].in_runs, found.kinds[0].documents) == (8, 12)  # a leak is no advantage


def test_progress_counts_models(folder: Path) -> None:
    seen: list[JudgedModel] = []
    compared(folder, "style.jsonl", "noise.jsonl", seeds=2, points=1, on_progress=seen.append)
    assert [(now.run, now.seed, now.done, now.models) for now in seen] == [
        ("style", 0, 1, 4),
        ("noise", 0, 2, 4),
        ("style", 1, 3, 4),
        ("noise", 1, 4, 4),
    ]


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        pytest.param(["style.jsonl"], {}, "give two runs or more", id="one run"),
        pytest.param(["style.jsonl", "noise.jsonl"], {"tokens": 10**9}, r"\w+ has .* not 1,000,000,000", id="many"),
        pytest.param(["style.jsonl", "noise.jsonl"], {"tokens": 999}, "at least 1,000 are needed", id="few"),
        pytest.param(["style.jsonl", "small.jsonl"], {}, "small has .* at least 1,000", id="small run"),
        pytest.param(["style.jsonl", "noise.jsonl"], {"seeds": 1}, "seeds is 1; give 2 or more", id="seeds"),
        pytest.param(["style.jsonl", "noise.jsonl"], {"vocabulary": 9}, "vocab_size is 9; 256 bytes", id="vocabulary"),
    ],
)
def test_what_cannot_be_compared(folder: Path, runs: list[str], options: dict[str, Any], message: str) -> None:
    write(folder / "small.jsonl", ["a few words"])
    with pytest.raises(UserError, match=message):
        compared(folder, *runs, **options)
