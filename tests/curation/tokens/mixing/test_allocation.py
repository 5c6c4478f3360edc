"""Rows for tokens: within one row of every share and of every phase, whatever the rows, caps and phases."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.core.errors import UserError
from curation.tokens.mixing.allocation import PhaseRequest, budget, take
from curation.tokens.mixing.shares import LeafGroup
from curation.tokens.mixing.streams import Stream

HALF = Fraction(1, 2)


def full(name: str, rows: int, length: int = 10) -> Stream:
    return Stream(name, 0, rows, rows * length, length)


def uneven(name: str, counts: list[int]) -> Stream:
    return Stream(name, 0, len(counts), sum(counts), 10, np.array(counts, np.uint32))


def even(*names: str) -> list[LeafGroup]:
    return [LeafGroup(Fraction(1), {name: Fraction(1, len(names)) for name in names})]


def rows(tokens: int, phases: list[PhaseRequest], leaves: dict[str, Stream], epochs: int = 1) -> list[dict[str, int]]:
    most = {name: epochs * leaf.rows for name, leaf in leaves.items()}
    return [{line.source: line.rows for line in one.lines} for one in take(Fraction(tokens), phases, leaves, most)]


def test_the_nearest_to_one_more_row_get_it() -> None:
    leaves = {"a": full("a", 100), "b": full("b", 100), "c": full("c", 100)}
    shares = [LeafGroup(Fraction(1), {"a": Fraction(5, 10), "b": Fraction(3, 10), "c": Fraction(2, 10)})]
    assert rows(70, [PhaseRequest("p", Fraction(1), shares)], leaves) == [{"a": 4, "b": 2, "c": 1}]
    assert rows(70, [PhaseRequest("p", Fraction(1), even("a", "b", "c"))], leaves) == [{"a": 3, "b": 2, "c": 2}]


def test_what_a_phase_cannot_use_goes_to_the_next() -> None:
    """Three phases of 33.3 tokens of one leaf: 3, 3 and, with what was left over, 4 rows."""
    third = [PhaseRequest(str(i), Fraction(1, 3), even("a")) for i in range(3)]
    assert rows(100, third, {"a": full("a", 10)}) == [{"a": 3}, {"a": 3}, {"a": 4}]


def test_the_leaves_of_a_weight_share_its_rows_first() -> None:
    """10 rows, half of them x and half three leaves of 1 2/3 rows, of which two get a second one."""
    names = ("web/a", "web/b", "web/c")
    leaves = {name: full(name, 100) for name in ("x", *names)}
    web = LeafGroup(HALF, {name: Fraction(1, 3) for name in names})
    assert rows(100, [PhaseRequest("p", Fraction(1), [web, LeafGroup(HALF, {"x": Fraction(1)})])], leaves) == [
        {"web/a": 2, "web/b": 2, "web/c": 1, "x": 5}
    ]


def test_each_weight_is_met_within_a_row() -> None:
    """Forty leaves of 0.9 rows are 36 rows, forty of 0.6 are 24; by their remainders alone they would be 40 and 20."""
    sides = {side: [f"{side}/{number:02d}" for number in range(40)] for side in "ab"}
    leaves = {name: full(name, 100) for names in sides.values() for name in names}
    shares = {"a": Fraction(3, 5), "b": Fraction(2, 5)}
    both = [LeafGroup(shares[side], dict.fromkeys(names, Fraction(1, 40))) for side, names in sides.items()]
    for tokens, expected in ((600, [36, 24]), (610, [37, 24])):  # 36.6 and 24.4
        (found,) = rows(tokens, [PhaseRequest("p", Fraction(1), both)], leaves)
        assert [sum(found[name] for name in names) for names in sides.values()] == expected


def test_a_row_that_two_leaves_share_goes_to_each_in_turn() -> None:
    leaves = {"a": full("a", 100), "b": full("b", 100)}
    phases = [PhaseRequest(str(i), Fraction(1, 4), even("a", "b")) for i in range(4)]
    found = rows(120, phases, leaves)
    assert found == [{"a": 2, "b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 1}, {"a": 1, "b": 2}]


def test_phases_take_everything_there_is() -> None:
    """Odd numbers of rows in two halves: what is rounded up in the first half is missing in the second."""
    leaves = {name: full(name, count) for name, count in (("a", 3), ("b", 5), ("c", 7), ("d", 1))}
    by_size = [LeafGroup(Fraction(1), {name: Fraction(leaf.rows, 16) for name, leaf in leaves.items()})]
    first, second = rows(160, [PhaseRequest("1", HALF, by_size), PhaseRequest("2", HALF, by_size)], leaves)
    assert {name: first[name] + second[name] for name in leaves} == {"a": 3, "b": 5, "c": 7, "d": 1}
    assert sum(first.values()) == 8


def test_a_budget_at_its_limit_and_one_past_it() -> None:
    leaves = {"a": full("a", 10), "b": full("b", 100)}
    most = {"a": 20, "b": 100}
    phases = [PhaseRequest("1", HALF, even("a", "b")), PhaseRequest("2", HALF, even("a"))]  # a: 1/4 + 1/2, b: 1/4
    assert budget(None, phases, leaves, most, cap=False) == 260
    assert budget(269, phases, leaves, most, cap=False) == 260, "whole rows"
    with pytest.raises(
        UserError,
        match=r"270 tokens at these weights would repeat a more .*; the largest possible budget is 260 tokens",
    ):
        budget(270, phases, leaves, most, cap=False)
    assert budget(270, phases, leaves, most, cap=True) == 270
    assert budget(None, phases, leaves, most, cap=True) == 260, "what meets every share, whether or not others may give"


def test_phases_divide_a_leaf_by_what_they_ask_of_it() -> None:
    """Of a's 100 tokens the first phase asks 100 and the second 200: they get a third and two thirds."""
    leaves = {"a": full("a", 10), "b": full("b", 100)}
    most = {"a": 10, "b": 100}
    first, second = take(
        Fraction(400), [PhaseRequest("1", HALF, even("a", "b")), PhaseRequest("2", HALF, even("a"))], leaves, most
    )
    assert [(line.source, line.rows, line.capped) for line in first.lines] == [("a", 3, True), ("b", 17, False)]
    assert [(line.source, line.rows, line.capped) for line in second.lines] == [("a", 7, True)]
    assert (second.target, second.lines[0].target) == (200, 70)


