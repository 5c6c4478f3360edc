"""The option keep: what a recipe may say, and how documents rank under it."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curation.dedup.clusters.survival import Keep, longest_first, lowest_first
from tests.support import documents

LAST = 2**32 - 1


def order(keep: Any, batch: pa.RecordBatch) -> list[int]:
    """Row numbers from the best to the worst, ties in row order."""
    ranks = Keep.parse(keep).ranks(batch)
    assert ranks.dtype == np.uint32
    return np.argsort(ranks, kind="stable").tolist()


def test_longest_counts_bytes() -> None:
    batch = documents("four", "ééé", None, "", "ж" * 3, "longest of all")
    assert Keep.parse("longest").ranks(batch).tolist() == [LAST - 4, LAST - 6, LAST, LAST, LAST - 6, LAST - 14]
    assert order("longest", batch) == [5, 1, 4, 0, 2, 3]


def test_longest_of_a_slice() -> None:
    assert Keep.parse("longest").ranks(documents("a", "bb", "ccc").slice(1, 2)).tolist() == [LAST - 2, LAST - 3]


def test_longest_saturates() -> None:
    sizes = np.array([0, 1, LAST - 1, LAST, LAST + 1, 2**40], np.int64)
    assert longest_first(sizes).tolist() == [LAST, LAST - 1, 1, 0, 0, 0]


def test_earliest_is_crawled_first_in_whole_seconds() -> None:
    batch = documents(*["text"] * 7, crawled_at=[5_999, None, 5_000, 4_999, -1, (LAST - 1) * 1000, LAST * 1000])
    assert Keep.parse("earliest").ranks(batch).tolist() == [5, LAST, 5, 4, 0, LAST - 1, LAST - 1]
    assert order("earliest", batch) == [4, 3, 0, 2, 5, 6, 1]


def test_where_all_stay_the_place_decides() -> None:
    assert Keep.parse("all").ranks(documents("long text", "a", None)).tolist() == [0, 0, 0]


SCORES: list[object] = [{"score": v} for v in (0.5, None, -1.0, float("nan"), 2.5, -0.0, 0.0, float("-inf"))] + [None]


@pytest.mark.parametrize(
    ("keep", "best_first"),
    [
        ({"highest": "quality.score"}, [4, 0, 5, 6, 2, 7, 1, 3, 8]),
        ({"lowest": "quality.score"}, [7, 2, 5, 6, 0, 4, 1, 3, 8]),
    ],
)
def test_signals_null_and_nan_last(keep: Any, best_first: list[int]) -> None:
    batch = documents(*["text"] * 9, quality=SCORES)
    assert order(keep, batch) == best_first
    assert Keep.parse(keep).ranks(batch)[[1, 3, 8]].tolist() == [LAST] * 3
    assert LAST not in Keep.parse(keep).ranks(batch)[[0, 2, 4, 5, 6, 7]]


def test_floats_by_hand() -> None:
    values = np.array([-np.inf, -1.0, -0.0, 0.0, 1.0, np.inf, np.nan], np.float32)
    assert [hex(rank) for rank in lowest_first(values)] == [
        "0x7fffff",
        "0x407fffff",
        "0x80000000",
        "0x80000000",
        "0xbf800000",
        "0xff800000",
        "0xffffffff",
    ]


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint8(), pa.float64()], ids=str)
def test_signals_of_any_number_type(kind: pa.DataType) -> None:
    column = pa.StructArray.from_arrays([pa.array([3, 200, None, 7], kind)], ["words"])
    batch = documents("a", "b", "c", "d").append_column("gopher", column)
    assert order({"highest": "gopher.words"}, batch) == [1, 3, 0, 2]


def test_a_boolean_signal_puts_true_highest() -> None:
    batch = documents("a", "b", "c", flags=[{"fine": False}, {"fine": True}, {"fine": None}])
    assert order({"highest": "flags.fine"}, batch) == [1, 0, 2]


def test_sources_in_the_given_order() -> None:
    batch = documents("a", "b", "c", "d", "e", source=["web", "books", None, "wiki", "code"])
    assert Keep.parse({"sources": ["wiki", "books"]}).ranks(batch).tolist() == [2, 1, 2, 0, 2]


@pytest.mark.parametrize(
    ("keep", "columns"),
    [
        ("longest", ("text",)),
        ("earliest", ("crawled_at",)),
        ("all", ()),
        ({"highest": "gopher_quality.words"}, ("gopher_quality",)),
        ({"lowest": "perplexity.value"}, ("perplexity",)),
        ({"sources": ["books"]}, ("source",)),
    ],
    ids=str,
)
def test_columns(keep: Any, columns: tuple[str, ...]) -> None:
    assert Keep.parse(keep).columns() == columns


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        ("newest", "keep must be one of longest"),
        ("highest", "keep must be one of longest"),
        ({}, "keep must be one of"),
        ({"highest": "a.b", "lowest": "a.b"}, "keep must be one of"),
        ({"best": "a.b"}, "keep knows no 'best'"),
        ({"highest": "words"}, "written {highest: filter.signal}; got 'words'"),
        ({"lowest": "a.b.c"}, "written {lowest: filter.signal}"),
        ({"lowest": ".words"}, "written {lowest: filter.signal}"),
        ({"highest": 3}, "got 3"),
        ({"sources": []}, "needs a list"),
        ({"sources": "web"}, "needs a list"),
        ({"sources": ["web", 1]}, "needs a list"),
        ({"sources": ["web", "books", "web"]}, "names 'web' twice"),
    ],
    ids=str,
)
def test_anything_else_is_refused(keep: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Keep.parse(keep)


@pytest.mark.parametrize(
    ("signal", "message"),
    [
        ("absent.words", "no signal absent.words here"),
        ("language.words", "no signal language.words here"),
        ("url.words", "no signal url.words here"),
        ("language.label", "language.label is string, which has no order"),
    ],
)
def test_a_signal_that_cannot_rank(signal: str, message: str) -> None:
    batch = documents("a", language=[{"label": "de"}])
    with pytest.raises(ValueError, match=message):
        Keep.parse({"highest": signal}).ranks(batch)
    with pytest.raises(ValueError, match=message):
        Keep.parse({"lowest": signal}).check(batch.schema)
