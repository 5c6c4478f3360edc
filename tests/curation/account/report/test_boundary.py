"""Documents around limits: the nearest on both sides, each once, and every limit before any limit's second document."""

from typing import Any

import pyarrow as pa

from curation.account.report.boundary import Chosen, chosen

LOW = "a.words:low"
HIGH = "a.words:high"


def table(rows: list[tuple[str, int | None, str | None, str | None]]) -> pa.Table:
    """id, value, drop reason, language of each row."""
    ids, values, reasons, languages = zip(*rows, strict=True)
    return pa.table(
        {
            "doc_id": pa.array(ids),
            "a.words": pa.array(values, pa.int64()),
            "drop_reason": pa.array(reasons, pa.string()),
            "language": pa.array(languages, pa.string()),
        }
    )


def placed(found: list[Chosen], rows: pa.Table) -> list[tuple[str, str]]:
    return [(one.place, rows["doc_id"][one.row].as_py()) for one in found]


def test_the_nearest_on_both_sides_and_one_far_outside() -> None:
    values = [("a", 49, LOW), ("b", 40, LOW), ("c", 30, LOW), ("d", 1, LOW), ("e", 50, None), ("f", 52, None)]
    rows = table([(*one, None) for one in [*values, ("g", 900, None)]])
    found = chosen(rows, [LOW], {LOW: {"*": 50}}, 100, set())
    assert placed(found, rows) == [("outside", "a"), ("outside", "b"), ("inside", "e"), ("inside", "f"), ("far", "d")]
    assert {one.reason for one in found} == {LOW}


def test_the_limit_of_a_language_counts_in_it() -> None:
    rows = table([("a", 30, None, "de"), ("b", 21, None, "de"), ("c", 60, None, "en"), ("d", 55, None, None)])
    found = chosen(rows, [LOW], {LOW: {"*": 50, "de": 20}}, 2, set())
    assert placed(found, rows) == [("inside", "b"), ("inside", "d")]


def test_a_limit_that_is_lifted_for_a_language_has_no_inside_there() -> None:
    rows = table([("a", 30, None, "de"), ("b", 90, None, "en")])
    assert placed(chosen(rows, [LOW], {LOW: {"*": 50, "de": None}}, 9, set()), rows) == [("inside", "b")]


def test_no_document_stands_for_two_limits() -> None:
    rows = table([("a", 50, None, None), ("b", 60, None, None), ("c", 70, None, None), ("d", None, None, None)])
    shown: set[str] = set()
    found = chosen(rows, [LOW, HIGH], {LOW: {"*": 50}, HIGH: {"*": 100}}, 100, shown)
    assert [(one.reason, rows["doc_id"][one.row].as_py()) for one in found] == [(LOW, "a"), (LOW, "b"), (HIGH, "c")]
    assert shown == {"a", "b", "c"}


def test_what_is_shown_already_is_not_chosen() -> None:
    rows = table([("a", 50, None, None), ("b", 60, None, None)])
    assert placed(chosen(rows, [LOW], {LOW: {"*": 50}}, 100, {"a"}), rows) == [("inside", "b")]


def test_every_limit_gets_one_before_any_gets_a_second() -> None:
    rows = table([("a", 1, LOW, None), ("b", 2, LOW, None), ("c", 500, HIGH, None), ("d", 50, None, None)])
    bounds: dict[str, Any] = {LOW: {"*": 10}, HIGH: {"*": 100}}
    assert placed(chosen(rows, [LOW, HIGH], bounds, 2, set()), rows) == [("outside", "b"), ("outside", "c")]


def test_four_of_a_reason_that_is_no_limit() -> None:
    rows = table([(name, None, "extract:empty", None) for name in "fbdace"])
    found = chosen(rows, ["extract:empty"], {}, 100, set())
    assert sorted(placed(found, rows)) == [("dropped", name) for name in "abcd"]


def test_a_stage_without_documents() -> None:
    rows = table([("a", 1, None, None)]).slice(0, 0)
    assert chosen(rows, [LOW], {LOW: {"*": 50}}, 100, set()) == []