def test_a_phase_takes_what_no_other_phase_was_promised() -> None:
    """a is asked for 100 and 20 tokens of its 180, b for 80 of its 20; the second phase may have more of a than its
    sixth."""
    shares = [LeafGroup(Fraction(1), {"a": Fraction(1, 5), "b": Fraction(4, 5)})]
    phases = [PhaseRequest("1", HALF, even("a")), PhaseRequest("2", HALF, shares)]
    assert rows(200, phases, {"a": full("a", 18), "b": full("b", 2)}) == [{"a": 10}, {"a": 8, "b": 2}]


def test_a_source_that_runs_short_starves_no_later_phase() -> None:
    """Both phases lack the same sources in the same proportion, and both are full."""
    names = {"web": (6, 30), "books": (2, 31), "code": (1, 15), "papers": (1, 14)}  # weight in tenths, rows
    shares = [LeafGroup(Fraction(1), {name: Fraction(weight, 10) for name, (weight, _) in names.items()})]
    phases = [PhaseRequest("main", Fraction(9, 10), shares), PhaseRequest("anneal", Fraction(1, 10), shares)]
    leaves = {name: full(name, count) for name, (_, count) in names.items()}
    assert rows(900, phases, leaves) == [
        {"books": 28, "code": 13, "papers": 13, "web": 27},
        {"books": 3, "code": 2, "papers": 1, "web": 3},
    ]


leaf_rows = st.lists(st.integers(0, 10), min_size=1, max_size=12).filter(any)
mixtures = st.integers(1, 4).flatmap(
    lambda count: st.tuples(
        st.lists(leaf_rows, min_size=count, max_size=count),
        st.lists(
            st.tuples(st.integers(1, 9), st.lists(st.integers(0, 9), min_size=count, max_size=count).filter(any)),
            min_size=1,
            max_size=4,
        ),
    )
)


@given(mixture=mixtures, same=st.booleans(), cap=st.booleans(), epochs=st.integers(1, 3), part=st.floats(0.01, 1.5))
@settings(max_examples=60, deadline=None)
def test_every_share_and_phase_is_within_one_row(
    mixture: tuple[list[list[int]], list[tuple[int, list[int]]]], same: bool, cap: bool, epochs: int, part: float
) -> None:
    counts, weights = mixture
    names = [f"leaf{number}" for number in range(len(counts))]
    leaves = {n: full(n, len(c)) if same else uneven(n, c) for n, c in zip(names, counts, strict=True)}
    whole = sum(share for share, _ in weights)
    phases = []
    for number, (share, weighed) in enumerate(weights):
        group = {n: Fraction(w, sum(weighed)) for n, w in zip(names, weighed, strict=True) if w}
        phases.append(PhaseRequest(str(number), Fraction(share, whole), [LeafGroup(Fraction(1), group)]))
    most = {name: epochs * leaf.rows for name, leaf in leaves.items()}
    tokens = budget(None, phases, leaves, most, cap=cap)
    if part < 1 or cap:
        part *= 4 if cap else 1
        tokens = budget(int(tokens * Fraction(part)), phases, leaves, most, cap=cap)
    first = dict.fromkeys(names, 0)
    for asked, phase in zip(phases, take(tokens, phases, leaves, most), strict=True):
        got = sum(line.tokens for line in phase.lines)
        targets = sum(line.target for line in phase.lines)
        assert targets - 10 < got <= targets <= phase.target < asked.part * tokens + 10
        for line in phase.lines:
            assert abs(line.tokens - line.target) < 10
            assert line.first == first[line.source]
            assert line.tokens == leaves[line.source].total(line.first, line.first + line.rows)
            first[line.source] += line.rows
        if not cap:
            assert phase.target - targets < 10 * len(phases), "all can be given, but for what was rounded up before"
    assert all(first[name] <= most[name] for name in names)
