"""Sizes of Bloom filters: the rate of small cases by hand, of large ones by simulation, and what does not fit."""

import math
from dataclasses import replace
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.models.bloom.sizing import FilterSizing, check_options, plan
from tests.support import table


def test_the_rate_of_one_bit_per_key() -> None:
    # A bit of a block with L keys on average is set unless all of them miss it: 1 - exp(-L / 512).
    sizing = FilterSizing(0, 0.1, partitions=4, blocks=25, bits_per_key=1)
    assert sizing.rate(0) == 0.0
    assert sizing.rate(100) == pytest.approx(1 - math.exp(-1 / 512), rel=1e-9)
    assert sizing.rate(6000) == pytest.approx(1 - math.exp(-60 / 512), rel=1e-9)


def test_the_rate_of_two_bits_per_key() -> None:
    # Two bits are set: the same one (1/512), else each of two; P(neither of two missed) over a Poisson number of keys.
    load = 10.0
    one = (511 / 512) ** 2
    two = (510 / 512) ** 2
    both = 1 - 2 * math.exp(-load * (1 - one)) + math.exp(-load * (1 - two))
    expected = (1 - math.exp(-load * (1 - one))) / 512 + both * 511 / 512
    assert FilterSizing(0, 0.1, partitions=1, blocks=1, bits_per_key=2).rate(10) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("rate", "bits_per_item"),
    [
        pytest.param(1e-2, 9.9, id="1 in 100"),
        pytest.param(1e-3, 15.7, id="1 in 1,000"),
        pytest.param(1e-6, 38.9, id="1 in a million"),
    ],
)
def test_planned_to_reach_the_stated_rate(rate: float, bits_per_item: float) -> None:
    sizing = plan(10**7, rate, partitions=8, max_mb=1024)
    assert sizing.rate(10**7) == pytest.approx(rate, rel=0.002)
    bits = 8 * sizing.bytes / sizing.expected_items
    assert bits == pytest.approx(bits_per_item, rel=0.01)
    assert bits > math.log2(1 / rate) / math.log(2)  # a plain filter's
    assert sizing.bytes == sizing.partitions * sizing.blocks * 64
    assert sizing.rate(15 * 10**6) > 1.1 * rate


def test_one_key_takes_one_block() -> None:
    for rate in (0.1, 1e-6, 1e-12):  # the limits too
        assert plan(1, rate, partitions=1, max_mb=1).bytes == 64


def test_what_does_not_fit_says_what_would() -> None:
    with pytest.raises(InputError, match=r"292,\d{3}\.\d MB in 64 partitions") as raised:
        plan(60 * 10**9, 1e-6, partitions=64, max_mb=1024)
    message = str(raised.value)
    assert "a partition may have 1,024.0 MB" in message
    assert plan(60 * 10**9, 1e-6, partitions=286, max_mb=1024).partitions == 286
    assert "would take 286 partitions" in message
    assert "expected_items of at most 13,4" in message
    assert plan(60 * 10**9, 1.8e-2, partitions=64, max_mb=1024).partition_bytes <= 1024 * 10**6
    assert "a false_positive_rate of 1.8e-02" in message
    with pytest.raises(InputError, match="would take 286 partitions"):
        plan(60 * 10**9, 1e-6, partitions=285, max_mb=1024)


def test_no_partition_is_above_four_gigabytes() -> None:
    with pytest.raises(InputError, match=r"may have 4,295\.0 MB"):
        plan(60 * 10**9, 1e-6, partitions=1, max_mb=10**9)


@pytest.mark.parametrize(
    ("items", "rate", "message"),
    [
        pytest.param(0, 1e-6, "expected_items is 0", id="nothing expected"),
        pytest.param(1, 0.11, "rate is 0.11; give one between 1e-12 and 0.1", id="too many false"),
        pytest.param(1, 9e-13, "rate is 9e-13", id="too few false"),
        pytest.param(1, math.nan, "rate is nan", id="not a number"),
    ],
)
def test_options_that_cannot_be(items: int, rate: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_options(items, rate)


def test_the_line_to_print() -> None:
    line = plan(10**6, 1e-3, partitions=4, max_mb=1).line()
    assert line.startswith("Bloom filter for 1,000,000 keys, false-positive rate 1 in 1,000: 2.0 MB in 4 part")
    assert line.endswith("15.7 bits per key, of which 8 are set")


@table(
    "figures",
    {
        "no blocks": {"blocks": 0},
        "more blocks than a partition may have": {"blocks": (1 << 26) + 1},
        "no partitions": {"partitions": 0},
        "partitions without end": {"partitions": 10**18},
        "half a partition": {"partitions": 1.5},
        "no bits": {"bits_per_key": 0},
        "bits without end": {"bits_per_key": 10**18},
        "no keys": {"expected_items": 0},
        "a rate that is no number": {"false_positive_rate": float("nan")},
        "a whole rate": {"false_positive_rate": 1},
        "letters": {"blocks": "3"},
    },
)
def test_figures_of_a_file_that_no_filter_has(figures: dict[str, Any]) -> None:
    FilterSizing(100, 0.01, 4, 3, 7).check()
    with pytest.raises(ValueError, match=r"which is the size of no filter|states the false-positive rate"):
        replace(FilterSizing(100, 0.01, 4, 3, 7), **figures).check()
