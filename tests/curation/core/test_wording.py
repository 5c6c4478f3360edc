"""Numbers and lists as a reader sees them."""

import pytest

from curation.core.wording import count, counted, fence, listed, per, percent, size


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (7_400_000, "7.4 MB"),
        (12_345_678_901, "12.3 GB"),
        (4_000_000_000_000, "4.0 TB"),
        (4_000_000_000_000_000, "4,000.0 TB"),
    ],
)
def test_size(number: int, shown: str) -> None:
    assert size(number) == shown


def test_shares_and_counts() -> None:
    assert (percent(1, 8), percent(0, 0)) == ("12.5 %", "–")
    assert (percent(1, 9999), percent(0, 9), percent(1, 1000)) == ("< 0.1 %", "0.0 %", "0.1 %")
    assert (percent(9998, 9999), percent(9, 9), percent(999, 1000)) == ("> 99.9 %", "100.0 %", "99.9 %")
    assert (per(10, 4), per(1, 0)) == ("2.50", "–")
    assert (count(1234), count(None)) == ("1,234", "–")


def test_the_first_of_many() -> None:
    assert listed("abc", 3) == "a, b, c"
    assert listed("abcde", 3) == "a, b, c, … and 2 more"


def test_one_and_several() -> None:
    assert [counted(number, "row") for number in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert [counted(number, "retry", "retries") for number in (1, 2)] == ["1 retry", "2 retries"]


@pytest.mark.parametrize(
    ("text", "expected"), [("", "```"), ("a `b` ``c``", "```"), ("```\na\n```", "````"), ("`" * 7, "`" * 8)]
)
def test_a_fence_is_longer_than_any_in_it(text: str, expected: str) -> None:
    assert fence(text) == expected
