"""What `winnow compare` shows: the best run first, differences from it, noise and what was left out."""

import pytest

from pipelines.render.compare import comparison
from tests.pipelines.comparison_examples import KINDS, example
from tests.pipelines.render.printed import printed


def shown(kinds: int = len(KINDS), plot: str | None = None, *, apart: float = 0.1) -> str:
    return "\n".join(printed(comparison, example(KINDS[:kinds], apart), plot))


def row(text: str, *cells: str) -> list[str]:
    """The cells of the first line that holds these words."""
    line = next(line for line in text.splitlines() if all(cell in line for cell in cells))
    return [cell.strip() for cell in line.strip("│┃ ").replace("┃", "│").split("│")]


def test_the_best_run_is_first_and_others_are_compared_with_it() -> None:
    text = shown()
    assert row(text, "careful", "±") == ["careful", "2.0000 ±0.0100", "1.9000 ±0.0100", "2.1000 ±0.0100"]
    assert row(text, "raw", "+0.") == ["raw", "+0.1000 ±0.0200", "+0.1000 ±0.0200", "+0.1000 ±0.0200"]
    assert text.index("│ careful ") < text.rindex("│ raw ")
    assert "more than careful" in text
    assert "careful has the least bits per byte (all kinds), and by more than noise" in text


def test_noise_is_marked() -> None:
    text = shown(apart=0.01)
    assert row(text, "raw", "+0.0100")[1] == "+0.0100 ±0.0200 ≈"
    assert "careful has the least bits per byte (all kinds); within noise of it: raw" in text


def test_what_was_learned_from_and_left_out() -> None:
    text = shown()
    assert row(text, "raw", "kB") == ["raw", "20", "40.0 kB", "10,000", "4.00"]
    assert row(text, "books", "kB") == ["books", "30", "9.0 kB", "1", "2", "3"]
    assert "n-gram model of order 5; 4,000 training tokens of each run, 2 draws; one tokenizer of 4,096 tokens" in text


def test_a_single_kind_has_no_mean() -> None:
    text = shown(kinds=1, plot="own.png")
    assert "all kinds" not in text
    assert "(books)" in text
    assert "plot: own.png" in text


@pytest.mark.parametrize("kinds", [1, 2])
def test_every_kind_has_a_column(kinds: int) -> None:
    assert all(name in shown(kinds) for name in KINDS[:kinds])
