"""Penedo et al. 2024: each rule at its limit, and one step past it."""

import pytest

from curation.filters.fineweb_quality import FinewebQuality, Variant
from tests.support import documents, table, verdict

LIFTED = {
    "min_punctuated_lines": 0.0,
    "max_short_lines": 1.0,
    "max_duplicate_line_characters": 1.0,
    "max_newlines_per_word": 1000.0,
}


def only(limit: str, variant: Variant) -> FinewebQuality:
    """The default of the limit named, all others lifted."""
    limits = {name: value for name, value in LIFTED.items() if name != limit}
    return FinewebQuality(variant=variant, **limits)  # type: ignore[arg-type]


def lines(count: int, end: str = "") -> list[str]:
    """Different lines of ten characters and what they end in."""
    return [f"{number:010d}{end}" for number in range(count)]


def long_and_short(long: int, short: int, size: int) -> str:
    """Different lines, `long` of them of 31 characters and `short` of `size`."""
    return "\n".join([*(f"{n:031d}" for n in range(long)), *(f"{n:0{size}d}" for n in range(short))])


@table(
    ("variant", "limit", "text", "broken"),
    {
        "3 of 25 punctuated": ("paper", "min_punctuated_lines", "\n".join(lines(3, ".") + lines(22)), None),
        "2 of 17 punctuated": ("paper", "min_punctuated_lines", "\n".join(lines(2, ".") + lines(15)), "low"),
        "4 of 33, any script": ("paper", "min_punctuated_lines", "a。 \nb؟\nc।\nd!\n" + "x,\n" * 29, None),
        "paper: space after the end": ("paper", "min_punctuated_lines", "a. \n" + "x\n" * 7, None),
        "datatrove: the space is the end": ("datatrove", "min_punctuated_lines", "a. \n" + "x\n" * 7, "low"),
        "67 of 100 of 29": ("paper", "max_short_lines", long_and_short(33, 67, 29), None),
        "68 of 100 of 29": ("paper", "max_short_lines", long_and_short(32, 68, 29), "high"),
        "paper: 30 is not short": ("paper", "max_short_lines", long_and_short(32, 68, 30), None),
        "datatrove: 30 is": ("datatrove", "max_short_lines", long_and_short(32, 68, 30), "high"),
        "datatrove: 31 is not": ("datatrove", "max_short_lines", long_and_short(32, 68, 31), None),
        "paper: 10 of 100 characters again": (
            "paper",
            "max_duplicate_line_characters",
            "\n".join(lines(9) + lines(1)),
            None,
        ),
        "paper: 12 of 112": (
            "paper",
            "max_duplicate_line_characters",
            "\n".join([*lines(8, "x"), "0" * 12, "0" * 12]),
            "high",
        ),
        "datatrove: 10 of 1,000 characters again": (
            "datatrove",
            "max_duplicate_line_characters",
            "\n".join(lines(99) + lines(1)),
            None,
        ),
        "datatrove: 10 of 990": ("datatrove", "max_duplicate_line_characters", "\n".join(lines(98) + lines(1)), "high"),
        "3 newlines in 10 words": ("paper", "max_newlines_per_word", "a b c\n" * 3 + "d", None),
        "3 newlines in 9 words": ("paper", "max_newlines_per_word", "a b c\n" * 3, "high"),
    },
)
def test_limit(variant: Variant, limit: str, text: str, broken: str | None) -> None:
    signal = limit.removeprefix("min_").removeprefix("max_")
    assert verdict(only(limit, variant), text) == (broken and f"{signal}:{broken}")


def test_the_default_limits() -> None:
    assert [(rule.at_least, rule.at_most) for rule in FinewebQuality().rules()] == [
        (0.12, float("inf")),
        (-float("inf"), 0.67),
        (-float("inf"), 0.1),
        (-float("inf"), 0.3),
    ]
    assert [rule.at_most for rule in FinewebQuality(variant="datatrove").rules()][2] == 0.01
    assert [rule.at_most for rule in FinewebQuality(max_duplicate_line_characters=0.5).rules()][2] == 0.5


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        pytest.param("paper", (2 / 3, 3 / 3, 3 / 9, 4 / 3), id="paper: blanks around lines are no characters"),
        pytest.param("datatrove", (1 / 3, 3 / 3, 0, 4 / 3), id="datatrove: they are"),
    ],
)
def test_measures_by_hand(variant: Variant, expected: tuple[float, ...]) -> None:
    signals = FinewebQuality(variant=variant).measure(documents("x", "ab.\n ab. \n\ncde\n"))
    assert tuple(values[1].as_py() for values in signals.values()) == pytest.approx(expected)


def test_a_language_can_have_its_own_limits() -> None:
    rules = FinewebQuality(by_language={"de": {"min_punctuated_lines": 0.0, "max_newlines_per_word": 0.152}}).rules()
    found = [(rule.at_most, rule.only) for rule in rules if rule.signal == "newlines_per_word"]
    assert found == [(0.3, None), (0.152, ("de",))]


def test_newlines_over_words_without_blanks() -> None:
    text = "世界和平\n世界"
    assert FinewebQuality().measure(documents(text))["newlines_per_word"][0].as_py() == 1 / 2
    assert FinewebQuality(words="segments").measure(documents(text))["newlines_per_word"][0].as_py() == 1 / 3
