"""Whole documents by hash up to each group's target, the same in whatever order and pieces they come."""

import random
from collections.abc import Sequence

import pyarrow as pa
import pytest

from curation.fit.sample.drawing import GROUP, HASH, Drawing

Row = tuple[int, int, str]  # group, hash, text


def drawn(targets: list[float], rows: list[Row], map_threads: int = 1000) -> list[tuple[int, str]]:
    drawing = Drawing(targets)
    for start in range(0, len(rows), map_threads):
        groups, hashes, texts = zip(*rows[start : start + map_threads], strict=True)
        drawing.add(documents(groups, hashes, texts))
    rows = [row for batch in drawing.drawn() for row in batch.to_pylist()]
    return [(row[GROUP], row["text"]) for row in rows]


def documents(groups: Sequence[int], hashes: Sequence[int], texts: Sequence[str]) -> pa.Table:
    columns = [pa.array(groups, pa.int64()), pa.array(hashes, pa.uint64()), pa.array(texts, pa.large_string())]
    return pa.table(columns, names=[GROUP, HASH, "text"])


@pytest.mark.parametrize(
    ("target", "taken"),
    [
        pytest.param(0, "", id="nothing of a group without a target"),
        pytest.param(0.1, "b", id="at least one"),
        pytest.param(6, "b", id="half of the second is not yet wanted"),
        pytest.param(7, "ab", id="half of the second is wanted"),
        pytest.param(11, "ab", id="half of the third is not yet wanted"),
        pytest.param(12, "abc", id="half of the third is wanted"),
        pytest.param(99, "abc", id="all there is"),
    ],
)
def test_by_hash_to_the_nearest_document(target: float, taken: str) -> None:
    rows = [(0, 20, "aaaaaa"), (0, 10, "bbbb"), (0, 30, "cccc")]
    assert "".join(text[0] for _, text in drawn([target], rows)) == taken


def test_a_document_longer_than_the_target_comes_last() -> None:
    rows = [(0, 1, "b" * 12), (0, 2, "aaa"), (0, 3, "c")]
    assert drawn([9], rows) == [(0, "aaa"), (0, "c")]
    assert drawn([9], rows, map_threads=1) == [(0, "aaa"), (0, "c")]
    assert drawn([12], rows) == [(0, "b" * 12)]


def test_groups_do_not_touch_each_other() -> None:
    rows = [(1, 5, "dddd"), (0, 9, "aa"), (1, 1, "cccc"), (0, 1, "bb")]
    assert drawn([4, 4], rows) == [(0, "aa"), (1, "cccc"), (0, "bb")]


def test_bytes_count_not_characters() -> None:
    assert drawn([6], [(0, 1, "数数"), (0, 2, "a")]) == [(0, "数数")]


def test_the_same_documents_in_any_order_and_pieces() -> None:
    rng = random.Random(7)
    rows = [(rng.randrange(3), rng.randrange(2**64), f"{n}." * rng.randrange(1, 40)) for n in range(900)]
    rows += [(group, number, f"{number}." * 300) for group in range(3) for number in range(5)]  # longer than a target
    targets = [3_000.0, 500.0, 0.0]
    chosen = drawn(targets, rows)
    for map_threads in (1, 7, 100):
        assert drawn(targets, rows, map_threads) == chosen
    shuffled = rng.sample(rows, len(rows))
    assert sorted(drawn(targets, shuffled, 10)) == sorted(chosen)
    sizes = [sum(len(text) for group, text in chosen if group == one) for one in (0, 1)]
    assert abs(sizes[0] - 3_000) < 80
    assert abs(sizes[1] - 500) < 80


def test_what_cannot_be_drawn_is_let_go() -> None:
    drawing = Drawing([100])
    for number in range(200):
        drawing.add(documents([0], [number * 7919 % 1009], ["x" * 10]))
        assert drawing._held_bytes <= 2 * 100
    assert sum(batch.num_rows for batch in drawing.drawn()) == 10


def test_nothing_added() -> None:
    assert drawn([5], []) == []
