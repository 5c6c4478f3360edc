"""Phases and epochs as arithmetic: every row once per epoch, each phase its own rows, and the way back."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.tokens.mixing.mix_order import MixOrder

SEED = 11


def index(available: dict[str, int], phases: list[dict[str, int]]) -> dict[str, Any]:
    """An index of phases that take so many rows of each leaf."""
    first = dict.fromkeys(available, 0)
    entries = []
    for number, phase in enumerate(phases):
        for leaf, rows in phase.items():
            entries.append({"source": leaf, "phase": number, "first": first[leaf], "rows": rows})
            first[leaf] += rows
    return {
        "seed": SEED,
        "leaves": [{"source": leaf, "available": rows} for leaf, rows in available.items()],
        "phases": [{"name": f"p{number}", "rows": sum(phase.values())} for number, phase in enumerate(phases)],
        "entries": entries,
    }


def mix_order(available: dict[str, int], phases: list[dict[str, int]]) -> MixOrder:
    """One file per leaf."""
    return MixOrder(index(available, phases), np.cumsum([0, *available.values()]))


def places(table: MixOrder) -> list[tuple[int, int]]:
    found = table.locate(0, table.rows)
    return list(zip(*found.tolist(), strict=True))


def test_taking_more_of_a_source_keeps_its_rows() -> None:
    def first(count: int) -> set[int]:
        return {row for file, row in places(mix_order({"a": 9, "b": 3}, [{"a": count, "b": 3}])) if file == 0}

    assert first(3) < first(5) < first(9)


def test_rows_of_several_files() -> None:
    """Leaf a is in files of 4 and 5 rows, and one of none between them."""
    table = MixOrder(index({"a": 9, "b": 3}, [{"a": 9, "b": 3}]), np.array([0, 4, 4, 9, 12]))
    assert sorted(places(table)) == [*((0, row) for row in range(4)), *((2, row) for row in range(5)),
                                     *((3, row) for row in range(3))]  # fmt: skip
    assert [table.positions(*place) for place in places(table)] == [[position] for position in range(12)]


def test_epochs_have_orders_of_their_own() -> None:
    table = mix_order({"a": 100}, [{"a": 100}, {"a": 100}])
    seen = [row for _, row in places(table)]
    assert sorted(seen[:100]) == sorted(seen[100:]) == list(range(100))
    assert sum(one == two for one, two in zip(seen[:100], seen[100:], strict=True)) < 20


def test_phases_are_shuffled_each_for_itself() -> None:
    table = mix_order({"a": 50, "b": 50}, [{"a": 40, "b": 10}, {"b": 30}, {"a": 5, "b": 5}])
    of = [file for file, _ in places(table)]
    assert (of[:50].count(0), of[50:80].count(0), of[80:].count(0)) == (40, 0, 5)
    assert of[:50] != sorted(of[:50])
    assert [table.phase_of(position) for position in (0, 49, 50, 79, 80, 89)] == ["p0", "p0", "p1", "p1", "p2", "p2"]


mixes = st.lists(st.integers(1, 12), min_size=1, max_size=4).flatmap(
    lambda rows: st.tuples(
        st.just({f"leaf{number}": count for number, count in enumerate(rows)}),
        st.lists(
            st.fixed_dictionaries({f"leaf{number}": st.integers(0, 30) for number in range(len(rows))}),
            min_size=1,
            max_size=4,
        ),
    )
)


@given(mixes)
@settings(max_examples=150, deadline=None)
def test_every_epoch_has_each_row_once_and_positions_invert(
    given_mix: tuple[dict[str, int], list[dict[str, int]]],
) -> None:
    available, phases = given_mix
    table = mix_order(available, phases)
    seen = places(table)
    held: dict[tuple[int, int], list[int]] = {}
    for position, place in enumerate(seen):
        held.setdefault(place, []).append(position)
    at = 0
    for number, phase in enumerate(phases):
        inside = seen[at : at + sum(phase.values())]
        for file, leaf in enumerate(available):
            assert sum(one == file for one, _ in inside) == phase[leaf]
        assert all(table.phase_of(position) == f"p{number}" for position in range(at, at + len(inside)))
        at += len(inside)
    for file, (leaf, rows) in enumerate(available.items()):
        total = sum(phase[leaf] for phase in phases)
        for row in range(rows):
            assert table.positions(file, row) == held.get((file, row), [])
            assert len(held.get((file, row), [])) in (total // rows, -(-total // rows))
    middle = table.rows // 2
    assert [(int(f), int(r)) for f, r in table.locate(middle, table.rows - middle).T] == seen[middle:]
